"""Rollups of runs: written from the reports in Redis, deleted by age, read together with what is not written yet."""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

import redis
from django.db import transaction
from django.db.models import Q
from pydantic import ValidationError

from streaming.wire import keys
from streaming.wire.kept import shape_of
from streaming.wire.messages import ProgressReport, RunnerLease
from webapp.monitoring.models import RollupCursor, RunRollup
from webapp.monitoring.reading import (
    NO_ENTRY,
    TICKS_PER_S,
    Batch,
    Reading,
    RunSample,
    Watch,
    newest_in_steps,
    read_on,
    sample_of,
)
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Run
from webapp.runs.states import Observed

logger = logging.getLogger(__name__)

KEPT: Final = {10: timedelta(days=1), 60: timedelta(days=30)}
"""For how long the steps of so many seconds are kept."""
MOST: Final = 500
"""So many reports are read and written at a time."""
SETTLES: Final = timedelta(minutes=1)
"""A run that ended so long ago reports nothing more."""


def roll_up(connection: "redis.Redis", now: datetime) -> None:
    """Write what the runs of the organisation in context have reported since it was written last.

    Level-triggered: the cursor is kept with the rows, so that a turn that was missed, broken off or made twice changes
    nothing. Raises `redis.RedisError`.
    """
    recent = Q(ended_at__isnull=True) | Q(ended_at__gte=now - KEPT[60])
    for run in Run.objects.filter(recent).exclude(rollup_cursor__done=True):
        while _roll_up(connection, run, now):
            pass


def unwritten(connection: "redis.Redis", run: Run, now: datetime) -> tuple[Reading, list[RunSample]]:
    """Return how far the reports of `run` reach, and the samples that no rollup holds. Raises `redis.RedisError`."""
    reading = _reading(run)
    samples: list[RunSample] = []
    while True:
        batch = _reports_after(connection, run, reading.entry)
        reading = read_on(reading, batch, _watch(connection, run, now), _before(run))
        samples += [sample_of(report) for report in batch.reports]
        if len(batch.reports) < MOST:
            return reading, samples


