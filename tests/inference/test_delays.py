"""The lateness measured in a sample, and the delays that a person can choose from."""

import bisect
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.inference.delays import WANTED, delay_choices
from streaming.temporal.ticks import Ticks, parse_duration
from tests.inference.proposals import csv, proposed

S = 1_000_000
BEHIND = st.lists(st.integers(0, 10**13).map(Ticks), min_size=1, max_size=50).map(sorted)


@given(behind=BEHIND)
def test_each_choice_says_what_it_keeps_and_one_is_proposed(behind: list[Ticks]) -> None:
    choices = delay_choices(behind)
    delays = [parse_duration(each.delay) for each in choices]
    assert delays == sorted(set(delays))
    assert [each.late for each in choices] == [sum(late > delay for late in behind) for delay in delays]
    assert [each.kept for each in choices] == [1 - each.late / len(behind) for each in choices] or all(
        abs(each.kept - (1 - each.late / len(behind))) < 1e-9 for each in choices
    )
    [proposed_one] = [each for each in choices if each.proposed]
    assert proposed_one.kept >= WANTED
    assert all(each.kept < WANTED for each in choices[: choices.index(proposed_one)])
    assert (choices[0].delay, choices[-1].late) == ("0s", 0)


@given(starts=st.lists(st.integers(0, 10**6), min_size=1, max_size=40))
def test_lateness_is_what_is_missing_to_the_newest_before(
    starts: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("files")
    csv(root / "f.csv", [{"ts": 1_700_000_000 + each, "n": 1} for each in starts])
    lateness = next(each for each in proposed(root, "f.csv").times if each.start.column == "ts").lateness
    behind = sorted(max(starts[: at + 1]) - each for at, each in enumerate(starts))
    assert lateness is not None
    assert lateness.rows == len(starts)
    assert lateness.quantiles.largest == behind[-1] * S
    for choice in lateness.choices:
        kept = bisect.bisect_right(behind, parse_duration(choice.delay) / S)
        assert choice.late == len(starts) - kept


def test_rows_in_order_need_no_delay(tmp_path: Path) -> None:
    csv(tmp_path / "f.csv", [{"ts": 1_700_000_000 + at} for at in range(10)])
    lateness = proposed(tmp_path, "f.csv").times[0].lateness
    assert lateness is not None
    assert [(each.delay, each.kept, each.proposed) for each in lateness.choices] == [("0s", 1.0, True)]
