"""The batch query of analytic functions: each row is looked up among all rows of its group."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from streaming.definition.analytic import AnalyticColumn, AnalyticNode, Frame
from streaming.temporal.ticks import NO_CTI
from tests.reference.batch.lives import Life, Lives, ticks
from tests.reference.batch.meanings import MEANINGS

Group = Sequence[Life]


def analytic(node: AnalyticNode, lives: Lives) -> Lives:
    """Return every event with its columns; a vanished edge is a row that others see."""
    found, gone = [], []
    for group in groups_in_order(node, lives):
        for place, life in enumerate(group):
            columns = {column.name: _value(node, column, group, place) for column in node.columns}
            row = replace(life, payload={**life.payload, **columns})
            (found if life.end > life.start else gone).append(row)
    return Lives(found, lives.horizon, gone)


def groups_in_order(node: AnalyticNode, lives: Lives) -> list[Group]:
    """Return the rows of each group in order of start, ORDER BY, payload and end (T27)."""
    groups: dict[tuple[Any, ...], list[Life]] = {}
    for life in [*lives.all, *lives.vanished]:
        groups.setdefault(tuple(life.payload[name] for name in node.group_by), []).append(life)
    return [sorted(group, key=cmp_to_key(lambda one, other: _compared(node, one, other))) for group in groups.values()]


def _compared(node: AnalyticNode, one: Life, other: Life) -> int:
    if one.start != other.start:
        return one.start - other.start
    for by in node.order_by:
        meaning = MEANINGS[by.of]
        order = _before(meaning(one.payload), meaning(other.payload))
        if order:
            return -order if by.descending else order
    for name in one.payload:
        order = _before(one.payload[name], other.payload[name])
        if order:
            return order
    return one.end - other.end


def _before(one: Any, other: Any) -> int:
    if one is None or other is None:
        return (one is not None) - (other is not None)
    return (one > other) - (one < other)


def _sees(node: AnalyticNode, one: Life, other: Life) -> bool:
    return node.reach is None or abs(one.start - other.start) < ticks(node.reach)


def _value(node: AnalyticNode, column: AnalyticColumn, group: Group, place: int) -> Any:
    if column.function == "row_number":
        return _number(node, group[: place + 1])
    if column.function in ("lag", "lead"):
        return _offset_value(node, column, group, place)
    of = MEANINGS[column.of or "v"]
    rows = _framed(node, column.frame or Frame(unit="range", preceding=None), group, place)
    values = [of(life.payload) for life in rows]
    valued = [value for value in values if value is not None]
    counted = valued if column.ignore_nulls else values
    match column.function:
        case "nth_value":
            return counted[column.offset - 1] if len(counted) >= column.offset else None
        case "first_value" | "last_value":
            return (counted[0] if column.function == "first_value" else counted[-1]) if counted else None
        case _:
            return _aggregate(column.function, valued, [life for life in rows if of(life.payload) is not None])


def _number(node: AnalyticNode, rows: Group) -> int:
    number = 1
    for one, other in pairwise(rows):
        number = number + 1 if _sees(node, one, other) else 1
    return number


def _offset_value(node: AnalyticNode, column: AnalyticColumn, group: Group, place: int) -> Any:
    of, own = MEANINGS[column.of or "v"], group[place]
    if column.offset == 0:
        return of(own.payload)
    others = group[place + 1 :] if column.function == "lead" else group[:place][::-1]
    seen = [of(life.payload) for life in others if _sees(node, life, own)]
    seen = [value for value in seen if value is not None] if column.ignore_nulls else seen
    if len(seen) >= column.offset:
        return seen[column.offset - 1]
    return None if column.default is None else MEANINGS[column.default](own.payload)


def _framed(node: AnalyticNode, frame: Frame, group: Group, place: int) -> Group:
    own = group[place]
    found = []
    for at, life in enumerate(group):
        distance = at - place if frame.unit == "rows" else life.start - own.start
        if frame.unit == "rows":
            before = frame.preceding is None or -distance <= ticks(frame.preceding)
            inside = before if distance <= 0 else distance <= ticks(frame.following)
        else:
            before = frame.preceding is None or -distance < ticks(frame.preceding)
            inside = distance == 0 or (before if distance < 0 else distance < ticks(frame.following))
        if inside and _sees(node, life, own):
            found.append(life)
    return found


def _aggregate(function: str, values: list[Any], rows: Group) -> Any:
    if function == "count":
        return len(values)
    if function == "count_distinct":
        return len(set(values))
    if not values:
        return None
    ordered = sorted(zip((row.start for row in rows), values, strict=True))
    of = {"sum": sum(values), "min": min(values), "max": max(values), "first": ordered[0][1], "last": ordered[-1][1]}
    return of[function]


def oldest_undecided(node: AnalyticNode, lives: Lives, known_until: int) -> int | None:
    """Return the start of the oldest known row that rows from `known_until` on may still change (T46)."""
    waiting = []
    for group in groups_in_order(node, lives):
        known = [life for life in group if life.start < known_until]
        waiting += [
            life.start
            for place, life in enumerate(known)
            if known_until != NO_CTI and any(_waits(node, each, known, place, known_until) for each in node.columns)
        ]
    return min(waiting, default=None)


def _waits(node: AnalyticNode, column: AnalyticColumn, known: Group, place: int, known_until: int) -> bool:
    own, after = known[place], known[place + 1 :]
    rows, length = 0, 0
    if column.function == "lead":
        rows = column.offset
    elif column.frame is not None:
        ahead = ticks(column.frame.following)
        rows, length = (ahead, 0) if column.frame.unit == "rows" else (0, ahead)
    if node.reach is not None and known_until >= own.start + ticks(node.reach):
        return False
    if known_until < own.start + length:
        return True
    if any(not _sees(node, life, own) for life in after):
        return False
    of = MEANINGS[column.of or "v"]
    counted = [life for life in after if not column.ignore_nulls or of(life.payload) is not None]
    return len(counted if column.function == "lead" else after) < rows
