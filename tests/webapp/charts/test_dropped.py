"""Dropped rows are counted for each result, or the reason is named why that isn't possible: never zero instead."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from streaming.storage.results import committed_spans
from streaming.storage.stored import remove
from streaming.temporal.events import Event
from streaming.temporal.ticks import Tick
from streaming.wire.messages import LateEvent
from tests.simulator.test_belonging import late_of, query, stream, window
from tests.webapp.charts.charted import charted, counting, drop
from tests.webapp.exports.stored import StoredResults, final_row
from webapp.monitoring.charting import dropped
from webapp.monitoring.charting.dropped import RunFacts, RunQuery

FIELDS = {"gate": "string", "n": "long"}


def definition(where: str = "fee > 1", size: int = 10, hop: int | None = None) -> RunQuery:
    spec = {"kind": "tumbling", "size": size} if hop is None else {"kind": "hopping", "size": size, "hop": hop}
    graph = query({"kind": "filter", "where": where}, window(spec))
    return RunQuery(graph.model_dump_json(), {"in": stream().model_dump_json()})


def late(start: int, position: int, gate: str = "a", **changed: Any) -> LateEvent:
    event = Event(Tick(start), Tick(start + 1), {"gate": gate, "fee": 5})
    return late_of(event, position).model_copy(update=changed)


@pytest.fixture
def results(tmp_path: Path) -> StoredResults:
    """Two results of the gate a, in windows of 10 ticks."""
    stored = StoredResults(tmp_path / "rows", FIELDS)
    stored.commit([final_row(start, {"gate": "a", "n": 3}) for start in (0, 10)])
    return stored


FACTS = RunFacts(quarantined=0, definition=0, begun=False)


def counts(results: StoredResults, **changed: Any) -> list[int | None]:
    facts = {"one": RunFacts(changed.pop("quarantined", 0), 0, begun=False)}
    work = counting(results, [definition()], **{**facts, **changed})
    outcome = charted(results, dropped=work)
    assert outcome.unknown is None, outcome.unknown
    return [each.dropped for each in outcome.points]


def unknown(results: StoredResults, *definitions: RunQuery, run: str | None = "one", **runs: RunFacts) -> str:
    work = counting(results, definitions or [definition()], **{"one": FACTS, **runs})
    outcome = charted(results, run=run, dropped=work)
    assert outcome.unknown is not None
    assert {each.dropped for each in outcome.points} == {None}
    return outcome.unknown


def test_dropped_rows_are_counted_once_in_their_result(results: StoredResults) -> None:
    drop(results, late(3, 0), late(4, 1), late(14, 2), late(14, 3, "b"), late(24, 4))
    drop(results, late(4, 1))  # read again after a crash
    assert counts(results, quarantined=5) == [2, 1]


def test_rows_without_a_result_here_are_counted_apart(results: StoredResults) -> None:
    drop(results, late(3, 0), late(14, 1, "b"), late(24, 2), late(3, 3, raw="a;5"), late(3, 4, outcome="malformed"))
    work = counting(results, [definition()], one=RunFacts(5, 0, begun=False))
    whole = charted(results, dropped=work)
    assert (whole.dropped_elsewhere, whole.dropped_unreadable) == (2, 2)
    assert charted(results, dropped=work, begin=20).dropped_elsewhere == 1
    assert charted(results, dropped=work, where={"gate": "b"}).dropped_elsewhere == 1
    assert charted(results, dropped=work, where={"n": "3"}).dropped_elsewhere is None


def test_repaired_rows_are_no_longer_missing(results: StoredResults) -> None:
    drop(results, late(3, 0), late(4, 1))
    work = counting(results, [definition()], ["1-0-0"], one=RunFacts(2, 0, begun=False))
    assert [each.dropped for each in charted(results, dropped=work).points] == [1, 0]


def test_a_row_counts_in_each_of_its_windows(tmp_path: Path) -> None:
    results = StoredResults(tmp_path / "rows", FIELDS)
    results.commit([final_row(start, {"gate": "a", "n": 3}) for start in (0, 5)])
    drop(results, late(7, 0), late(2, 1))
    work = counting(results, [definition(hop=5)], one=RunFacts(2, 0, begun=False))
    assert [each.dropped for each in charted(results, dropped=work).points] == [2, 1]
    assert charted(results, dropped=work).dropped_elsewhere == 1  # the row at 2 is in the window from -5 too


def test_later_runs_with_the_same_state_count_too(results: StoredResults) -> None:
    first = StoredResults(results.folder.with_name("two-runs"), FIELDS, restart=0)
    first.commit([final_row(0, {"gate": "a", "n": 3})])
    first.run = "two"
    drop(first, late(3, 0))
    work = counting(first, [definition()], one=FACTS, two=RunFacts(1, 0, begun=False))
    assert [each.dropped for each in charted(first, dropped=work).points] == [1]


def started_again(results: StoredResults) -> dict[str, RunFacts]:
    results.run, results.restart = "two", results.batch
    results.commit([final_row(0, {"gate": "a", "n": 4})])
    return {"two": FACTS}


def with_restart(tmp_path: Path) -> StoredResults:
    results = StoredResults(tmp_path / "again", FIELDS, restart=0)
    results.commit([final_row(0, {"gate": "a", "n": 3})])
    return results


def test_a_start_without_state_makes_all_runs_unknown_and_each_one_known(tmp_path: Path) -> None:
    results = with_restart(tmp_path)
    drop(results, late(3, 0))
    runs = {"one": RunFacts(1, 0, begun=False), **started_again(results)}
    work = counting(results, [definition()], **runs)
    whole = charted(results, run=None, dropped=work)
    assert (whole.unknown, whole.repeats) == (dropped.RESTARTED, True)
    assert [each.dropped for each in charted(results, run="one", dropped=work).points] == [1]
    assert [each.dropped for each in charted(results, run="two", dropped=work).points] == [0]
    assert charted(results, run="two", dropped=work).repeats is False


def resumed(tmp_path: Path) -> StoredResults:
    results = with_restart(tmp_path)
    results.run = "two"
    results.commit([final_row(10, {"gate": "a", "n": 4})])
    return results


@pytest.mark.parametrize(
    ("definitions", "two", "reason"),
    [
        ([definition(), definition("fee > 2")], RunFacts(0, 1, begun=False), dropped.OTHER_VERSIONS),
        ([definition()], RunFacts(0, 0, begun=True), dropped.PARTLY),
        ([definition()], RunFacts(None, 0, begun=False), dropped.NO_TOTAL),
        ([definition(), RunQuery("{}", {})], RunFacts(0, 1, begun=False), dropped.UNREADABLE),
    ],
)
def test_runs_that_judge_rows_differently_are_not_added_up(
    tmp_path: Path, definitions: list[RunQuery], two: RunFacts, reason: str
) -> None:
    assert unknown(resumed(tmp_path), *definitions, run=None, two=two) == reason


def test_runs_from_before_restarts_were_recorded_are_not_known(results: StoredResults) -> None:
    results.run = "two"
    results.commit([final_row(10, {"gate": "a", "n": 4})])
    assert unknown(results, two=FACTS) == dropped.NEVER_RECORDED


def test_a_run_without_any_record_is_not_known(results: StoredResults) -> None:
    work = counting(results, [definition()])
    assert charted(results, dropped=work).unknown == dropped.NO_TOTAL


def test_deleted_rows_of_quarantine_make_the_count_unknown(results: StoredResults) -> None:
    drop(results, late(3, 0), late(4, 1))
    assert counts(results, quarantined=2) == [2, 0]
    remove(results.folder, "late", committed_spans(results.folder)[-1].last)
    facts = RunFacts(2, 0, begun=False)
    assert unknown(results, one=facts) == "2 late or malformed rows of these runs are no longer stored"


def test_the_newest_commit_reports_rows_that_the_copied_report_lacks(results: StoredResults) -> None:
    results.commit([], cti=0)
    path = results.folder / "commits" / "1.json"
    commit: Mapping[str, Any] = json.loads(path.read_text())
    path.write_text(json.dumps({**commit, "totals": {"run": "one", "of_run": True, "quarantined": 1}}))
    assert unknown(results) == "1 late or malformed row of these runs is no longer stored"


def test_late_rows_that_were_kept_count_where_they_have_one_window_only(tmp_path: Path, results: StoredResults) -> None:
    drop(results, late(3, 0, outcome="late_kept"))
    assert counts(results) == [0, 0]
    hopping = counting(results, [definition(hop=5)], one=FACTS)
    assert charted(results, dropped=hopping).unknown == dropped.KEPT_LATE


def test_more_late_rows_than_are_read_are_not_known(results: StoredResults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dropped, "MOST_LATE", 2)
    drop(results, *(late(3, position) for position in range(3)))
    assert unknown(results, one=RunFacts(3, 0, begun=False)) == "more than 2 late rows are stored"
