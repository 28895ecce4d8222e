"""Copies the incidents that runners report, other than states, into the journals of runs, once each."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import redis
from django.db import transaction
from pydantic import ValidationError

from streaming.wire import keys
from streaming.wire.message import RELEASE
from streaming.wire.messages import RunIncident
from webapp.runs.lifecycle.journal import RunEventKind, note
from webapp.runs.models import Run, RunEvent

logger = logging.getLogger(__name__)

_TAKEN_AT_ONCE: Final = 1_000
_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)
CARRIED: Final[Mapping[str, str]] = {
    "shared": "Moved, with all of its state, to the streaming query that carries the organisation's runs.",
    "dedicated": "Moved, with all of its state, to a streaming query of its own.",
    "pooled": "Moved, with all of its state, to the streaming query of a runner that organisations share.",
    "apart": "Moved, with all of its state, to a second streaming query of the shared runner, because it slowed down "
    "the others.",
}
DIED: Final[Mapping[str, str]] = {
    "alone": "The process was computing only this run, so this run may be the cause. The batch is repeated with this "
    "run apart from the others.",
    "among": "The process was computing this run and others. The batch is repeated with each of them apart.",
    "again": "The process was computing only this run, and not for the first time in this batch. The batch is repeated "
    "without it, and the run fails.",
    "beside": "The process was computing other runs. The batch is repeated, and this run continues.",
}


UNREAD: Final = (
    "Its runner, of release {runner}, can't read the settings that this web application, of release {web}, wrote for "
    "it. The run continues as it was. End the runner (manage.py stoprunners): the next one, of release {web}, resumes "
    "the run with its new settings."
)


def take_incidents(connection: "redis.Redis", organisation: UUID) -> None:
    """Copy the incidents that runners of the organisation in context reported into journals, and delete them."""
    stream = keys.incidents(str(organisation))
    taken: list[bytes] = []
    reported: Any = connection.xrange(stream, count=_TAKEN_AT_ONCE)
    for entry, fields in reported:
        taken.append(entry)
        try:
            incident = RunIncident.model_validate_json(fields[b"incident"])
            run = Run.objects.filter(pk=UUID(incident.run)).first()
            at = _BEGINNING + timedelta(microseconds=incident.at)
        except (ValidationError, ValueError, KeyError, OverflowError):
            logger.exception("organisation %s: the runner reported an incident that cannot be read", organisation)
            continue
        if run is not None:
            _write(run, incident, at)
    if taken:
        connection.xdel(stream, *taken)


def _write(run: Run, incident: RunIncident, at: datetime) -> None:
    """Write an entry, unless an interrupted turn has already written it."""
    kind, message = _entry(incident)
    with transaction.atomic():
        if not RunEvent.objects.filter(run=run, kind=kind, at=at).exists():
            note(run, kind, message=message, at=at)


def _entry(incident: RunIncident) -> tuple[RunEventKind, str]:
    if incident.what == "unread":
        return RunEventKind.TOLD, UNREAD.format(runner=incident.release or "unknown", web=RELEASE)
    if incident.place is not None:
        return RunEventKind.CARRIED, CARRIED[incident.place]
    return RunEventKind.WORKER, DIED[incident.died or "beside"]
