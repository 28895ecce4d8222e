"""Runs and their reports from the rollups: the only reader of the tables of `monitoring` here."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from streaming.definition.checks.advance import to_temporal
from streaming.wire.messages import RunSpec
from webapp.alerts.rules.evaluation import TICKS_PER_S
from webapp.alerts.rules.minutes import MINUTE, Totals, totals_of
from webapp.alerts.rules.run_spans import RunSpan
from webapp.monitoring.models import RollupCursor, RunRollup
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Run


def spans_of_runs(since: int, binding: UUID | None = None) -> dict[UUID, list[RunSpan]]:
    """Return by binding the runs that lived after tick `since`, oldest first; `binding`: only those of one."""
    ended_later = Q(ended_at__isnull=True) | Q(ended_at__gt=_moment(since))
    runs = Run.objects.filter(ended_later).order_by("number", "created_at", "pk")
    runs = runs if binding is None else runs.filter(binding=binding)
    cursors = dict(RollupCursor.objects.filter(run__in=runs).values_list("run_id", "reading__known"))
    done = set(RollupCursor.objects.filter(run__in=runs, done=True).values_list("run_id", flat=True))
    found: dict[UUID, list[RunSpan]] = defaultdict(list)
    for pk, of, created, ended in runs.values_list("pk", "binding_id", "created_at", "ended_at"):
        known = [(begin, end) for begin, end in cursors.get(pk) or []]
        end = None if ended is None else ticks_of(ended)
        found[of].append(RunSpan(str(pk), ticks_of(created), end, known, pk in done))
    return found


def totals_in(
    runs: Sequence[str], after: int, until: int, delays: Mapping[str, Mapping[str, int]]
) -> dict[str, dict[int, Totals]]:
    """Return by run the totals of the minutes that end in `(after, until]`; minutes without a report are absent."""
    found: dict[str, dict[int, Totals]] = defaultdict(dict)
    for run, at, sample, overdue in _rollups(runs, after, until).values_list("run_id", "at", "sample", "overdue"):
        found[str(run)][at + MINUTE] = totals_of(sample, delays.get(str(run), {}), overdue)
    return found


def sample_texts(runs: Sequence[str], after: int, until: int) -> Iterator[tuple[str, int, str, int | None]]:
    """Yield run, end of the minute, the stored sample as JSON text, and `overdue`, as `totals_in` reads them."""
    rows = _rollups(runs, after, until).annotate(text=Cast("sample", TextField()))
    for run, at, text, overdue in rows.values_list("run_id", "at", "text", "overdue").iterator():
        yield str(run), at + MINUTE, text, overdue


def _rollups(runs: Sequence[str], after: int, until: int) -> QuerySet[RunRollup]:
    begin = after - after % MINUTE
    return RunRollup.objects.order_by("at").filter(
        run__in=[UUID(run) for run in runs], seconds=60, at__gte=begin, at__lt=until
    )


def delays_of(runs: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return D of each input, in ticks, by run."""
    found = {}
    for pk, spec in Run.objects.order_by().filter(pk__in=runs).values_list("pk", "spec"):
        found[str(pk)] = _delays(spec)
    return found


def _delays(spec: Any) -> dict[str, int]:
    inputs = RunSpec.model_validate(spec).inputs if spec else {}
    clocks = {name: to_temporal(each.stream.advance, each.advance) for name, each in inputs.items()}
    return {name: clock.generate.delay for name, clock in clocks.items() if clock.generate is not None}


def _moment(tick: int) -> datetime:
    return datetime.fromtimestamp(tick / TICKS_PER_S, UTC)
