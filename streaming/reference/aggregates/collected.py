"""Aggregates that return a list; over no values it is empty."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from streaming.reference.aggregates.values import Fold, PaneValues


def _collect(values: PaneValues) -> list[Any]:
    return values.in_time()


def _collect_distinct(values: PaneValues) -> list[Any]:
    return list(dict.fromkeys(values.sorted()))


def _topk(values: PaneValues) -> list[Any]:
    """Return the most frequent values; equally frequent ones stay in sorted order."""
    counts = Counter(values.sorted())
    ranked = sorted(counts, key=lambda value: -counts[value])
    return _with_ties(ranked, [counts[value] for value in ranked], values.k)


def _maxk(values: PaneValues) -> list[Any]:
    ranked = values.sorted()[::-1]
    return _with_ties(ranked, ranked, values.k)


def _mink(values: PaneValues) -> list[Any]:
    ranked = values.sorted()
    return _with_ties(ranked, ranked, values.k)


def _maxk_unique(values: PaneValues) -> list[Any]:
    return _collect_distinct(values)[::-1][: values.k]


def _mink_unique(values: PaneValues) -> list[Any]:
    return _collect_distinct(values)[: values.k]


def _with_ties(ranked: Sequence[Any], ranks: Sequence[Any], k: int | None) -> list[Any]:
    """Return the first `k` of `ranked`, and the following ones with the rank of the last."""
    if k is None:
        raise TypeError("a list of the first k needs k; check refuses it otherwise")
    tied = [value for value, rank in zip(ranked[k:], ranks[k:], strict=True) if rank == ranks[k - 1]]
    return [*ranked[:k], *tied]


LISTS: Final[Mapping[str, Fold]] = {
    "collect": _collect,
    "collect_distinct": _collect_distinct,
    "topk": _topk,
    "maxk": _maxk,
    "mink": _mink,
    "maxk_unique": _maxk_unique,
    "mink_unique": _mink_unique,
}