def batches_since(connection: "redis.Redis", run: Run, begin: int, most: int) -> list[RunSample]:
    """Return a sample of each report since tick `begin` that Redis still has, the oldest first, at most so many.

    Raises `redis.RedisError`. Entries are named by the milliseconds at which they came.
    """
    key = keys.reports(str(run.organisation_id), str(run.pk))
    entries = _entries(connection, key, str(max(0, begin // 1_000)), most)
    return [sample_of(report) for report in _readable(run, entries)]


def forget_old(now: datetime) -> None:
    """Delete the rollups of the organisation in context whose time has passed."""
    for seconds, kept in KEPT.items():
        RunRollup.objects.filter(seconds=seconds, at__lt=ticks_of(now - kept)).delete()


def kept_samples(run: Run, begin: int, end: int, step: int) -> list[RunSample]:
    """Return what rollups hold of `[begin, end)`, at most one sample for each `step` of seconds, and the one before it.

    The finest that is kept is taken wherever it is: what is older than a day comes by the minute.
    """
    rows, minute = RunRollup.objects.filter(run=run), 60 * TICKS_PER_S
    fine = list(rows.filter(seconds=10, at__gte=begin, at__lte=end)) if step < 60 else []
    turn = fine[0].at - fine[0].at % minute if fine else end + 1
    coarse = list(rows.filter(seconds=60, at__gte=begin - begin % minute, at__lt=turn))
    earlier = list(rows.filter(seconds=60, at__lt=begin - begin % minute).order_by("-at")[:1])
    samples = [RunSample.model_validate(each.sample) for each in (*earlier, *coarse, *fine)]
    return sorted(newest_in_steps(samples, step).values(), key=lambda sample: sample.at)


def _roll_up(connection: "redis.Redis", run: Run, now: datetime) -> bool:
    """Write the next reports of `run`; whether there may be more."""
    old = _reading(run)
    batch = _reports_after(connection, run, old.entry)
    new = read_on(old, batch, _watch(connection, run, now), _before(run))
    forgotten = ticks_of(now - KEPT[60])
    new = new.model_copy(update={"known": [span for span in new.known if span[1] > forgotten]})
    done = run.ended_at is not None and now - run.ended_at >= SETTLES and not batch.reports
    if new == old and not done:
        return False
    with transaction.atomic():
        if not _move_cursor(run, old, new, done=done):
            return False  # somebody else has read on meanwhile
        _write(run, [sample_of(report) for report in batch.reports])
    return len(batch.reports) == MOST


def _move_cursor(run: Run, old: Reading, new: Reading, *, done: bool) -> bool:
    told = {"entry": new.entry, "reading": new.model_dump(mode="json"), "done": done}
    if RollupCursor.objects.filter(run=run, entry=old.entry).update(**told):
        return True
    if old.entry != NO_ENTRY or RollupCursor.objects.filter(run=run).exists():
        return False
    made = RollupCursor(run=run, **told)
    RollupCursor.objects.bulk_create([made], ignore_conflicts=True)
    return RollupCursor.objects.filter(pk=made.pk).exists()


def _write(run: Run, samples: Iterable[RunSample]) -> None:
    """Write the newest sample of each step, unless a newer one stands there."""
    samples = list(samples)
    for seconds in KEPT:
        steps = newest_in_steps(samples, seconds)
        there = RunRollup.objects.filter(run=run, seconds=seconds, at__in=list(steps))
        newer = {row.at for row in there if row.reported_at > steps[row.at].at}
        rows = [
            RunRollup(run=run, seconds=seconds, at=at, reported_at=sample.at, sample=sample.model_dump(mode="json"))
            for at, sample in steps.items()
            if at not in newer
        ]
        RunRollup.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["run", "seconds", "at"],
            update_fields=["reported_at", "sample"],
        )


def _reading(run: Run) -> Reading:
    cursor = RollupCursor.objects.filter(run=run).first()
    return Reading() if cursor is None else Reading.model_validate(cursor.reading, strict=False)  # pairs are lists


def _watch(connection: "redis.Redis", run: Run, now: datetime) -> Watch:
    """Return when the run could do anything; before a runner took it that is known to be nothing."""
    begun, ended = ticks_of(run.created_at), None if run.ended_at is None else ticks_of(run.ended_at)
    if run.observed == Observed.REQUESTED and run.observed_at is None:
        return Watch(begun, ended, (begun, ticks_of(now)))
    content = connection.get(keys.lease(str(run.organisation_id)))
    lease = None if content is None else RunnerLease.model_validate_json(content)
    return Watch(begun, ended, None if lease is None else (lease.started_at, lease.beat_at))


def _before(run: Run) -> RunSample | None:
    """Return the last totals of the run before, where this one counts on from them.

    After the end of its inputs, after a flush or a discard, where it was told to begin elsewhere, and under another
    specification a binding counts from nothing.
    """
    before = Run.objects.filter(binding=run.binding_id, created_at__lt=run.created_at).order_by("-created_at").first()
    if before is None or before.progress is None or before.flush or before.observed == Observed.COMPLETED:
        return None
    if before.discard or run.read_spec().drops_state:
        return None
    if shape_of(before.read_spec()) != shape_of(run.read_spec()):
        return None
    return sample_of(ProgressReport.model_validate(before.progress))


def _reports_after(connection: "redis.Redis", run: Run, entry: str) -> Batch:
    """Return up to MOST reports after `entry`."""
    key = keys.reports(str(run.organisation_id), str(run.pk))
    entries = _entries(connection, key, f"({entry}", MOST)
    if not entries:
        return Batch((), entry, torn=False)
    if entry == NO_ENTRY:
        torn = connection.xlen(key) >= keys.REPORTS_KEPT
    else:
        torn = not connection.xrange(key, min=entry, max=entry)
    return Batch(_readable(run, entries), entries[-1][0], torn=torn)


def _entries(connection: Any, key: str, least: str, most: int) -> list[tuple[str, bytes]]:
    """Return the entries of a stream of reports from `least` on, whether or not the connection decodes."""
    found = connection.xrange(key, min=least, count=most)
    told = ((name, fields.get(b"report") or fields.get("report") or b"") for name, fields in found)
    return [(name.decode() if isinstance(name, bytes) else name, report) for name, report in told]


def _readable(run: Run, entries: Iterable[tuple[str, bytes]]) -> list[ProgressReport]:
    """Return the reports; one that cannot be read is logged only."""
    found = []
    for entry, report in entries:
        try:
            found.append(ProgressReport.model_validate_json(report))
        except ValidationError:
            logger.exception("run %s: the report %s cannot be read", run.pk, entry)
    return found
