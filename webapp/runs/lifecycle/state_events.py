"""Announcements of run states to the pages that watch them."""

from collections.abc import Mapping
from typing import Any

import redis
from django.conf import settings
from django.db import transaction
from pydantic import Field

from streaming.wire.message import Message
from webapp.runs.lifecycle.starting import StartStep, steps_of
from webapp.runs.models import Run
from webapp.runs.states import Desired, Observed

KEPT = 100
KEPT_S = 7 * 24 * 3600


class RunState(Message):
    """The state of a run as the page shows it. `domain` is who must act, `message` the sentence for the user."""

    run: str
    desired: Desired
    observed: Observed
    domain: str | None
    message: str | None
    changed_at: str
    ended_at: str | None
    steps: list[StartStep] = Field(default_factory=list)


def states_key(organisation: str, run: str) -> str:
    """Redis stream of RunState under the field `state`; the web application alone writes and reads it."""
    return f"punctual:{organisation}:run:{run}:states"


def state_of(run: Run) -> RunState:
    """Return the state of `run`."""
    return RunState(
        run=str(run.pk),
        desired=Desired(run.desired),
        observed=Observed(run.observed),
        domain=run.domain,
        message=run.message,
        changed_at=run.changed_at.isoformat(),
        ended_at=None if run.ended_at is None else run.ended_at.isoformat(),
        steps=steps_of(run),
    )


def state_of_row(row: Mapping[str, Any]) -> RunState:
    """Return the state in a row of the fields of runs, without its steps."""
    ended = row["ended_at"]
    return RunState(
        run=str(row["pk"]),
        desired=row["desired"],
        observed=row["observed"],
        domain=row["domain"],
        message=row["message"],
        changed_at=row["changed_at"].isoformat(),
        ended_at=None if ended is None else ended.isoformat(),
    )


def announce(run: Run) -> None:
    """Publish the state of `run` once it is committed; without Redis a page sees it when it reloads."""
    key, state = states_key(str(run.organisation_id), str(run.pk)), state_of(run).model_dump_json()

    def publish() -> None:
        with redis.Redis.from_url(settings.REDIS_URL) as connection, connection.pipeline() as together:
            together.xadd(key, {"state": state}, maxlen=KEPT, approximate=True)
            together.expire(key, KEPT_S)
            together.execute()

    transaction.on_commit(publish, robust=True)
