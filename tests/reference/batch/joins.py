"""The batch queries of operators with two inputs: every pair, and every tick of a lifetime."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from streaming.definition.graph import AntiJoinNode, AsofJoinNode, ClipNode, JoinNode, SemiJoinNode
from tests.reference.batch.lives import FOREVER, Life, Lives
from tests.reference.batch.meanings import PAIR_CONDITIONS

LAST_SCANNED = 400
"""All finite times of drawn cases are before it: events that live then live forever."""


def join(node: JoinNode, left: Lives, right: Lives) -> Lives:
    """Return each matching pair while both live; for left outer also the rest of each left lifetime with nulls."""
    pairs = []
    for one in left.all:
        for other in matches(node, one, right):
            start, end = max(one.start, other.start), min(one.end, other.end)
            if start < end:
                payload = paired(node.keys, one, other.payload)
                stamp = max(one.stamp, other.stamp)
                pairs.append(Life(start, end, payload, stamp, open=end == FOREVER and (one.open or other.open)))
    if node.type == "left_outer":
        for part in parts(node, left, right, covered=False):
            pairs.append(replace(part, payload=paired(node.keys, part, {"w": None})))
    return _both(left, right, pairs)


def anti_join(node: AntiJoinNode, left: Lives, right: Lives) -> Lives:
    """Return the parts of left lifetimes in which no match lives."""
    return _both(left, right, list(parts(node, left, right, covered=False)))


def semi_join(node: SemiJoinNode, left: Lives, right: Lives) -> Lives:
    """Return the parts of left lifetimes in which some match lives."""
    return _both(left, right, list(parts(node, left, right, covered=True)))


def parts(node: JoinNode | AntiJoinNode | SemiJoinNode, left: Lives, right: Lives, *, covered: bool) -> Iterator[Life]:
    """Return the longest runs of ticks of each left lifetime in which a match lives, or does not."""
    for one in left.all:
        found = matches(node, one, right)
        alive = range(one.start, min(one.end, LAST_SCANNED + 1))
        wanted = [tick for tick in alive if any(each.start <= tick < each.end for each in found) == covered]
        for _, run in groupby(enumerate(wanted), key=lambda pair: pair[1] - pair[0]):
            ticks = [tick for _, tick in run]
            end = FOREVER if ticks[-1] == LAST_SCANNED else ticks[-1] + 1
            over = [each for each in found if covered and each.start < end and each.end > ticks[0]]
            never_ends = end == FOREVER and any(each.open for each in (one, *over))
            stamp = max(each.stamp for each in (one, *over))
            yield replace(one, start=ticks[0], end=end, open=never_ends, stamp=stamp)


def asof_join(node: AsofJoinNode, left: Lives, right: Lives) -> Lives:
    """Return each left event with the latest match that does not start after it; of several the greatest."""
    found = []
    for one in left.all:
        before = [each for each in right.all if each.start <= one.start and _equal_keys(node.keys, one, each)]
        best = max(before, key=lambda each: (each.start, _rank(each.payload)), default=None)
        if best is not None:
            stamp = max(one.stamp, best.stamp)
            found.append(replace(one, payload=paired(node.keys, one, best.payload), stamp=stamp))
        elif node.type == "left_outer":
            found.append(replace(one, payload=paired(node.keys, one, {"w": None})))
    return _both(left, right, found)


def clip(node: ClipNode, left: Lives, by: Lives) -> Lives:
    """Return each lifetime up to the first later start of a match."""
    found = []
    for one in left.all:
        starts = [each.start for each in by.all if each.start > one.start and _equal_keys(node.keys, one, each)]
        end = min([one.end, *starts])
        found.append(replace(one, end=end, open=one.open and end == FOREVER))
    return _both(left, by, found)


def matches(node: JoinNode | AntiJoinNode | SemiJoinNode, one: Life, right: Lives) -> list[Life]:
    """Return the right events with equal keys for which the condition is true."""
    found = [each for each in right.all if _equal_keys(node.keys, one, each)]
    if node.where is None:
        return found
    where = PAIR_CONDITIONS[node.where]
    return [each for each in found if where({**each.payload, **one.payload}) is True]


def paired(keys: list[str], one: Life, right: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload of a pair."""
    return {**one.payload, **{name: value for name, value in right.items() if name not in keys}}


def _both(left: Lives, right: Lives, found: list[Life]) -> Lives:
    return Lives(found, max(left.horizon, right.horizon))


def _equal_keys(keys: list[str], one: Life, other: Life) -> bool:
    return all(one.payload[key] is not None and one.payload[key] == other.payload[key] for key in keys)


def _rank(payload: Mapping[str, Any]) -> list[tuple[bool, Any]]:
    return [(value is not None, value) for value in payload.values()]
