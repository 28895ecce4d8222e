"""The journal of a run: what happened to it, when, and by whom; written in the transaction of what happened."""

from datetime import datetime
from enum import StrEnum

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from webapp.core.context import current_actor
from webapp.runs.models import Run, RunEvent
from webapp.runs.states import Observed


class RunEventKind(StrEnum):
    """What happened.

    `started` somebody asked for the run; `moved` it came to another state; `began` it told how it began, where that is
    not with all its state; `changed` a setting that it follows; `stop` it was asked to stop; `told` it says what it
    waits for; `repaired` rows were taken back into its results; `carried` it goes on in another streaming query;
    `worker` a process that computed for its query died.
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

    Call it in the transaction of what happened. The run's row is locked until that ends, so that numbers are given one
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
