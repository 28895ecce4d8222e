"""Rollups of runs: written from the reports in Redis, deleted by age, and read with the reports not yet rolled up."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import redis
from django.db import transaction
from django.db.models import Q
from pydantic import ValidationError

from streaming.resume.restart_points import shape_of
from streaming.wire import keys
from streaming.wire.measures import larger
from streaming.wire.messages import read_lease
from streaming.wire.progress import ProgressReport
from webapp.monitoring.details import RunDetail, details_in_steps, lag_of_row, packed, unpacked
from webapp.monitoring.models import RollupCursor, RollupDetail, RunRollup
from webapp.monitoring.reading import (
    NO_ENTRY,
    TICKS_PER_S,
    Batch,
    Reading,
    RunSample,
    Watch,
    lag_of,
    newest_in_steps,
    overdue_of,
    read_on,
    sample_of,
)
from webapp.runs.access import NEWEST_FIRST, older_than
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Run
from webapp.runs.states import Observed

logger = logging.getLogger(__name__)

_Step = tuple[int, int]
"""The seconds and the first tick of a stored step."""
KEPT: Final = {10: timedelta(days=1), 60: timedelta(days=30), 3_600: timedelta(days=396)}
"""The time for which the steps of so many seconds are kept."""
DETAILS_KEPT: Final = {10: timedelta(hours=2), 60: timedelta(hours=26), 3_600: KEPT[3_600]}
"""The same of details, which are ten times as long as samples."""
MOST: Final = 500
"""The number of reports in one read and write."""
SETTLES: Final = timedelta(minutes=1)
"""A run that ended so long ago sends no more reports."""


def roll_up(connection: "redis.Redis", now: datetime) -> None:
    """Write what the runs of the organisation in context have reported since the last call.

    Level-triggered: the cursor is stored with the rows, so a call that is missed, interrupted or repeated changes
    nothing. Raises `redis.RedisError`.
    """
    recent = Q(ended_at__isnull=True) | Q(ended_at__gte=now - KEPT[60])
    for run in Run.objects.filter(recent).exclude(rollup_cursor__done=True):
        while _roll_up(connection, run, now):
            pass


def unwritten(connection: "redis.Redis", run: Run, now: datetime) -> tuple[Reading, list[RunSample]]:
    """Return the reading of `run` as of now, and the samples that no rollup holds. Raises `redis.RedisError`."""
    reading = _reading(run)
    samples: list[RunSample] = []
    while True:
        batch = _reports_after(connection, run, reading.entry)
        reading = read_on(reading, batch, _watch(connection, run, now), _before(run))
        samples += [sample_of(report) for report in batch.reports]
        if len(batch.reports) < MOST:
            return reading, samples


def batches_since(connection: "redis.Redis", run: Run, begin: int, most: int) -> list[RunSample]:
    """Return a sample of each report since tick `begin` that Redis still has, oldest first; at most the newest `most`.

    Raises `redis.RedisError`. An entry's name has the milliseconds at which it arrived, which is after the batch.
    """
    key = keys.reports(str(run.organisation_id), str(run.pk))
    entries = _decode(connection.xrevrange(key, min=str(max(0, begin // 1_000)), count=most))[::-1]
    return [sample_of(report) for report in _readable(run, entries)]


def forget_old(now: datetime) -> None:
    """Delete the expired rollups of the organisation in context."""
    for seconds, kept in KEPT.items():
        RunRollup.objects.filter(seconds=seconds, at__lt=ticks_of(now - kept)).delete()
    for seconds, kept in DETAILS_KEPT.items():
        RollupDetail.objects.filter(seconds=seconds, at__lt=ticks_of(now - kept)).delete()


def kept_samples(run: Run, begin: int, end: int, step: int) -> list[RunSample]:
    """Return the rollups in `[begin, end)`, at most one sample for each `step` of seconds, and the one before it.

    The finest rollups available are used, so samples older than a day come by the minute.
    """
    rows, minute = RunRollup.objects.filter(run=run), 60 * TICKS_PER_S
    fine = list(rows.filter(seconds=10, at__gte=begin, at__lte=end)) if step < 60 else []
    turn = fine[0].at - fine[0].at % minute if fine else end + 1
    coarse = list(rows.filter(seconds=60, at__gte=begin - begin % minute, at__lt=turn))
    earlier = list(rows.filter(seconds=60, at__lt=begin - begin % minute).order_by("-at")[:1])
    samples = [RunSample.model_validate(each.sample) for each in (*earlier, *coarse, *fine)]
    return sorted(newest_in_steps(samples, step).values(), key=lambda sample: sample.at)


def _roll_up(connection: "redis.Redis", run: Run, now: datetime) -> bool:
    """Write the next reports of `run`; return whether there may be more."""
    old = _reading(run)
    batch = _reports_after(connection, run, old.entry)
    new = read_on(old, batch, _watch(connection, run, now), _before(run))
    forgotten = ticks_of(now - KEPT[3_600])
    new = new.model_copy(update={"known": [span for span in new.known if span[1] > forgotten]})
    done = run.ended_at is not None and now - run.ended_at >= SETTLES and not batch.reports
    if new == old and not done:
        return False
    with transaction.atomic():
        if not _move_cursor(run, old, new, done=done):
            return False  # another process has read further since then
        _write(run, [sample_of(report) for report in batch.reports], _largest_overdue(batch.reports))
        _write_details(run, batch.reports, now)
    return len(batch.reports) == MOST


def _move_cursor(run: Run, old: Reading, new: Reading, *, done: bool) -> bool:
    values = {"entry": new.entry, "reading": new.model_dump(mode="json"), "done": done}
    if RollupCursor.objects.filter(run=run, entry=old.entry).update(**values):
        return True
    if old.entry != NO_ENTRY or RollupCursor.objects.filter(run=run).exists():
        return False
    made = RollupCursor(run=run, **values)
    RollupCursor.objects.bulk_create([made], ignore_conflicts=True)
    return RollupCursor.objects.filter(pk=made.pk).exists()


def _write(run: Run, samples: Sequence[RunSample], overdue: Mapping[_Step, int | None]) -> None:
    """Write the newest sample and the largest lags of each step, unless the step already has a newer sample."""
    steps = {(seconds, at): each for seconds in KEPT for at, each in newest_in_steps(samples, seconds).items()}
    lags = _largest_lags(samples)
    there = {(row.seconds, row.at): row for row in RunRollup.objects.filter(_steps(steps), run=run)}
    rows = []
    for (seconds, at), sample in steps.items():
        known = there.get((seconds, at))
        if known is not None and known.reported_at > sample.at:
            continue
        rows.append(
            RunRollup(
                run=run,
                seconds=seconds,
                at=at,
                reported_at=sample.at,
                sample=sample.model_dump(mode="json"),
                lag=larger(None if known is None else known.lag, lags.get((seconds, at))),
                overdue=larger(None if known is None else known.overdue, overdue.get((seconds, at))),
            )
        )
    RunRollup.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["run", "seconds", "at"],
        update_fields=["reported_at", "sample", "lag", "overdue"],
    )


def _largest_lags(samples: Iterable[RunSample]) -> dict[_Step, int | None]:
    return _largest((sample.at, lag_of(sample.at, sample.inputs)) for sample in samples)


def _largest_overdue(reports: Iterable[ProgressReport]) -> dict[_Step, int | None]:
    return _largest((report.at, overdue_of(report)) for report in reports)


def _largest(values: Iterable[tuple[int, int | None]]) -> dict[_Step, int | None]:
    """Return the largest of the values at these ticks in each step."""
    found: dict[_Step, int | None] = {}
    for at, value in values:
        for seconds in KEPT:
            step = seconds, at - at % (seconds * TICKS_PER_S)
            found[step] = larger(found.get(step), value)
    return found


def _write_details(run: Run, reports: Sequence[ProgressReport], now: datetime) -> None:
    """Write the details of each step that is not too old for them."""
    steps = {
        (seconds, at): detail
        for seconds, kept in DETAILS_KEPT.items()
        for at, detail in details_in_steps(reports, seconds).items()
        if at >= ticks_of(now - kept)
    }
    rows = RollupDetail.objects.filter(_steps(steps), run=run)
    there = {(row.seconds, row.at): detail_of_row(row) for row in rows}
    made = [row_of_detail(run, step, detail.joined(there.get(step))) for step, detail in steps.items()]
    RollupDetail.objects.bulk_create(
        made, update_conflicts=True, unique_fields=["run", "seconds", "at"], update_fields=["largest", "content"]
    )


def detail_of_row(row: RollupDetail) -> RunDetail | None:
    """Return the details of a stored step; None if another release wrote them in another form."""
    detail = unpacked(row.content)
    return None if detail is None else detail.model_copy(update={"largest": lag_of_row(row.largest)})


def row_of_detail(run: Run, step: tuple[int, int], detail: RunDetail) -> RollupDetail:
    """Return the row of a step, its seconds and its first tick."""
    largest = None if detail.largest is None else detail.largest.model_dump(mode="json")
    return RollupDetail(run=run, seconds=step[0], at=step[1], largest=largest, content=packed(detail))


def _steps(steps: Iterable[tuple[int, int]]) -> Q:
    """Return the condition for rows of these steps, each its seconds and its first tick."""
    found = Q(pk__in=[])
    for seconds, group in groupby(sorted(steps), key=itemgetter(0)):
        found |= Q(seconds=seconds, at__in=[at for _, at in group])
    return found


def _reading(run: Run) -> Reading:
    cursor = RollupCursor.objects.filter(run=run).first()
    return Reading() if cursor is None else Reading.model_validate(cursor.reading, strict=False)  # pairs are lists


def _watch(connection: "redis.Redis", run: Run, now: datetime) -> Watch:
    """Return the period in which the run could do anything; before a runner takes it, it does nothing."""
    requested, ended = ticks_of(run.created_at), None if run.ended_at is None else ticks_of(run.ended_at)
    if run.observed == Observed.REQUESTED and run.observed_at is None:
        return Watch(requested, ended, (requested, ticks_of(now)))
    content = connection.get(keys.lease(str(run.organisation_id)))
    lease = None if content is None else read_lease(content)
    return Watch(requested, ended, None if lease is None or lease.unread else (lease.started_at, lease.beat_at))


def _before(run: Run) -> RunSample | None:
    """Return the last totals of the previous run, if this one continues counting from them.

    A binding counts from zero after the end of its inputs, after a flush or a discard, with a chosen start position,
    and under another specification.
    """
    before = Run.objects.filter(older_than(run), binding=run.binding_id).order_by(*NEWEST_FIRST).first()
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
    """Return the entries of a stream of reports from `least` on, for connections that decode and those that don't."""
    return _decode(connection.xrange(key, min=least, count=most))


def _decode(entries: Any) -> list[tuple[str, bytes]]:
    reports = ((name, fields.get(b"report") or fields.get("report") or b"") for name, fields in entries)
    return [(name.decode() if isinstance(name, bytes) else name, report) for name, report in reports]


def _readable(run: Run, entries: Iterable[tuple[str, bytes]]) -> list[ProgressReport]:
    """Return the reports; an unreadable one is only logged."""
    found = []
    for entry, report in entries:
        try:
            found.append(ProgressReport.model_validate_json(report))
        except ValidationError:
            logger.exception("run %s: the report %s cannot be read", run.pk, entry)
    return found
