"""The usual longest pauses of a binding, from its rollups: between rows in a week, between moves of a CTI in a day."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final
from uuid import UUID

from webapp.alerts.models import BindingMemory
from webapp.alerts.rules.evaluation import TICKS_PER_S
from webapp.alerts.rules.minutes import totals_of
from webapp.monitoring.models import RunRollup

DAY: Final = 86_400 * TICKS_PER_S
WEEK: Final = 7 * DAY
HOUR: Final = 3_600 * TICKS_PER_S
PART: Final = 0.99
LEAST: Final = 20
"""Fewer pauses say nothing about usual ones."""
MOST_PER_TURN: Final = 2


def refresh_usual(memories: Mapping[UUID | None, BindingMemory], at: int) -> dict[UUID, tuple[float, float]]:
    """Return the usual pauses of the bindings whose figures are a day old, a few in each turn, the oldest first.

    Without enough reports they are computed again after an hour. Sets `usual_at` of the memories, which are not saved
    here.
    """
    due = [(row.usual_at, binding) for binding, row in memories.items() if binding and at - row.usual_at >= DAY]
    found = {}
    for _, binding in sorted(due)[:MOST_PER_TURN]:
        found[binding] = usual_pauses(binding, at)
        memories[binding].usual_at = at if found[binding][0] else at - DAY + HOUR
    return found


def usual_pauses(binding: UUID, at: int) -> tuple[float, float]:
    """Return the usual longest pause in seconds between reports with rows, and between moves of the CTI."""
    rows = RunRollup.objects.filter(run__binding=binding, seconds=60).order_by("at")
    reported = list(rows.filter(at__gte=at - WEEK).values_list("reported_at", flat=True))
    moves, cti = [], None
    for sample in rows.filter(at__gte=at - DAY).values_list("sample", flat=True):
        totals = totals_of(sample, {})
        if totals.cti != cti:
            moves.append(totals.at)
        cti = totals.cti
    return _longest(reported), _longest(moves)


def _longest(ticks: Sequence[int]) -> float:
    pauses = sorted(after - before for before, after in pairwise(ticks))
    return 0.0 if len(pauses) < LEAST else round(pauses[int(len(pauses) * PART)] / TICKS_PER_S, 1)
