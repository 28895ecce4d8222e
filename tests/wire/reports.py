"""Progress reports for tests."""

from typing import Any

from streaming.wire.progress import LATENESS_BUCKETS, VERSION, InputCounts, ProgressReport


def counts(**fields: Any) -> InputCounts:
    """Return the counts of an input: zero, apart from `fields`."""
    nothing = {
        "received": 0,
        "outcomes": {},
        "reasons": {},
        "lateness": [0] * LATENESS_BUCKETS,
        "cti": None,
        "ended": False,
        "largest_start": None,
    }
    return InputCounts(**{**nothing, **fields})


def report(run: str, batch: int, **fields: Any) -> ProgressReport:
    """Return a report of `batch`, made at the tick of that number, of a run without inputs, apart from `fields`."""
    nothing = {
        "kind": "progress",
        "version": VERSION,
        "at": batch,
        "inputs": {},
        "output_ctis": {},
        "results": 0,
        "quarantined": 0,
        "recent_results": [],
        "recent_late": [],
        "batch_s": 0.1,
        "of_run": True,
    }
    return ProgressReport(**{**nothing, "run": run, "batch": batch, **fields})
