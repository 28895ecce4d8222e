"""The rows that repairs gave back to results."""

from collections import Counter
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import OuterRef, Subquery

from webapp.monitoring.models import RunRollup
from webapp.runs.access import NEWEST_FIRST
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Binding, Repair, Run

_HOUR_S: Final = 3_600


def repaired_rows(binding: Binding, begin: datetime, end: datetime) -> Iterator[tuple[datetime, int]]:
    """Yield the time of each repair in `[begin, end)`, and how many of its rows had been in no result.

    A repair may also restore rows that had been adjusted or shifted; they were in results before.
    """
    given = Repair.objects.filter(binding=binding, given_at__gte=begin, given_at__lt=end)
    for at, lost in given.values_list("given_at", "lost"):
        if at is not None:
            yield at, sum(lost.values())


def refunded_rows(bindings: Collection[UUID], begin: datetime) -> dict[UUID, int]:
    """Return by binding how many rows were lost from the hour `begin` on, and given back to results.

    A row was lost when its batch was reported: after the last batch of the hours before `begin`. If the batches were
    numbered from zero again since then, fewer rows are refunded, never more. Bindings without a repair are left out.
    """
    given = list(Repair.objects.filter(binding__in=bindings, given_at__gte=begin).values_list("binding", "lost"))
    if not given:
        return {}
    before = RunRollup.objects.filter(run=OuterRef("pk"), seconds=_HOUR_S, at__lt=ticks_of(begin)).order_by("-at")
    runs = Run.objects.filter(binding__in={binding for binding, _ in given}, created_at__lt=begin)
    samples = runs.annotate(sample=Subquery(before.values("sample")[:1])).filter(sample__isnull=False)
    last: dict[UUID, int] = {}
    for binding, sample in samples.order_by(*NEWEST_FIRST).values_list("binding", "sample"):
        last.setdefault(binding, sample["batch"])
    found: Counter[UUID] = Counter()
    for binding, lost in given:
        found[binding] += sum(rows for batch, rows in lost.items() if int(batch) > last.get(binding, -1))
    return found
