"""The history of a run over HTTP: its totals over time, and the periods that have data."""

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

import redis
from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.core.api import answer
from webapp.core.errors import ErrorEnvelope, Faulty, faults_of
from webapp.monitoring.reading import TICKS_PER_S, RunSample, newest_in_steps
from webapp.monitoring.rollups import KEPT, batches_since, kept_samples, unwritten
from webapp.runs.access import access_run
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Run

REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}
LONGEST_S: Final = round(KEPT[60].total_seconds())
BATCHES_S: Final = 300
"""A range of at most so many seconds has one sample per batch, as far as Redis still has the reports."""
LATELY_S: Final = 60
"""The last so many seconds of a longer range also do, so the last minute shows the same figures in every range."""
MOST_SAMPLES: Final = 1_500
STEPS_S: Final = (10, 60, 120, 300, 600, 1_800, 3_600)


class HistoryQuery(Strict):
    """The requested period: so many seconds until now, or until the run's end."""

    seconds: Annotated[int, Field(ge=1, le=LONGEST_S)] = 300


class KnownSpan(Strict):
    """A period, in ticks, in which everything that the run did is recorded."""

    begin: int
    end: int


class RunHistory(Strict):
    """The totals of a run over `[begin, end)`, in ticks of the wall clock; `now` is the server's clock.

    `samples` are in order and include the one before the range. Totals only rise, so their difference is what happened
    between two samples. There is at most one sample for each `step_s` seconds (0: one for each batch), and one for each
    batch from tick `fine_from` on. Outside the periods in `known` the run may have done anything; inside them, no
    sample means that no row arrived. Continue with `events/` from `entry`.
    """

    now: int
    begin: int
    end: int
    step_s: int
    fine_from: int
    samples: list[RunSample]
    known: list[KnownSpan]
    entry: str


class HistoryView(TenantView):
    """The history of a run."""

    @extend_schema(
        operation_id="runs_history",
        parameters=[
            OpenApiParameter(
                "seconds",
                int,
                description=f"The last so many seconds before now or the end, 1 to {LONGEST_S}; default 300.",
            )
        ],
        responses={200: RunHistory, 422: ErrorEnvelope} | REFUSALS,
    )
    def get(self, request: Request, slug: str, run: UUID) -> Response:
        """Return the totals of a run over time: by 10 s for a day, by the minute for 30 days, the newest by batches."""
        raw = request.query_params.dict()
        try:
            asked = HistoryQuery.model_validate(raw, strict=False)
        except ValidationError as error:
            raise Faulty(faults_of(error, raw)) from None
        return answer(history_of(access_run(run), asked.seconds, timezone.now()))


def history_of(run: Run, seconds: int, now: datetime) -> RunHistory:
    """Return the history of the last `seconds` of `run`, including reports that no rollup holds yet.

    Without Redis those reports are missing, and their period isn't `known`.
    """
    with redis.Redis.from_url(settings.REDIS_URL) as connection:
        reading, tail = unwritten(connection, run, now)
        newest = max([ticks_of(run.ended_at or now), *(sample.at for sample in tail)])
        begin, step = newest - seconds * TICKS_PER_S, _step(seconds)
        fine_from = begin if step == 0 else max(begin, newest - LATELY_S * TICKS_PER_S)
        batches = batches_since(connection, run, fine_from, MOST_SAMPLES)
    samples = {sample.at: sample for sample in kept_samples(run, begin, newest, max(step, 10))}
    samples |= {sample.at: sample for sample in (*newest_in_steps(tail, max(step, 10)).values(), *batches)}
    fine_from = batches[0].at if batches else newest + 1  # reports that Redis has lost remain only in steps
    if reading.base is not None:
        samples[reading.base.at] = reading.base
    known = [KnownSpan(begin=max(a, begin), end=min(b, newest)) for a, b in reading.known if b > begin and a < newest]
    return RunHistory(
        now=ticks_of(now),
        begin=begin,
        end=newest,
        step_s=step,
        fine_from=fine_from,
        samples=_from(begin, [samples[at] for at in sorted(samples)]),
        known=known,
        entry=reading.entry,
    )


def _step(seconds: int) -> int:
    if seconds <= BATCHES_S:
        return 0
    return next((step for step in STEPS_S if seconds / step <= MOST_SAMPLES), STEPS_S[-1])


def _from(begin: int, samples: list[RunSample]) -> list[RunSample]:
    """Return the samples from the last one before `begin` on, so that the first change in the range has a base."""
    first = next((index for index, sample in enumerate(samples) if sample.at >= begin), len(samples))
    return samples[max(0, first - 1) :]
