"""Conversion of transcripts to cases: heartbeats, arrivals, the binding's settings, and cuts."""

from typing import Any

from streaming.transcripts.load import parse
from streaming.transcripts.prepare import define, prepare, variants
from streaming.wire.execution.case import Case, CaseRow

NODES = [{"id": "s", "kind": "input", "stream": "s"}, {"id": "out", "kind": "output", "input": "s"}]


def case(rows: list[Any], stream: dict[str, Any] | None = None, **keys: Any) -> Case:
    document = {
        "name": "case",
        "streams": {"s": {"fields": {}} | (stream or {})},
        "query": {"nodes": NODES},
        "input": rows,
        "expect": {"events": []},
    }
    transcript = parse(document | keys, "here")
    return prepare(transcript, define(transcript))


def test_a_heartbeat_is_a_row_and_the_arrival_of_those_that_follow() -> None:
    rows = [
        {"stream": "s", "start": 1},
        {"stream": "s", "heartbeat": "1970-01-01T00:00:00.000100Z"},
        {"stream": "s", "start": 2},
        {"stream": "s", "start": 3, "arrival": 120},
        {"stream": "s", "start": 4},
    ]
    assert case(rows).rows == (
        CaseRow("s", "0", 0, {"start": 1}),
        CaseRow("s", "0", 0, {"heartbeat": 100}),
        CaseRow("s", "0", 0, {"start": 2}, 100),
        CaseRow("s", "0", 0, {"start": 3}, 120),
        CaseRow("s", "0", 0, {"start": 4}, 100),
    )


def test_a_row_is_marked_as_a_heartbeat() -> None:
    beat, event = case([{"stream": "s", "heartbeat": 0}, {"stream": "s", "start": 2}]).rows
    assert (beat.heartbeat, event.heartbeat) == (0, None)


def test_a_heartbeat_needs_no_lane_where_rows_need_one() -> None:
    (beat,) = case([{"stream": "s", "heartbeat": 7}], {"lanes": ["a", "b"]}).rows
    assert beat.heartbeat == 7


def test_the_input_is_cut_at_heartbeats_too() -> None:
    rows = [{"stream": "s", "start": 1}, {"stream": "s", "heartbeat": 5}, {"stream": "s", "start": 2}]
    cut = [[row.batch for row in each.rows] for each in variants(case(rows), "all", restarts=False)]
    assert cut == [[0, 0, 0], [0, 1, 1], [0, 0, 1], [0, 1, 2]]


def test_a_case_with_an_import_runs_with_its_own_cuts_only() -> None:
    two = [*NODES, {"id": "f", "kind": "input", "stream": "f"}, {"id": "fast", "kind": "output", "input": "f"}]
    written = case(
        [{"stream": "s", "start": 1}, {"stream": "s", "start": 2}],
        streams={"s": {"fields": {}}, "f": {"fields": {}}},
        query={"nodes": two},
        advance={"s": {"import_from": "f", "late": "drop"}},
    )
    assert variants(written, "all", restarts=True) == [written]


def test_the_bindings_settings_are_in_the_case_by_input() -> None:
    written = case([], advance={"s": {"late": "keep"}})
    assert {node: settings.late for node, settings in written.advance.items()} == {"s": "keep"}
