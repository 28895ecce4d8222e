"""Other findings of a proposal on the rows, and the part of a file that it is based on."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.adapters import preview
from streaming.adapters.registry import input_adapter
from streaming.definition.checks.check import check_fields
from streaming.definition.streams.stream import StreamDefinition
from streaming.inference.accepting import CHECKED, accepted_stream, checked
from streaming.inference.propose import StreamProposal
from streaming.inference.row_findings import behind_by_key
from streaming.reference.feed import InputFeed
from streaming.temporal.events import Event, Shape
from streaming.temporal.outcomes import Outcome
from streaming.temporal.settings import AdvanceTime, Basis, Generate, Late
from streaming.temporal.ticks import Tick, Ticks, parse_duration
from streaming.wire.execution.case import ONLY_LANE
from tests.inference.proposals import csv, malformed, proposed

BEGIN = datetime(2024, 3, 5, 10, tzinfo=UTC)


def at(seconds: int) -> str:
    return (BEGIN + timedelta(seconds=seconds)).isoformat()


def delay(proposal: StreamProposal) -> str:
    lateness = proposal.times[0].lateness
    assert lateness is not None
    return next(each.delay for each in lateness.choices if each.proposed)


def first_rows(root: Path, stream: StreamDefinition, options: Mapping[str, Any]) -> Sequence[preview.SampleRow]:
    return preview.sample(input_adapter("file", {"path": "f.csv", **options}, stream, root), CHECKED, now=0)


def late_in_a_run(root: Path, proposal: StreamProposal) -> int:
    """Return how many rows of f.csv a run drops as late, with the accepted proposal and a CTI after each row."""
    stream = accepted_stream(proposal, proposal.times[0])
    settings = AdvanceTime(
        generate=Generate(delay=Ticks(parse_duration(delay(proposal))), every_count=1, basis=Basis.MAX),
        late=Late.DROP,
        over=proposal.times[0].over,
    )
    feed = InputFeed("s", stream, settings)
    rows = preview.sample(input_adapter("file", {"path": "f.csv", **proposal.options}, stream, root), 10_000, now=0)
    judged = [feed.take(ONLY_LANE, row.element, row.arrival).judged for row in rows]
    return sum(each is not None and each.outcome is Outcome.DROPPED_LATE for each in judged)


@pytest.mark.parametrize(
    ("wrong", "row", "with_it"),
    [("1970-01-01T00:00:07Z", 51, "19788d"), ("2098-01-01T00:00:00Z", 11, "26965d")],
)
def test_one_wrong_clock_moves_no_delay_and_is_named(wrong: str, row: int, with_it: str, tmp_path: Path) -> None:
    rows = [{"time": at(number), "v": number} for number in range(90)]
    rows[row - 1]["time"] = wrong
    csv(tmp_path / "f.csv", rows)
    proposal = proposed(tmp_path, "f.csv")
    lateness = proposal.times[0].lateness
    assert lateness is not None
    assert (delay(proposal), lateness.with_outliers, lateness.outlying) == ("0s", with_it, 1)
    assert [(each.row, each.value) for each in lateness.outliers] == [(row, wrong)]
    assert any(f"row {row}: '{wrong}'" in note and with_it in note for note in proposal.notes)


def test_the_late_rows_of_a_wrong_clock_are_counted(tmp_path: Path) -> None:
    rows = [{"time": at(number), "v": number} for number in range(90)]
    rows[10]["time"] = "2098-01-01T00:00:00Z"
    csv(tmp_path / "f.csv", rows)
    proposal = proposed(tmp_path, "f.csv")
    found = checked(proposal, lambda stream, options: first_rows(tmp_path, stream, options))
    assert late_in_a_run(tmp_path, proposal) == 79
    assert any("79 of the first 90 rows would be late in a run with the delay of 0s" in note for note in found.notes)
    rows[10]["time"] = at(10)
    csv(tmp_path / "f.csv", rows)
    found = checked(proposed(tmp_path, "f.csv"), lambda stream, options: first_rows(tmp_path, stream, options))
    assert found.notes == []


def test_rows_that_are_days_late_are_not_wrong_clocks(tmp_path: Path) -> None:
    rows = [{"time": at(86_400 * number if number % 10 else 0), "v": number} for number in range(1, 91)]
    csv(tmp_path / "f.csv", rows)
    lateness = proposed(tmp_path, "f.csv").times[0].lateness
    assert lateness is not None
    assert (lateness.outlying, lateness.with_outliers) == (0, None)


def test_the_read_rows_are_described(tmp_path: Path) -> None:
    csv(tmp_path / "orders.csv", [{"time": at(number), "v": number} for number in range(20_000)])
    proposal = proposed(tmp_path, "orders.csv")
    assert proposal.records == 12_000
    assert proposal.read == (
        "12,000 rows: rows 1 to 4,000 of the 20,000 of orders.csv; rows 8,001 to 12,000 of the 20,000 of orders.csv; "
        "rows 16,001 to 20,000 of the 20,000 of orders.csv"
    )


@pytest.mark.parametrize(
    ("last", "words"),
    [("2024-03-05T10:00:01Z,1", "2 rows, all that there are"), ("TOTAL,,", "1 of 2 rows: all that can be read")],
)
def test_rows_that_cannot_be_read_are_counted_as_such(last: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text(f"time,v\n2024-03-05T10:00:00Z,0\n{last}\n")
    assert proposed(tmp_path, "f.csv").read == words


def test_the_number_of_rows_of_a_large_file_is_estimated(tmp_path: Path) -> None:
    with (tmp_path / "f.csv").open("w") as file:
        file.write("time,text\n")
        file.writelines(f"{at(number)},{'x' * 200}\n" for number in range(40_000))
    read = proposed(tmp_path, "f.csv").read
    assert read.startswith("12,000 rows (of about 4")
    assert "the first 4,000 of f.csv; 4,000 in the middle of f.csv; 4,000 at the end of f.csv" in read


def test_reserved_names_become_others(tmp_path: Path) -> None:
    csv(tmp_path / "f.csv", [{"time": at(number), "pane_start": number, "Pane End": number} for number in range(3)])
    proposal = proposed(tmp_path, "f.csv")
    names = {each.column: each.name for each in proposal.fields}
    assert (names["pane_start"], names["Pane End"]) == ("field_pane_start", "field_pane_end")
    assert not list(check_fields({each.name: each.type for each in proposal.fields}))
    assert any("'pane_start' becomes the field 'field_pane_start'" in note for note in proposal.notes)
    assert malformed(tmp_path, "f.csv", proposal) == []


def test_devices_that_take_turns_get_a_clock_each(tmp_path: Path) -> None:
    rows = [
        {"time": at(600 * turn + 60 * number), "dev": dev}
        for turn in range(60)
        for dev in ("a", "b")
        for number in range(10 if turn else 1)
    ]
    csv(tmp_path / "f.csv", rows)
    proposal = proposed(tmp_path, "f.csv")
    assert proposal.times[0].over == "dev"
    assert "a clock for each keeps them" in proposal.times[0].over_reason
    assert delay(proposal) == "0s"
    assert late_in_a_run(tmp_path, proposal) == 0


def test_devices_that_follow_each_other_get_the_delay_that_keeps_them(tmp_path: Path) -> None:
    """A clock for each loses the second: it starts where the first is (T15)."""
    rows = [{"time": at(60 * number), "dev": dev, "v": number} for dev in ("a", "b") for number in range(50)]
    csv(tmp_path / "f.csv", rows)
    proposal = proposed(tmp_path, "f.csv")
    assert (proposal.times[0].over, delay(proposal)) == (None, "1h")
    assert late_in_a_run(tmp_path, proposal) == 0
    assert any("of dev are in order of time, but those of one value follow" in note for note in proposal.notes)


@given(
    rows=st.lists(st.tuples(st.integers(0, 60), st.sampled_from("abc")), min_size=1, max_size=40),
    delay=st.integers(0, 60),
)
def test_rows_older_than_the_clocks_of_their_keys_are_late_in_a_run(rows: list[tuple[int, str]], delay: int) -> None:
    behind = behind_by_key(np.array([tick for tick, _ in rows], dtype=np.int64), [key for _, key in rows])
    settings = AdvanceTime(
        generate=Generate(delay=Ticks(delay), every_count=1, basis=Basis.MAX), late=Late.KEEP, over="key"
    )
    feed = InputFeed("s", StreamDefinition(fields={"key": "string"}), settings)
    fed = [feed.take(ONLY_LANE, Event(Tick(tick), Tick(tick + 1), {"key": key}), None).judged for tick, key in rows]
    assert [bool(each is not None and each.lateness) for each in fed] == (behind > delay).tolist()


def test_devices_side_by_side_need_no_clock_each(tmp_path: Path) -> None:
    csv(tmp_path / "f.csv", [{"time": at(number), "dev": "ab"[number % 2]} for number in range(100)])
    assert proposed(tmp_path, "f.csv").times[0].over is None


def test_ids_that_occur_twice_are_reported(tmp_path: Path) -> None:
    rows = [{"time": at(number), "event_id": f"e{number if number != 40 else 7}"} for number in range(50)]
    csv(tmp_path / "f.csv", rows)
    notes = proposed(tmp_path, "f.csv").notes
    assert any("1 row with a repeated value of 'event_id'" in note and "in rows 8 and 41" in note for note in notes)


@pytest.mark.parametrize(("empty", "shape"), [(1, Shape.INTERVAL), (20, Shape.POINT)])
def test_intervals_without_a_length_are_reported(empty: int, shape: Shape, tmp_path: Path) -> None:
    rows = [{"start": at(10 * n), "end": at(10 * n + (0 if n < empty else 5)), "v": n} for n in range(100)]
    csv(tmp_path / "f.csv", rows)
    proposal = proposed(tmp_path, "f.csv")
    assert proposal.times[0].shape is shape
    assert any(f"{empty} of 100 rows end at their start" in note for note in proposal.notes)


def test_the_outcomes_of_the_first_rows_are_reported(tmp_path: Path) -> None:
    lines = [f"{at(number)},{number}" for number in range(100)]
    lines[6], lines[50] = "never,6", f'{at(50)},"open'
    (tmp_path / "f.csv").write_text("\n".join(["time,v", *lines, ""]))

    def read(stream: object, options: object) -> list[preview.SampleRow]:
        adapter = input_adapter("file", {"path": "f.csv", **dict(options)}, stream, tmp_path)  # type: ignore[call-overload, arg-type]
        return preview.sample(adapter, CHECKED, now=0)

    proposal = checked(proposed(tmp_path, "f.csv"), read)
    assert (proposal.checked, proposal.malformed) == (100, 2)
    assert "2 of the first 100 rows would be malformed" in proposal.notes[-1]
    assert "row 7, which has no readable time: 'never,6'" in proposal.notes[-1]
