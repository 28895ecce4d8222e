"""Fewer points than a chart has, for display: smallest and largest of neighbours in time, frequent categories."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from webapp.monitoring.charting.folding import ChartPoint

MOST_POINTS: Final = 5_000
MOST_CATEGORIES: Final = 500
MOST_GROUPS: Final = 50


@dataclass(frozen=True)
class ReducedPoints:
    """The points that are left, and the numbers of those, of categories and of groups that are not."""

    points: list[ChartPoint]
    points_left_out: int = 0
    categories_left_out: int = 0
    groups_left_out: int = 0


def reduced(points: Sequence[ChartPoint], *, is_time: bool) -> ReducedPoints:
    """Return at most MOST_POINTS of `points`, in their order.

    Groups and categories with most rows stay. Along a time axis, of each run of neighbours of a group the smallest and
    the largest stay, so no spike is lost.
    """
    groups = _most_rows({each.group: 0 for each in points}, ((each.group, each.rows) for each in points), MOST_GROUPS)
    left = [each for each in points if each.group in groups]
    categories: set[str | None] = set()
    if not is_time:
        most = min(MOST_CATEGORIES, MOST_POINTS // max(1, len(groups)))
        categories = _most_rows(
            {each.category: 0 for each in left}, ((each.category, each.rows) for each in left), most
        )
        chosen = [each for each in left if each.category in categories]
    else:
        chosen = _extremes(left, len(groups))
    every_category = {each.category for each in left}
    return ReducedPoints(
        chosen,
        len(points) - len(chosen),
        0 if is_time else len(every_category) - len(categories),
        len({each.group for each in points}) - len(groups),
    )


def _most_rows(sums: dict[str | None, int], rows: Iterable[tuple[str | None, int]], most: int) -> set[str | None]:
    for name, count in rows:
        sums[name] += count
    return set(sorted(sums, key=lambda name: -sums[name])[:most])


def _extremes(points: list[ChartPoint], groups: int) -> list[ChartPoint]:
    if len(points) <= MOST_POINTS:
        return points
    own: dict[str | None, list[int]] = {}
    for index, point in enumerate(points):
        own.setdefault(point.group, []).append(index)
    pairs = max(1, MOST_POINTS // groups // 2)
    kept = sorted(index for indices in own.values() for index in _of_group(points, indices, pairs))
    return [points[index] for index in kept]


def _of_group(points: Sequence[ChartPoint], indices: Sequence[int], pairs: int) -> Iterator[int]:
    """Yield the indices of the smallest and the largest point of each of `pairs` runs of neighbours."""
    if len(indices) <= 2 * pairs:
        yield from indices
        return
    for number in range(pairs):
        near = indices[number * len(indices) // pairs : (number + 1) * len(indices) // pairs]
        measured = sorted(
            (index for index in near if points[index].value is not None), key=lambda i: _height(points[i])
        )
        yield from {measured[0], measured[-1]} if measured else near[:1]


def _height(point: ChartPoint) -> Decimal:
    return Decimal(point.value or 0)
