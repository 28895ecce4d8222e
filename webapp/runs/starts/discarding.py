"""Discarded state: its consequences for the next start, even if a runner has not received the discard."""

from typing import Final

from streaming.wire.beginning import BeginAt
from webapp.core.errors import Conflict
from webapp.runs.access import NEWEST_FIRST
from webapp.runs.models import Binding, Run, RunEvent
from webapp.runs.states import Observed

GONE: Final = (
    "The state of the last run was discarded, so its open windows can't be restored. Start at its read position, now, "
    "at a time, at positions, or from the beginning."
)


def state_is_dropped(binding: Binding) -> bool:
    """Return whether a start of `binding` now may not resume the state that earlier runs left.

    True after a run that was stopped with `discard`, until a later run has started reading: a start that failed before
    that finds that state if the runner was dead and could not remove it.
    """
    last = Run.objects.filter(binding=binding).order_by(*NEWEST_FIRST).first()
    if last is None or last.discard:
        return last is not None
    return last.read_spec().after_discard and not _has_begun(last)


def begin_after(begin: BeginAt | None, *, dropped: bool) -> BeginAt | None:
    """Return the start position for a run that was requested to begin at `begin`: the beginning, if dropped and None.

    Raises `Conflict` for a position that needs the discarded state.
    """
    if dropped and begin in ("oldest_open", "carried_over"):
        raise Conflict(GONE)
    return "beginning" if dropped and begin is None else begin


def _has_begun(run: Run) -> bool:
    return run.progress is not None or RunEvent.objects.filter(run=run, observed=Observed.RUNNING).exists()
