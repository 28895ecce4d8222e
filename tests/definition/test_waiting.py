"""The variables that a complete match waits for (T34)."""

import pytest

from streaming.definition.sequences.pattern_text import parse_pattern
from streaming.definition.sequences.waiting import extending_variables


@pytest.mark.parametrize(
    ("pattern", "variables"),
    [
        ("A B", ()),
        ("A B{2}", ()),
        ("A B+?", ()),
        ("A (B | C)", ()),
        ("A ABSENT B FOR 15m", ()),
        ("A?", ()),
        ("A B+", ("B",)),
        ("A+ ABSENT B FOR 15m", ("A",)),
        ("A B{1,3}", ("B",)),
        ("A (B C)?", ("B", "C")),
        ("A B C | A", ("B", "C")),
        ("A | A B C", ()),
        ("A (B C | B)", ("C",)),
        ("A (B | B C)", ()),
        ("A (B+ | C D)*", ("B", "C", "D")),
        ("A (B | C)* ABSENT D FOR 1h", ("B", "C")),
        ("PERMUTE(A, B)", ()),
        ("(A?)*", ("A",)),
        ("(A | B) C??", ()),
        ("A | (A B | A)", ()),
        ("PERMUTE(A, B?)", ("B",)),
        ("(A{1,3}? | B{2}) A A{2}", ()),
        ("A{1000} B{5,999999999}", ("B",)),
    ],
)
def test_a_match_waits_for_rows_that_would_be_preferred(pattern: str, variables: tuple[str, ...]) -> None:
    assert extending_variables(parse_pattern(pattern)) == variables


def test_a_large_pattern_is_searched_in_bounded_time() -> None:
    assert extending_variables(parse_pattern("A? " * 3000)) == ()
    assert extending_variables(parse_pattern("A? " * 50)) == ("A",)
    assert extending_variables(parse_pattern("PERMUTE(A, B, C, D, E, F) " * 8)) == ()
