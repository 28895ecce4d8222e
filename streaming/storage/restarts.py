"""Restarts of a binding without state in its commits: such a run may emit all earlier results again.

Each entry of `Commit.runs` has the batch of the last one (`RunBatches.restart`), also after commits were merged or the
results of the restart's batch were deleted. In entries from before this was recorded, a change of runs is judged by the
start of the run and by the CTIs.
"""

from collections.abc import Mapping
from typing import Any

from streaming.storage.results import (
    Commit,
    DamagedFile,
    ResultFolder,
    RunBatches,
    batches_with,
    commit_before,
    runs_of,
    span_of,
)
from streaming.temporal.ticks import INFINITY
from streaming.wire.beginning import RunBeginning, drops


def restart_at(commit: Commit | None, batch: int) -> int | None:
    """Return the batch of the last restart up to `batch` of `commit`; None where it isn't recorded."""
    batches = None if commit is None else batches_with(commit, batch)
    return None if batches is None else batches.restart


def restart_before(folder: ResultFolder, batch: int) -> int | None:
    """Return the batch of the last restart before `batch`; None where it isn't recorded. Raises `OSError`."""
    try:
        commit = commit_before(folder, batch)
    except DamagedFile:
        return None
    return None if commit is None else restart_at(commit, commit.batch)


def emits_again(beginning: RunBeginning | None) -> bool:
    """Return whether a run that starts without state may emit earlier results again; None: it has no beginning."""
    return beginning is None or (drops(beginning.how) and beginning.how != "now")


def resumes_at(before: int, cti: int | None) -> bool:
    """Return whether a run with the CTI `cti` (None: none yet) may have resumed from kept state, with CTI `before`.

    Such a run never lowers a CTI, and after the end of everything (INFINITY) no run has kept state.
    """
    return before != INFINITY and cti is not None and cti >= before


def with_restarts(before: Commit | None, commit: Commit) -> list[RunBatches]:
    """Return the runs of `commit`, which follows `before`, with what the two show together, before they are merged.

    A merged commit no longer has the CTI after the first batch of a run.
    """
    runs = list(runs_of(commit))
    last = None if before is None else batches_with(before, before.batch)
    if before is None or last is None or not runs or runs[0].restart is not None:
        return runs
    first, restart = runs[0], last.restart
    if first.first != span_of(commit).first:
        return runs
    if first.run != last.run:
        if not before.totals or commit.totals.get("run") != first.run:
            return runs  # the results were deleted, or only the CTI of a later run is left
        restart = first.first if _starts_over(before.totals, commit.totals) else restart
    return [first.model_copy(update={"restart": restart}), *runs[1:]]


def _starts_over(before: Mapping[str, Any], totals: Mapping[str, Any]) -> bool:
    beginning = totals.get("beginning")
    if beginning is not None and beginning != before.get("beginning"):
        return emits_again(RunBeginning.model_validate(beginning))
    ctis = {output: INFINITY if cti is None else cti for output, cti in totals.get("output_ctis", {}).items()}
    earlier = before.get("output_ctis", {}).items()
    return not all(resumes_at(INFINITY if cti is None else cti, ctis.get(output)) for output, cti in earlier)
