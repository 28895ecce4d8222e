"""Plans that wait for a confirmation."""

from collections.abc import Iterable
from datetime import timedelta

from django.utils import timezone

from tests.webapp.resources import OwnThings, Resource
from tests.webapp.stage import Asked, Case, Some, Stage
from webapp.confirmations.models import Confirmation
from webapp.core.context import organisation_context


def _planned(title: str) -> Confirmation:
    now = timezone.now()
    return Confirmation(
        kind="stop",
        title=title,
        settings={"flush": False, "discard": False},
        sentences=[],
        changes=[],
        state="0",
        permission="operate",
        status="pending",
        holder="0",
        requested_by="alice@acme.example",
        requested_at=now,
        expires_at=now + timedelta(hours=1),
    )


def _one(things: OwnThings) -> str:
    made = _planned(things.mark)
    with organisation_context(things.person.organisation.pk):
        made.save()
    return str(made.pk)


def _rows(numbers: range) -> Iterable[Confirmation]:
    return [_planned(f"Stop watch_{number:03}") for number in numbers]


def _start(stage: Stage) -> Asked:
    return "confirmations/", {"kind": "start", "binding": stage.binding["id"]}


def _pending(stage: Stage) -> str:
    return f"confirmations/{stage.made(*_start(stage))['id']}/"


def _confirmed(stage: Stage) -> Asked:
    path = _pending(stage)
    stage.made(f"{path}decision/", {"confirm": True})
    return f"{path}carry-out/", {}


CONFIRMATION = Resource(
    "confirmation",
    _one,
    _rows,
    lists={"confirmations/": "plans, newest first"},
    writes={
        ("confirmations/", "post"): Case(
            "confirmation.requested", _start, "Start watch", None, Some({"kind": "start", "status": "pending"})
        ),
        ("confirmations/<uuid:confirmation>/decision/", "post"): Case(
            "confirmation.refused",
            lambda stage: (f"{_pending(stage)}decision/", {"confirm": False}),
            "Start watch",
            {"status": "pending", "decided_by": ""},
            {"status": "refused", "decided_by": "alice@acme.example"},
        ),
        ("confirmations/<uuid:confirmation>/carry-out/", "post"): Case(
            "confirmation.carried_out",
            _confirmed,
            "Start watch",
            {"status": "confirmed"},
            {"status": "carried_out"},
            also=("run.started",),
        ),
    },
)
