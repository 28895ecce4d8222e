"""Options for text files that are not plain: encoding, line ends, lines around the records, number marks."""

from collections import Counter
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from streaming.adapters.number_marks import Decimal, NumberMarks, Thousands
from streaming.definition.strict import Strict

Encoding = Literal[
    "utf-8", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252", "iso-8859-15", "cp1250", "cp1251", "shift_jis",
    "gb18030",
]  # fmt: skip
MOST_LINES: Final = 10_000
MOST_NAMES: Final = 10_000


def _each_once(names: list[str]) -> list[str]:
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"the column {twice!r} is listed twice; list each column once")
    return names


class Dialect(Strict):
    """The notation of a text file. The defaults: UTF-8, and CSV according to RFC 4180 with a header line."""

    encoding: Annotated[
        Encoding, Field(title="Encoding", description="A row with bytes that are invalid in it is malformed.")
    ] = "utf-8"
    line_end: Annotated[
        Literal["lf", "cr"],
        Field(
            title="Line ends",
            description="lf: line feed, also after a carriage return. cr: carriage return alone (old files).",
        ),
    ] = "lf"
    skip_lines: Annotated[
        int,
        Field(ge=0, le=MOST_LINES, title="Lines before the header", description="CSV: these lines are skipped."),
    ] = 0
    comment: Annotated[
        str,
        Field(
            pattern=r"^[!#-~]{0,3}$",
            title="Comment prefix",
            description="CSV: lines with this prefix, for example #, are skipped.",
        ),
    ] = ""
    column_names: Annotated[
        list[str],
        Field(
            max_length=MOST_NAMES,
            title="Column names",
            description='CSV without a header line: the names in order, for example ["at", "plate"].',
        ),
        AfterValidator(_each_once),
    ] = Field(default_factory=list)
    escape: Annotated[
        Literal["none", "backslash"],
        Field(
            title="Escapes",
            description=r"CSV, backslash: the character after a backslash is literal, so \" is a quotation mark.",
        ),
    ] = "none"
    ragged: Annotated[
        Literal["quarantine", "fill"],
        Field(
            title="Rows with too many or too few cells",
            description="CSV, fill: missing cells are null, and empty surplus cells are dropped. A row with surplus "
            "cells that are not empty still goes to quarantine.",
        ),
    ] = "quarantine"
    null_values: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=100)]],
        Field(
            max_length=100,
            title="Null values",
            description='CSV: unquoted cells with one of these texts, for example ["NA", "-"], are null.',
        ),
    ] = Field(default_factory=list)
    decimal: Annotated[Decimal, Field(title="Decimal mark", description="CSV: used by the numbers in cells.")] = "."
    thousands: Annotated[
        Thousands,
        Field(title="Thousands separator", description="CSV: the optional mark between groups of three digits."),
    ] = "none"
    records: Annotated[
        str,
        Field(
            max_length=1_000,
            title="Path of the records",
            description="Format json: the path of the list, for example features or data.items. Empty: the "
            "document is the list.",
        ),
    ] = ""

    @model_validator(mode="after")
    def _marks_differ(self) -> Self:
        if self.decimal == self.thousands:
            raise ValueError("the decimal mark and the thousands separator are the same; choose two different ones")
        return self

    @property
    def marks(self) -> NumberMarks:
        """The marks of numbers."""
        return NumberMarks(self.decimal, self.thousands)

    @property
    def non_defaults(self) -> dict[str, object]:
        """The options that differ from those of a plain file."""
        return self.model_dump(mode="json", exclude_defaults=True)


PLAIN_DIALECT: Final = Dialect()
DialectOption = Annotated[
    Dialect,
    Field(
        title="Text format",
        description="Encoding, header, comments, quotes, nulls and numbers of CSV; the list in a JSON document.",
    ),
]
