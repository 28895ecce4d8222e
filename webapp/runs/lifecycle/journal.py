"""The journal of a run: its events, their times and authors; written in the transaction of each event."""

from datetime import datetime
from enum import StrEnum

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from webapp.core.context import current_actor
from webapp.runs.models import Run, RunEvent
from webapp.runs.states import Observed


class RunEventKind(StrEnum):
    """The kind of an event.

    `started`: somebody requested the run. `moved`: it entered another state. `began`: it reported its start position,
    if it did not resume with all its state. `changed`: a setting that it follows changed. `stop`: it was asked to stop.
    `told`: it reported what it waits for. `repaired`: rows were added to its results by a repair. `carried`: it moved
    to another streaming query. `worker`: a process that computed for its streaming query died.
    """

    STARTED = "started"
    MOVED = "moved"
    BEGAN = "began"
    CHANGED = "changed"
    STOP = "stop"
    TOLD = "told"
    REPAIRED = "repaired"
    CARRIED = "carried"
    WORKER = "worker"


def note(
    run: Run,
    kind: RunEventKind,
    *,
    message: str | None = None,
    observed: Observed | None = None,
    domain: str | None = None,
    at: datetime | None = None,
) -> None:
    """Write an entry, and delete the oldest where a run has more than PUNCTUAL_JOURNAL_EVENTS.

    Call it in the transaction of the event. The run's row is locked until that ends, so that numbers are given one
    by one.
    """
    list(Run.objects.select_for_update(of=("self",)).filter(pk=run.pk).values_list("pk"))
    actor = current_actor()
    number = (RunEvent.objects.filter(run=run).aggregate(last=Max("number"))["last"] or 0) + 1
    RunEvent(
        run=run,
        number=number,
        at=timezone.now() if at is None else at,
        kind=kind,
        observed=observed,
        domain=domain,
        who="" if actor.kind == "system" else actor.label,
        message=message or "",
    ).save()
    RunEvent.objects.filter(run=run, number__lte=number - settings.JOURNAL_EVENTS).delete()
