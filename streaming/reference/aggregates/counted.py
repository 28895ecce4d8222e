"""Aggregates that count; over no values they are 0. The approximate one is exact here."""

from collections.abc import Mapping
from typing import Final

from streaming.reference.aggregates.values import Fold, PaneValues


def _count(values: PaneValues) -> int:
    return len(values.taken)


def _count_distinct(values: PaneValues) -> int:
    return len({each.value for each in values.taken})


COUNTS: Final[Mapping[str, Fold]] = {
    "count": _count,
    "count_distinct": _count_distinct,
    "approx_count_distinct": _count_distinct,
}
