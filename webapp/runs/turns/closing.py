"""The stop of all runs when an owner requests the deletion of the organisation."""

from typing import Any

from django.dispatch import receiver

from webapp.accounts.organisations import deletion_asked
from webapp.runs.models import Run
from webapp.runs.starts.services import stop
from webapp.runs.states import Desired


@receiver(deletion_asked)
def stop_all(**_: Any) -> None:
    """Ask every open run of the organisation in context to stop, in the transaction of the deletion request."""
    runs = Run.objects.filter(ended_at__isnull=True, desired=Desired.RUNNING).select_related("binding")
    for run in runs.select_for_update(of=("self",), no_key=True):
        stop(binding=run.binding, flush=False)
