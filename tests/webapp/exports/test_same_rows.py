"""Law: all formats hold the same rows, whatever the values are."""

import tempfile
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, Tick, format_instant
from tests.webapp.exports.stored import FORMATS, StoredResults, as_shown, exact, final_row

TYPES = {
    "n": "long",
    "x": "double",
    "d": "decimal(20,4)",
    "t": "timestamp",
    "s": "string",
    "b": "boolean",
    "a": "array<string>",
    "o": "struct<p: long, q: boolean>",
}
LONGS = st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
DIGITS = st.integers(-(10**20) + 1, 10**20 - 1)


def optional(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), values)


EXACT = st.fixed_dictionaries(
    {
        "n": optional(st.one_of(LONGS, st.integers(-9, 9))),
        "x": optional(st.floats(allow_nan=False, allow_infinity=False)),
        "d": optional(DIGITS.map(lambda digits: Decimal(digits).scaleb(-4))),
        "t": optional(st.integers(FIRST_TICK, LAST_TICK)),
        "s": optional(st.one_of(TEXTS, st.sampled_from("=+-@").flatmap(lambda sign: TEXTS.map(sign.__add__)))),
        "b": optional(st.booleans()),
        "a": optional(st.lists(optional(TEXTS), max_size=3)),
        "o": optional(st.fixed_dictionaries({"p": optional(LONGS), "q": optional(st.booleans())})),
    }
)


def stored(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload as results store it."""
    decimal, time = values["d"], values["t"]
    return {
        **values,
        "d": None if decimal is None else str(decimal),
        "t": None if time is None else format_instant(Tick(time)),
    }


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 10**15), EXACT), max_size=12))
def test_all_formats_hold_the_same_rows(rows: list[tuple[int, dict[str, Any]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        results = StoredResults(Path(folder) / "rows", TYPES)
        results.commit([final_row(start, stored(values)) for start, values in rows])
        for form in FORMATS:
            found = [
                {name: exact(form, row[name], of) for name, of in {"start": "timestamp", **TYPES}.items()}
                for row in results.exported(form)
            ]
            assert found == [
                {"start": start, **{name: as_shown(form, values[name], of) for name, of in TYPES.items()}}
                for start, values in rows
            ], form
