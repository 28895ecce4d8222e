"""The liveness of an organisation's runner, checked whenever a state is shown: the reconciler itself may be dead."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from streaming.wire import keys
from streaming.wire.message import RELEASE
from streaming.wire.messages import RunnerLease
from streaming.wire.messages import read_lease as lease_in
from webapp.runs.lifecycle.state_events import RunState, state_of
from webapp.runs.models import Run
from webapp.runs.states import CARRIED, Observed

PATIENCE_S: Final = 2.0
UNHEARD: Final = "its runner stopped responding. It is being restarted."
NEWER_RUNNER: Final = (
    "Its runner is of a newer release than this web application, which can't read all that the runner reports "
    f"(this is release {RELEASE}). The run continues. Update the web application to see the rest."
)
UNASKED: Final = "this installation's Redis server can't be reached, so the runner's state can't be read."


@dataclass(frozen=True)
class Liveness:
    """The lease of a runner, None without one; not `asked` if Redis did not answer."""

    lease: RunnerLease | None
    asked: bool = True


def impatient_redis() -> "redis.Redis":
    """Return a connection for a page, which must not wait for Redis: one attempt of PATIENCE_S."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=PATIENCE_S,
        socket_connect_timeout=PATIENCE_S,
        retry=Retry(NoBackoff(), 0),
    )


def liveness(organisation: str) -> Liveness:
    """Return the lease of the organisation's runner; it expires after LEASE_TTL_S without a heartbeat."""
    try:
        with impatient_redis() as connection:
            return read_lease(connection.get(keys.lease(organisation)))
    except redis.exceptions.RedisError:
        return Liveness(None, asked=False)


def read_lease(content: str | bytes | None) -> Liveness:
    """Read the content of the lease's key; an unreadable lease belongs to a newer runner, which is alive."""
    return Liveness(None if content is None else lease_in(content))


def as_heard(state: RunState, alive: Liveness, *, last_report: int | None = None) -> RunState:
    """Return `state` as shown to users: unknown while its runner is silent, recovering until a new runner reports it.

    `last_report`: the time of the run's last report, in ticks; the state is unknown from then on.
    """
    if state.ended_at is not None:
        return state
    changed = datetime.fromisoformat(state.changed_at)
    if state.observed in CARRIED and alive.lease is None:
        since = changed if last_report is None else max(changed, _moment(last_report))
        why = UNHEARD if alive.asked else UNASKED
        return _since(state, Observed.LOST, since, "internal", f"Unknown since {since:%H:%M:%S} UTC: {why}")
    if state.observed in CARRIED and alive.lease is not None and alive.lease.unread and state.message is None:
        return state.model_copy(update={"domain": "internal", "message": NEWER_RUNNER})
    waits = state.observed in {Observed.RUNNING, Observed.LOST}
    if waits and alive.lease is not None and taken_over(alive.lease, changed):
        return _since(state, Observed.RECOVERING, _moment(alive.lease.started_at), None, recovering(alive.lease))
    return state


def state_now(run: Run, alive: Liveness | None = None) -> RunState:
    """Return the state of `run` as shown to users; `alive`: the state of its runner, queried now if None."""
    state = state_of(run)
    if run.ended_at is not None:
        return state
    last = None if run.progress is None else int(run.progress["at"])
    return as_heard(state, alive or liveness(str(run.organisation_id)), last_report=last)


def taken_over(lease: RunnerLease | None, changed: datetime) -> bool:
    """Return whether the present runner was started after a run's last change of state, so has not reported on it."""
    return lease is not None and _moment(lease.started_at) > changed


def recovering(lease: RunnerLease | None) -> str | None:
    """Return the sentence for a run that a runner takes up again; None without a readable lease."""
    if lease is None or lease.unread:
        return None
    since = _moment(lease.started_at)
    return f"Its runner, started at {since:%H:%M:%S} UTC, is restoring the run's state. No result is lost or doubled."


def _since(state: RunState, observed: Observed, since: datetime, domain: str | None, message: str | None) -> RunState:
    changed = {"observed": observed, "changed_at": since.isoformat(), "domain": domain, "message": message}
    return state.model_copy(update=changed)


def _moment(tick: int) -> datetime:
    return datetime.fromtimestamp(tick / 1_000_000, UTC)
