"""State that continues under a version with widened windows: its messages, errors and refusals."""

import json
from pathlib import Path
from typing import Any

import pytest

from streaming.definition.versions.widening import READ_AGAIN
from streaming.spark.planning.start_positions import FLUSHED
from tests.spark.loop import Loop, fault_of_operators
from tests.spark.planning.test_carrying_over import beginning, read_results
from tests.spark.planning.test_changeover import BATCHES, add, begun, changed, stop
from tests.spark.test_loop import rows, states

TOTAL = {"name": "total", "function": "sum", "of": "value"}
MOST = {"name": "most", "function": "max", "of": "value"}
LEAST = {"name": "least", "function": "min", "of": "value"}
NodeChanges = dict[str, dict[str, Any]]
WIDENED: NodeChanges = {"windows": {"aggregates": [TOTAL, MOST]}}


def carry(loop: Loop, changes: NodeChanges, run: str = "a-2") -> list[str | None]:
    """Start the changed version with the state of the previous run, to the end; return the messages for its user."""
    add(loop, changed(changes, run=run, begin="carried_over"))
    return [message for _, _, message in states(loop.run(), "a")]


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    found = begun(tmp_path / "a", 4)
    stop(found)
    found.run()
    return found


def test_the_message_of_the_run_names_the_period_in_which_new_columns_lack_rows(loop: Loop) -> None:
    messages = carry(loop, WIDENED)
    start = beginning(loop, "a-2")
    assert messages[0] == start.sentence
    assert "no row is read again" in start.sentence
    assert "before 1970-01-01 00:00:00.000046Z, most of out is marked as incomplete" in start.sentence
    assert (start.how, start.after, start.rows_again) == ("carried_over", "a-1", 0)
    marked = [row for row in read_results(loop) if row.get("incomplete")]
    assert [(row["start"], row["incomplete_columns"]) for row in marked] == [(40, ["most"])] * 2


def test_all_results_are_complete_if_no_aggregate_starts_empty(loop: Loop) -> None:
    messages = carry(loop, {"windows": {"aggregates": [{"name": "mean", "function": "avg", "of": "value"}]}})
    assert messages[0] is not None
    assert messages[0].endswith("All results are complete.")
    assert not any(row.get("incomplete") for row in read_results(loop))


def test_an_error_in_the_first_batch_leaves_the_state_unchanged(loop: Loop, tmp_path: Path) -> None:
    add(loop, changed(WIDENED, run="a-2", begin="carried_over"))
    with fault_of_operators(loop.offset.n + 1):
        manifest = loop.batch()
    assert manifest is not None
    assert [state for state, _, _ in states([manifest], "a")] == ["failed"]
    carry(loop, WIDENED, "a-3")
    start = beginning(loop, "a-3")
    assert (start.how, start.after) == ("carried_over", "a-1"), "the state is that of the previous run"
    other = begun(tmp_path / "b", 4)
    stop(other)
    other.run()
    carry(other, WIDENED)
    assert rows(loop, "a") == rows(other, "a")


def test_a_run_that_cannot_be_planned_leaves_the_state_unchanged(loop: Loop) -> None:
    (loop.home / "readings.jsonl").rename(loop.home / "away.jsonl")
    add(loop, changed(WIDENED, run="a-2", begin="carried_over"))
    assert [state for state, _, _ in states(loop.run(), "a")] == ["failed"]
    (loop.home / "away.jsonl").rename(loop.home / "readings.jsonl")
    carry(loop, WIDENED, "a-3")
    assert beginning(loop, "a-3").lacking["out"].columns == ["most"]


def test_state_that_cannot_be_carried_over_is_replayed_with_a_reason(loop: Loop, tmp_path: Path) -> None:
    other = {**WIDENED, "some": {"where": "value >= 0"}}
    messages = carry(loop, other)
    assert messages[0] is not None
    assert messages[0].startswith(
        "The state of the previous run can't be carried over. The node windows, or a node before it, is different"
    )
    assert READ_AGAIN in messages[0]
    again = begun(tmp_path / "b", 4)
    stop(again)
    add(again, changed(other, run="a-2"))
    again.run()
    assert rows(loop, "a") == rows(again, "a"), "as if nothing had been requested"


def test_after_a_flush_no_open_state_can_be_carried_over(tmp_path: Path) -> None:
    loop = begun(tmp_path, 0, {})
    loop.run()
    lines = (tmp_path / "readings.jsonl").read_text()
    row = {"start": 99, "payload": {"device": "d0", "value": 1}, "batch": BATCHES}
    (tmp_path / "readings.jsonl").write_text(f"{lines}{json.dumps(row)}\n")
    messages = carry(loop, WIDENED)
    assert messages[0] is not None
    assert FLUSHED not in messages[0]
    assert beginning(loop, "a-2").how == "oldest_open"


def test_a_second_widening_waits_for_the_windows_of_the_first(tmp_path: Path) -> None:
    third: NodeChanges = {"windows": {"aggregates": [MOST, LEAST]}}
    for batches, how in ((0, "oldest_open"), (3, "carried_over")):
        loop = begun(tmp_path / how, 4)
        stop(loop)
        loop.run()
        add(loop, changed(WIDENED, run="a-2", begin="carried_over"))
        loop.batch()
        for _ in range(batches):
            loop.batch()
        stop(loop)
        loop.run()
        messages = carry(loop, third, "a-3")
        assert beginning(loop, "a-3").how == how
        assert messages[0] is not None
        assert ("was carried over before" in messages[0]) is (how == "oldest_open")


def test_marks_of_rows_and_of_columns_survive_a_stop_and_a_start(tmp_path: Path) -> None:
    loop = begun(tmp_path, 3)
    stop(loop)
    loop.run()
    add(loop, changed({"some": {"where": "value >= 0"}}, run="a-2", begin="old_positions"))
    for _ in range(2):
        loop.batch()
    stop(loop)
    loop.run()
    widened = {**WIDENED, "some": {"where": "value >= 0"}}
    add(loop, changed(widened, run="a-3", begin="carried_over"))
    loop.batch()
    stop(loop)
    loop.run()
    before = read_results(loop)
    add(loop, changed(widened, run="a-4"))
    loop.run()
    start = beginning(loop, "a-4")
    whole, columns = start.incomplete_before["out"], start.lacking["out"].before
    assert whole is not None
    assert columns is not None
    assert whole < columns
    new = [row for row in read_results(loop) if row not in before]
    assert all(row.get("incomplete", False) == (row["start"] < columns) for row in new)
    assert all("incomplete_columns" not in row for row in new if row["start"] < whole), "any column may lack rows"
    assert {"most"} == {name for row in read_results(loop) for name in row.get("incomplete_columns", ())}
