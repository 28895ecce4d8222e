"""Incidents of bindings."""

from collections.abc import Iterable
from unittest.mock import ANY

from tests.webapp.resources import OwnThings, Resource
from tests.webapp.stage import Asked, Case, Some, Stage
from webapp.alerts.models import Incident
from webapp.core.context import organisation_context


def _one(things: OwnThings) -> str:
    with organisation_context(things.person.organisation.pk):
        found = Incident.objects.filter(binding=things.binding).first()
    if found is not None:
        return str(found.pk)
    return things.made("incidents/", {"binding": things.binding, "title": things.mark})


def _rows(numbers: range) -> Iterable[Incident]:
    times = {"begin": 0, "opened_at": 0, "resolved_at": 1}
    return [Incident(number=n + 1, title=f"loss {n}", opened_by="alice", **times) for n in numbers]


def _opened(stage: Stage) -> Asked:
    return "incidents/", {"binding": stage.binding["id"], "title": "Rows lost"}


def _open(stage: Stage) -> str:
    return f"incidents/{stage.made(*_opened(stage))['id']}/"


OPEN = {
    "number": 1,
    "binding": "watch",
    "title": "Rows lost",
    "begin": ANY,
    "taken_by": "",
    "resolved_at": None,
    "resolution": "",
}
LABEL = "#1 Rows lost of watch"

INCIDENT = Resource(
    "incident",
    _one,
    _rows,
    lists={"incidents/": "incidents, in pages"},
    writes={
        ("incidents/", "post"): Case("incident.opened", _opened, LABEL, None, OPEN),
        ("incidents/<uuid:incident>/take/", "post"): Case(
            "incident.taken", lambda stage: (f"{_open(stage)}take/", None), LABEL, {"taken_by": ""}, {"taken_by": ANY}
        ),
        ("incidents/<uuid:incident>/resolve/", "post"): Case(
            "incident.resolved",
            lambda stage: (f"{_open(stage)}resolve/", {"resolution": "rolled back"}),
            LABEL,
            Some({"resolved_at": None}),
            Some({"resolution": "rolled back"}),
        ),
    },
)
