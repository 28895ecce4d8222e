"""What a runner tells of its runs beside their states becomes entries of their journals, once each."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import redis
from django.db import transaction
from pydantic import ValidationError

from streaming.wire import keys
from streaming.wire.messages import RunIncident
from webapp.runs.lifecycle.journal import RunEventKind, note
from webapp.runs.models import Run, RunEvent

logger = logging.getLogger(__name__)

_TAKEN_AT_ONCE: Final = 1_000
_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)
CARRIED: Final[Mapping[str, str]] = {
    "shared": "With all that it keeps, by a savepoint: to the streaming query that carries the organisation's runs.",
    "dedicated": "With all that it keeps, by a savepoint: to a streaming query of its own.",
    "pooled": "With all that it keeps, by a savepoint: to the streaming query of a runner that organisations share.",
    "apart": "With all that it keeps, by a savepoint: to a second streaming query of the shared runner, for it held "
    "the others up.",
}
DIED: Final[Mapping[str, str]] = {
    "alone": "It computed this run alone, so this run is suspected: the batch is repeated, this run apart from others.",
    "among": "It computed this run and others at the same time: the batch is repeated, each of these apart.",
    "again": "It computed this run alone, and not for the first time in this batch: the batch is repeated without it, "
    "and it fails.",
    "beside": "It computed other runs than this one: the batch is repeated, and this run goes on.",
}


def take_incidents(connection: "redis.Redis", organisation: UUID) -> None:
    """Write what runners of the organisation in context have told into the journals; what was written is taken away."""
    stream = keys.incidents(str(organisation))
    taken: list[bytes] = []
    told: Any = connection.xrange(stream, count=_TAKEN_AT_ONCE)
    for entry, fields in told:
        taken.append(entry)
        try:
            incident = RunIncident.model_validate_json(fields[b"incident"])
            run = Run.objects.filter(pk=UUID(incident.run)).first()
            at = _BEGINNING + timedelta(microseconds=incident.at)
        except (ValidationError, ValueError, KeyError, OverflowError):
            logger.exception("organisation %s: the runner told of an incident that cannot be read", organisation)
            continue
        if run is not None:
            _write(run, incident, at)
    if taken:
        connection.xdel(stream, *taken)


def _write(run: Run, incident: RunIncident, at: datetime) -> None:
    """Write an entry, unless a turn that was interrupted has done so."""
    kind = RunEventKind.CARRIED if incident.what == "carried" else RunEventKind.WORKER
    message = CARRIED[incident.place] if incident.place is not None else DIED[incident.died or "beside"]
    with transaction.atomic():
        if not RunEvent.objects.filter(run=run, kind=kind, at=at).exists():
            note(run, kind, message=message, at=at)
