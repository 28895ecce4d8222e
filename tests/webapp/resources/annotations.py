"""Notes about bindings."""

from collections.abc import Iterable
from datetime import UTC, datetime
from unittest.mock import ANY

from tests.webapp.resources import OwnThings, Resource
from tests.webapp.stage import Asked, Case, Stage
from webapp.alerts.models import Annotation

AT = datetime(2026, 11, 21, tzinfo=UTC)


def _one(things: OwnThings) -> str:
    return things.made("annotations/", {"binding": things.binding, "text": things.mark})


def _rows(numbers: range) -> Iterable[Annotation]:
    return [Annotation(begin=n, text=f"release {n}", by_label="alice", created_at=AT) for n in numbers]


def _written(stage: Stage) -> Asked:
    return "annotations/", {"binding": stage.binding["id"], "text": "release 7"}


def _deleted(stage: Stage) -> Asked:
    path, body = _written(stage)
    return f"annotations/{stage.made(path, body)['id']}/", None


WRITTEN = {"binding": "watch", "begin": ANY, "end": None, "text": "release 7"}

ANNOTATION = Resource(
    "annotation",
    _one,
    _rows,
    lists={"annotations/": "notes about bindings, in pages"},
    writes={
        ("annotations/", "post"): Case("annotation.created", _written, "watch", None, WRITTEN),
        ("annotations/<uuid:annotation>/", "delete"): Case("annotation.deleted", _deleted, "watch", WRITTEN),
    },
)
