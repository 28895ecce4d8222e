"""State that goes on under a version with widened windows: what is said, what a fault leaves, what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from streaming.definition.widening import READ_AGAIN
from streaming.spark.beginnings import FLUSHED
from tests.spark.loop import Loop, fault_of_operators
from tests.spark.test_carrying_over import beginning, given
from tests.spark.test_changeover import BATCHES, add, begun, changed, stop
from tests.spark.test_loop import rows, states

TOTAL = {"name": "total", "function": "sum", "of": "value"}
MOST = {"name": "most", "function": "max", "of": "value"}
LEAST = {"name": "least", "function": "min", "of": "value"}
Said = dict[str, dict[str, Any]]
WIDENED: Said = {"windows": {"aggregates": [TOTAL, MOST]}}


def carry(loop: Loop, said: Said, run: str = "a-2") -> list[str | None]:
    """Start `said` with the state of the run before, to the end; what its user is told."""
    add(loop, changed(said, run=run, begin="carried_over"))
    return [message for _, _, message in states(loop.run(), "a")]


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    found = begun(tmp_path / "a", 4)
    stop(found)
    found.run()
    return found


def test_the_run_says_that_it_goes_on_and_until_when_new_columns_lack_rows(loop: Loop) -> None:
    told = carry(loop, WIDENED)
    said = beginning(loop, "a-2")
    assert told[0] == said.sentence
    assert "nothing is read again" in said.sentence
    assert "before 1970-01-01 00:00:00.000046Z, most of out is marked as incomplete" in said.sentence
    assert (said.how, said.after, said.rows_again) == ("carried_over", "a-1", 0)
    marked = [row for row in given(loop) if row.get("incomplete")]
    assert [(row["start"], row["incomplete_columns"]) for row in marked] == [(40, ["most"])] * 2


def test_where_nothing_begins_empty_all_results_are_whole(loop: Loop) -> None:
    told = carry(loop, {"windows": {"aggregates": [{"name": "mean", "function": "avg", "of": "value"}]}})
    assert told[0] is not None
    assert told[0].endswith("All results are whole.")
    assert not any(row.get("incomplete") for row in given(loop))


def test_a_fault_in_the_batch_in_which_it_begins_leaves_the_state_as_it_was(loop: Loop, tmp_path: Path) -> None:
    add(loop, changed(WIDENED, run="a-2", begin="carried_over"))
    with fault_of_operators(loop.offset.n + 1):
        manifest = loop.batch()
    assert manifest is not None
    assert [state for state, _, _ in states([manifest], "a")] == ["failed"]
    carry(loop, WIDENED, "a-3")
    said = beginning(loop, "a-3")
    assert (said.how, said.after) == ("carried_over", "a-1"), "what is kept is that of the run before"
    other = begun(tmp_path / "b", 4)
    stop(other)
    other.run()
    carry(other, WIDENED)
    assert rows(loop, "a") == rows(other, "a")


def test_a_run_that_cannot_even_be_planned_leaves_it_too(loop: Loop) -> None:
    (loop.home / "readings.jsonl").rename(loop.home / "away.jsonl")
    add(loop, changed(WIDENED, run="a-2", begin="carried_over"))
    assert [state for state, _, _ in states(loop.run(), "a")] == ["failed"]
    (loop.home / "away.jsonl").rename(loop.home / "readings.jsonl")
    carry(loop, WIDENED, "a-3")
    assert beginning(loop, "a-3").lacking["out"].columns == ["most"]


def test_what_cannot_be_carried_over_is_read_again_and_the_run_says_why(loop: Loop, tmp_path: Path) -> None:
    other = {**WIDENED, "some": {"where": "value >= 0"}}
    told = carry(loop, other)
    assert told[0] is not None
    assert told[0].startswith("The state of the run before was to be carried over, and cannot be. The node windows is")
    assert READ_AGAIN in told[0]
    again = begun(tmp_path / "b", 4)
    stop(again)
    add(again, changed(other, run="a-2"))
    again.run()
    assert rows(loop, "a") == rows(again, "a"), "as if nothing had been asked"


def test_after_a_flush_nothing_is_open_that_could_be_carried_over(tmp_path: Path) -> None:
    loop = begun(tmp_path, 0, {})
    loop.run()
    lines = (tmp_path / "readings.jsonl").read_text()
    row = {"start": 99, "payload": {"device": "d0", "value": 1}, "batch": BATCHES}
    (tmp_path / "readings.jsonl").write_text(f"{lines}{json.dumps(row)}\n")
    told = carry(loop, WIDENED)
    assert told[0] is not None
    assert FLUSHED not in told[0]
    assert beginning(loop, "a-2").how == "oldest_open"


def test_a_second_one_waits_for_the_windows_of_the_first(tmp_path: Path) -> None:
    third: Said = {"windows": {"aggregates": [MOST, LEAST]}}
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
        told = carry(loop, third, "a-3")
        assert beginning(loop, "a-3").how == how
        assert told[0] is not None
        assert ("was carried over before" in told[0]) is (how == "oldest_open")


def test_marks_of_a_whole_row_and_of_its_columns_outlive_a_stop_and_a_start(tmp_path: Path) -> None:
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
    before = given(loop)
    add(loop, changed(widened, run="a-4"))
    loop.run()
    said = beginning(loop, "a-4")
    whole, columns = said.incomplete_before["out"], said.lacking["out"].before
    assert whole is not None
    assert columns is not None
    assert whole < columns
    new = [row for row in given(loop) if row not in before]
    assert all(row.get("incomplete", False) == (row["start"] < columns) for row in new)
    assert all("incomplete_columns" not in row for row in new if row["start"] < whole), "any column may lack something"
    assert {"most"} == {name for row in given(loop) for name in row.get("incomplete_columns", ())}
