"""The number format of a text file: the decimal mark and the thousands separator."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import polars as pl

Decimal = Literal[".", ","]
Thousands = Literal["none", ".", ",", "space", "'"]
BLANKS: Final = " \u00a0\u2009\u202f"
"""A blank, a no-break space, a thin space and a narrow no-break space: French and Swiss programs write them."""
_SPACES: Final = f"[{BLANKS}]"
NO_NUMBER: Final = "no number"
"""Placeholder for a text that does not match the marks: no number type can read it."""


@dataclass(frozen=True)
class NumberMarks:
    """The marks of a file; `thousands` separates groups of three digits."""

    decimal: Decimal = "."
    thousands: Thousands = "none"

    @property
    def plain(self) -> bool:
        """True for numbers as programs write them."""
        return self.decimal == "." and self.thousands == "none"

    def plainly(self, texts: pl.Series) -> pl.Series:
        """Rewrite the texts as programs write numbers; `NO_NUMBER` for those that do not match these marks."""
        if self.plain:
            return texts
        fits = texts.str.contains(f"^(?:{_expression(self)})$")
        bare = texts if self.thousands == "none" else texts.str.replace_all(_separator(self), "")
        bare = bare.str.replace(",", ".", literal=True) if self.decimal == "," else bare
        frame = pl.DataFrame({"bare": bare, "fits": fits, "text": texts})
        rewritten = pl.when(pl.col("text").is_null()).then(None).when("fits").then("bare").otherwise(pl.lit(NO_NUMBER))
        return frame.select(rewritten.alias("bare")).to_series()

    def fits(self, text: str) -> bool:
        """Return True if a text is a number with these marks."""
        return re.fullmatch(_expression(self), text.strip(" \t")) is not None


def _separator(marks: NumberMarks) -> str:
    return _SPACES if marks.thousands == "space" else re.escape(marks.thousands)


@lru_cache(maxsize=32)
def _expression(marks: NumberMarks) -> str:
    fraction = rf"(?:{re.escape(marks.decimal)}[0-9]*)?(?:[eE][+-]?[0-9]+)?"
    grouped = "" if marks.thousands == "none" else rf"[0-9]{{1,3}}(?:{_separator(marks)}[0-9]{{3}})+{fraction}|"
    return rf"[+-]?(?:{grouped}[0-9]+{fraction}|{re.escape(marks.decimal)}[0-9]+(?:[eE][+-]?[0-9]+)?)"


PLAIN: Final = NumberMarks()
