"""Functions of texts against plain definitions."""

from hypothesis import given
from hypothesis import strategies as st

from streaming.functions.texts import levenshtein

TEXTS = st.text("abé😀", max_size=12)


def distance(one: str, other: str) -> int:
    """Return the distance by the table of all prefixes."""
    row = list(range(len(other) + 1))
    for number, character in enumerate(one, start=1):
        above, row = row, [number]
        for place, wanted in enumerate(other, start=1):
            row.append(min(above[place] + 1, row[-1] + 1, above[place - 1] + (character != wanted)))
    return row[-1]


@given(TEXTS, TEXTS)
def test_levenshtein_is_the_distance_by_the_table(one: str, other: str) -> None:
    assert levenshtein(one, other) == distance(one, other)
