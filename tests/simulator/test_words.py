"""Lengths of time in sentences."""

import pytest

from streaming.simulator.words import length


@pytest.mark.parametrize(
    ("ticks", "words"),
    [
        (5_000_000, "5 s"),
        (1_500_000, "1500 ms"),
        (2_081_990, "2.08199 s"),
        (81_990, "81.99 ms"),
        (-1_000_001, "-1.000001 s"),
        (90_000_000_001, "90000.000001 s"),
        (1, "1 tick"),
        (999, "999 ticks"),
        (-20, "-20 ticks"),
    ],
)
def test_a_length_is_exact_and_in_a_readable_unit(ticks: int, words: str) -> None:
    assert length(ticks) == words
