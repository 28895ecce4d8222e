"""Charts of stored results in this process, and quarantine as runners write it."""

from collections.abc import Sequence
from typing import Any

from streaming.storage.results import Commit, RunBatches
from streaming.wire.messages import LateEvent
from tests.webapp.exports.stored import StoredResults
from tests.wire.written import write_commit, write_part
from webapp.monitoring.charting.dropped import DroppedWork, RunFacts, RunQuery
from webapp.monitoring.charting.job import ChartOutcome, ChartWork, compute_chart

NOTHING_KNOWN = DroppedWork("", frozenset(), {}, [])


def charted(results: StoredResults, **changed: Any) -> ChartOutcome:
    scratch = results.folder.with_name("chart-scratch")
    scratch.mkdir(exist_ok=True)
    fixed: dict[str, Any] = {
        "folder": str(results.folder),
        "scratch": str(scratch),
        "output": None,
        "run": "one",
        "specification": {},
        "begin": None,
        "end": None,
        "kind": "bar",
        "x": "start",
        "bucket": None,
        "measure": "count",
        "of": None,
        "group": None,
        "dropped": NOTHING_KNOWN,
    }
    return compute_chart.function(ChartWork(**{**fixed, **changed}))


def drop(results: StoredResults, *rows: LateEvent) -> None:
    """Commit rows of quarantine in a batch of their own."""
    part = write_part(results.folder, "late", results.batch, 0, list(rows))
    runs = [RunBatches(run=results.run, first=results.batch, last=results.batch, restart=results.restart)]
    write_commit(results.folder, Commit(batch=results.batch, parts=[part], totals={"run": results.run}, runs=runs))
    results.batch += 1


def counting(
    results: StoredResults, definitions: Sequence[RunQuery], repaired: Sequence[str] = (), **runs: RunFacts
) -> DroppedWork:
    return DroppedWork(str(results.folder), frozenset(repaired), runs, definitions)
