"""State that was thrown away: what the next start has to know of that, whatever runners have heard."""

from typing import Final

from streaming.wire.beginning import BeginAt
from webapp.core.errors import Conflict
from webapp.runs.models import Binding, Run, RunEvent
from webapp.runs.states import Observed

GONE: Final = (
    "The state of the last run was thrown away, so nothing is known of what was open. Begin where it had read to, now, "
    "at a time, at positions, or at the beginning."
)


def state_is_dropped(binding: Binding) -> bool:
    """Whether a start of `binding` now may not go on with what is found of earlier runs.

    That is so after a run that was stopped with `discard`, until another one has begun behind it: a start that failed
    before it began finds what that run left, if its runner was dead and could not remove it.
    """
    last = Run.objects.filter(binding=binding).order_by("-created_at", "-pk").first()
    if last is None or last.discard:
        return last is not None
    return last.read_spec().after_discard and not _has_begun(last)


def begin_after(begin: BeginAt | None, *, dropped: bool) -> BeginAt | None:
    """Return where a run begins that was asked to begin at `begin`; after a discard at the beginning if nobody says.

    Raises `Conflict` for what was thrown away.
    """
    if dropped and begin in ("oldest_open", "carried_over"):
        raise Conflict(GONE)
    return "beginning" if dropped and begin is None else begin


def _has_begun(run: Run) -> bool:
    return run.progress is not None or RunEvent.objects.filter(run=run, observed=Observed.RUNNING).exists()
