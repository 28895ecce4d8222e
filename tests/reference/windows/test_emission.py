"""Timing and replacement of pane rows: final, on_complete, running, retract (T20)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.reference.execution import run_case
from streaming.wire.execution.case import CaseStep, EndMode
from tests.reference.windows.windowing import (
    Row,
    arrivals,
    case_of,
    cti,
    ends,
    opens,
    point,
    result_of,
    rows_before_the_end,
)

TUMBLING = {"kind": "tumbling", "size": 10}
SESSION = {"kind": "session", "gap": 10}
WINDOWS = [
    TUMBLING,
    {"kind": "hopping", "size": 10, "hop": 4},
    SESSION,
    {"kind": "session", "gap": 5, "max": 12},
    {"kind": "snapshot"},
    {"kind": "count", "n": 2},
]


def node(emit: str, window: Row = TUMBLING, **more: Any) -> Row:
    return {"window": window, "emit": emit, **more}


def formatted_rows(rows: list[CaseStep]) -> list[tuple[Any, ...]]:
    """Return each row: start, count, timing, index, whether it is the last.

    A deletion as "gone" and its start and count.
    """
    found: list[tuple[Any, ...]] = []
    for row in rows:
        assert row.pane is not None
        formatted = (row.pane.timing, row.pane.index, row.pane.is_last)
        found.append(
            ("gone", row.start, row.payload["n"]) if row.deleted else (row.start, row.payload["n"], *formatted)
        )
    return found


def test_final_gives_one_row_when_the_window_closes() -> None:
    rows = [point(1), "batch", cti(10), point(2), "batch", cti(15)]
    assert formatted_rows(rows_before_the_end(rows, node("final", grace=5))) == [(0, 2, "on_time", 0, True)]


def test_on_complete_gives_a_row_at_completion_then_one_for_each_cti_after_a_change() -> None:
    rows = [point(1), cti(10), point(2), point(3), cti(12), cti(13), point(4), cti(15)]
    assert formatted_rows(rows_before_the_end(rows, node("on_complete", grace=5))) == [
        (0, 1, "on_time", 0, False),
        (0, 3, "late", 1, False),
        (0, 4, "late", 2, True),
    ]


def test_on_complete_emits_nothing_at_the_closing_cti_if_nothing_changed() -> None:
    rows = [point(1), cti(10), cti(15)]
    assert formatted_rows(rows_before_the_end(rows, node("on_complete", grace=5))) == [(0, 1, "on_time", 0, False)]


def test_a_cti_that_completes_and_closes_gives_one_row() -> None:
    rows = [point(1), cti(30)]
    assert formatted_rows(rows_before_the_end(rows, node("on_complete", grace=5))) == [(0, 1, "on_time", 0, True)]


def test_the_first_row_of_a_group_that_came_late_is_on_time() -> None:
    rows = [cti(11), point(2), cti(12)]
    assert formatted_rows(rows_before_the_end(rows, node("on_complete", grace=5))) == [(0, 1, "on_time", 0, False)]


def test_running_gives_a_row_at_the_end_of_each_batch_that_changed_the_pane() -> None:
    rows = [point(1), point(2), "batch", cti(5), "batch", point(7), "batch", cti(10)]
    assert formatted_rows(rows_before_the_end(rows, node("running"))) == [
        (0, 2, "early", 0, False),
        (0, 3, "early", 1, False),
    ]


def test_running_gives_the_closing_row_if_the_pane_changed_since() -> None:
    rows = [point(1), "batch", point(2), cti(10)]
    assert formatted_rows(rows_before_the_end(rows, node("running"))) == [
        (0, 1, "early", 0, False),
        (0, 2, "on_time", 1, True),
    ]


def test_running_emits_nothing_at_a_cti_that_completes_the_pane_and_leaves_it_open() -> None:
    rows = [point(1), cti(10), point(2), "batch"]
    assert formatted_rows(rows_before_the_end(rows, node("running", grace=5))) == [(0, 2, "on_time", 0, False)]


def test_running_gives_its_row_at_the_end_of_a_batch_though_the_next_one_is_empty() -> None:
    rows = [point(1), "batch", "batch", point(2)]
    assert formatted_rows(rows_before_the_end(rows, node("running"))) == [
        (0, 1, "early", 0, False),
        (0, 2, "early", 1, False),
    ]


def test_running_continues_after_completion() -> None:
    rows = [point(1), cti(11), "batch", point(2), "batch", point(3), cti(15)]
    assert formatted_rows(rows_before_the_end(rows, node("running", grace=5))) == [
        (0, 1, "on_time", 0, False),
        (0, 2, "late", 1, False),
        (0, 3, "late", 2, True),
    ]


def test_only_groups_that_changed_give_a_row() -> None:
    rows = [point(1, "x"), point(2, "y"), cti(10), point(3, "y"), cti(12)]
    found = rows_before_the_end(rows, node("on_complete", grace=5, group_by=["k"]))
    assert [(row.payload["k"], row.payload["n"]) for row in found] == [("x", 1), ("y", 1), ("y", 2)]


def test_retract_deletes_the_row_that_the_next_one_replaces() -> None:
    rows = [point(1), cti(10), point(2), cti(12)]
    assert formatted_rows(rows_before_the_end(rows, node("on_complete", grace=5, retract=True))) == [
        (0, 1, "on_time", 0, False),
        ("gone", 0, 1),
        (0, 2, "late", 1, False),
    ]


def test_merged_sessions_are_deleted_with_and_without_retract() -> None:
    rows = [point(0), point(15), "batch", point(8), "batch"]
    assert formatted_rows(rows_before_the_end(rows, node("running", SESSION))) == [
        (0, 1, "early", 0, False),
        (15, 1, "early", 0, False),
        ("gone", 0, 1),
        ("gone", 15, 1),
        (0, 3, "early", 0, False),
    ]


def test_a_session_that_grows_is_another_pane() -> None:
    rows = [point(0), "batch", point(4), "batch"]
    found = rows_before_the_end(rows, node("running", SESSION))
    assert [(row.start, row.end, row.deleted) for row in found] == [(0, 10, False), (0, 10, True), (0, 14, False)]


def test_an_edge_that_vanished_takes_the_rows_that_only_it_made_with_it() -> None:
    rows = [cti(10), opens(7), "batch", ends(7, 9), "batch"]
    assert formatted_rows(rows_before_the_end(rows, node("running"), shape="edge", late="adjust")) == [
        (10, 1, "early", 0, False),
        ("gone", 10, 1),
    ]


def test_an_open_edge_runs_in_the_windows_up_to_the_cti() -> None:
    rows = [opens(5), "batch", cti(10), "batch", cti(11), "batch"]
    assert formatted_rows(rows_before_the_end(rows, node("running", grace=5), shape="edge")) == [
        (0, 1, "early", 0, False),
        (10, 1, "early", 0, False),
    ]


def test_an_end_after_the_pane_changes_nothing_in_it() -> None:
    rows = [opens(5), "batch", ends(5, 12), "batch"]
    assert formatted_rows(rows_before_the_end(rows, node("running"), shape="edge")) == [
        (0, 1, "early", 0, False),
        (10, 1, "early", 0, False),
    ]


@pytest.mark.parametrize("emit", ["on_complete", "running"])
def test_at_infinity_an_edge_that_is_open_ends_its_rows_with_the_largest_time(emit: str) -> None:
    result = result_of([opens(5), cti(12)], node(emit, grace=5), shape="edge")
    assert [(row.start, row.payload["n"]) for row in result.events] == [(0, 1), (10, 1)]


def test_a_snapshot_that_is_cut_is_retracted() -> None:
    rows = [opens(0, "x"), "batch", opens(4, "y"), "batch"]
    found = rows_before_the_end(rows, node("running", {"kind": "snapshot"}), shape="edge")
    assert [(row.start, row.payload["n"], row.deleted) for row in found] == [
        (0, 1, False),
        (0, 1, True),
        (0, 1, False),
        (4, 2, False),
    ]


@pytest.mark.parametrize("window", WINDOWS, ids=str)
@pytest.mark.parametrize("emit", ["on_complete", "running"])
@given(rows=arrivals("interval"), cuts=st.sets(st.integers(0, 14)), grace=st.integers(0, 10), retract=st.booleans())
def test_the_rows_that_are_left_in_the_end_are_those_of_final(
    emit: str, window: Row, rows: list[Row], cuts: set[int], grace: int, retract: bool
) -> None:
    """At every step each pane has one row at most, and deletions name the previous row."""
    batches: list[Row | str] = []
    for place, row in enumerate(rows):
        batches += ["batch", row] if place in cuts else [row]
    more = {"grace": grace, "group_by": ["k"]}
    result = result_of(batches, node(emit, window, retract=retract, **more), shape="interval")
    assert result.rows is not None
    standing: dict[tuple[Any, ...], CaseStep] = {}
    for row in result.rows:
        assert row.pane is not None
        pane = (row.start, row.end, row.payload["k"])
        if row.deleted:
            assert standing.pop(pane).payload == row.payload
            continue
        before = standing.get(pane)
        assert not (retract and before)
        standing[pane] = row
        if before is not None:
            assert before.pane is not None
            assert row.pane.index == before.pane.index + 1
    final = result_of(rows, node("final", window, **more), shape="interval")
    payloads = {pane: row.payload for pane, row in standing.items()}
    assert payloads == {(row.start, row.end, row.payload["k"]): row.payload for row in final.events}
    assert result.ctis == final.ctis


@pytest.mark.parametrize("window", WINDOWS, ids=str)
@given(rows=arrivals("interval"), grace=st.integers(0, 10))
def test_on_complete_does_not_depend_on_batches(window: Row, rows: list[Row], grace: int) -> None:
    whole = case_of(rows, node("on_complete", window, grace=grace), shape="interval")
    cut = replace(whole, rows=tuple(replace(row, batch=place) for place, row in enumerate(whole.rows)), restart=True)
    assert run_case(replace(cut, end=EndMode.NONE)).rows == run_case(replace(whole, end=EndMode.NONE)).rows
