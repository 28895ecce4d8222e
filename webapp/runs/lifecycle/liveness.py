"""Whether the runner of an organisation lives, asked when a state is shown: the reconciler may be dead itself."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import redis
from django.conf import settings
from pydantic import ValidationError
from redis.backoff import NoBackoff
from redis.retry import Retry

from streaming.wire import keys
from streaming.wire.messages import RunnerLease
from webapp.runs.lifecycle.state_events import RunState, state_of
from webapp.runs.models import Run
from webapp.runs.states import CARRIED, Observed

PATIENCE_S: Final = 2.0
UNHEARD: Final = "its runner went silent. It is being started again."
UNASKED: Final = "the Redis server of this installation cannot be reached, and with it no word of the runner."


@dataclass(frozen=True)
class Liveness:
    """The lease of a runner, None where none is held; not `asked` where Redis did not answer."""

    lease: RunnerLease | None
    asked: bool = True


def liveness(organisation: str) -> Liveness:
    """Return whether the organisation's runner was heard of within LEASE_TTL_S."""
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL,
            socket_timeout=PATIENCE_S,
            socket_connect_timeout=PATIENCE_S,
            retry=Retry(NoBackoff(), 0),  # a page must not wait for what it can do without
        ) as connection:
            return read_lease(connection.get(keys.lease(organisation)))
    except redis.exceptions.RedisError:
        return Liveness(None, asked=False)


def read_lease(content: str | bytes | None) -> Liveness:
    """Return what the content of the lease's key says; one that cannot be read is none."""
    try:
        return Liveness(None if content is None else RunnerLease.model_validate_json(content))
    except ValidationError:
        return Liveness(None)


def as_heard(state: RunState, alive: Liveness, *, last_report: int | None = None) -> RunState:
    """Return `state` as it is to be shown: unknown while its runner is silent, recovering while a new one has not yet
    said that it runs. `last_report`: when the run reported last, in ticks; it is unknown since then.
    """
    if state.ended_at is not None:
        return state
    changed = datetime.fromisoformat(state.changed_at)
    if state.observed in CARRIED and alive.lease is None:
        since = changed if last_report is None else max(changed, _moment(last_report))
        why = UNHEARD if alive.asked else UNASKED
        return _since(state, Observed.LOST, since, "internal", f"Unknown since {since:%H:%M:%S} UTC: {why}")
    waits = state.observed in {Observed.RUNNING, Observed.LOST}
    if waits and alive.lease is not None and taken_over(alive.lease, changed):
        return _since(state, Observed.RECOVERING, _moment(alive.lease.started_at), None, recovering(alive.lease))
    return state


def state_now(run: Run, alive: Liveness | None = None) -> RunState:
    """Return the state of `run` as it is to be shown; `alive`: what is known of its runner, asked now if not given."""
    state = state_of(run)
    if run.ended_at is not None:
        return state
    last = None if run.progress is None else int(run.progress["at"])
    return as_heard(state, alive or liveness(str(run.organisation_id)), last_report=last)


def taken_over(lease: RunnerLease | None, changed: datetime) -> bool:
    """Whether the runner that lives was started after a run's state changed last: it has said nothing of it yet."""
    return lease is not None and _moment(lease.started_at) > changed


def recovering(lease: RunnerLease | None) -> str | None:
    """Return the sentence for a run that a runner takes up again; None where no lease says which."""
    if lease is None:
        return None
    since = _moment(lease.started_at)
    return (
        f"Its runner, started at {since:%H:%M:%S} UTC, reads back what the run had kept. No result is lost or doubled."
    )


def _since(state: RunState, observed: Observed, since: datetime, domain: str | None, message: str | None) -> RunState:
    changed = {"observed": observed, "changed_at": since.isoformat(), "domain": domain, "message": message}
    return state.model_copy(update=changed)


def _moment(tick: int) -> datetime:
    return datetime.fromtimestamp(tick / 1_000_000, UTC)
