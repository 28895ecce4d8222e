"""A footprint of an input on another server."""

import uuid
from collections.abc import Iterable
from datetime import UTC, datetime

from tests.webapp.resources import OwnThings, Resource
from tests.webapp.stage import Asked, Case, Some, Stage
from webapp.core.context import organisation_context
from webapp.runs.models import InputFootprint

WHERE = "PostgreSQL at db.example:5432, database sales"


def _left(name: str) -> InputFootprint:
    """That of a binding which is deleted."""
    options = {"host": "db.example", "database": "sales", "user": "punctual", "table": "cars"}
    at = datetime(2026, 11, 21, tzinfo=UTC)
    return InputFootprint(
        binding=uuid.uuid4(),
        binding_name=name,
        node="cars",
        stream=uuid.uuid4(),
        stream_name="cars",
        adapter={"kind": "postgresql_changes", "options": options},
        where=WHERE,
        noted_at=at,
        due_at=at,
    )


def _one(things: OwnThings) -> str:
    left = _left(things.mark)
    with organisation_context(things.person.organisation.pk):
        left.save()
    return str(left.pk)


def _rows(numbers: range) -> Iterable[InputFootprint]:
    return [_left(f"watch_{number:03}") for number in numbers]


def _put_aside(stage: Stage) -> Asked:
    left = _left("watch")
    with organisation_context(stage.alice.organisation.pk):
        left.save()
    return f"footprints/{left.pk}/", None


FOOTPRINT = Resource(
    "footprint",
    _one,
    _rows,
    lists={"footprints/": "what inputs leave on other servers"},
    writes={
        ("footprints/<uuid:footprint>/", "delete"): Case(
            "footprint.put_aside", _put_aside, "watch", Some({"where": WHERE})
        )
    },
)
