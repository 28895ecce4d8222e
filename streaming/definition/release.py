"""When each output of a query gives its rows, and how far a gap before its inputs reaches into them.

Two versions of a query whose outputs release alike may take over from one another: what the old one has given by some
point of its input, the new one would have given by then too. Where rows before a moment are missing (a run that goes
on at the old positions with nothing in its state), `whole` says from when on rows are right all the same.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from streaming.definition.graph import (
    AsofJoinNode,
    ClipNode,
    ExtendNode,
    InputNode,
    JoinNode,
    Node,
    OutputNode,
    PointAtEndNode,
    QueryGraph,
    SetDurationNode,
    ShiftNode,
    TopKNode,
    UnionNode,
    WindowNode,
    sources,
)
from streaming.definition.window_checks import hopping_windows
from streaming.definition.windows import FixedWindow, SessionWindow
from streaming.definition.wiring import order
from streaming.temporal.ticks import Tick, parse_duration
from streaming.temporal.windows import HoppingWindows

_SEEN_ALONE: Final = ("filter", "project")
"""Nodes that change neither when a row is released nor its lifetime."""


@dataclass(frozen=True)
class Gap:
    """How far missing rows reach, in ticks beyond the moment W at which the last of them has ended; None: for ever.

    What starts at W + `whole` or later is right; what is missing or wrong has ended by W + `tail`.
    """

    whole: int | None
    tail: int | None


_ENDLESS: Final = Gap(None, None)


@dataclass(frozen=True)
class Release:
    """What an output does. `sameness` is equal for outputs that release alike; `forgets`: no node keeps anything.

    `windows`: those that its rows stand for, where these are fixed and nothing but filters and projections follows.
    `sessions`: it gives sessions, and nothing but that follows. `bounded`: an event changes no row that ends much later
    than it, as the end of an anti join's left side does.
    """

    sameness: str
    forgets: bool
    gap: Gap
    windows: HoppingWindows | None = None
    sessions: bool = False
    bounded: bool = True

    def reached_by(self, end: int) -> int | None:
        """How far an output has to have given all (`given_until`) for an event that ends at `end` to change only that.

        None: it may change what comes at any later time.
        """
        if not self.bounded:
            return None
        if self.sessions:
            # It joins no session that is open, for these begin later, and nothing that is yet to come joins it.
            return _plus(end, self.gap.whole)
        if self.windows is None or self.gap.whole is None:
            return _plus(end, self.gap.tail)
        return self.windows.bounds(self.windows.last_index(Tick(end + self.gap.whole)))[1]

    def given_until(self, cti: int) -> int:
        """The time up to which all has been given at the output CTI `cti`: no row that ends later was."""
        return cti if self.windows is None else cti + self.windows.size - self.windows.hop

    def oldest_after(self, given: int) -> int:
        """The earliest start of a row that ends after `given`; a guess where windows are not fixed."""
        return given if self.windows is None else self.windows.bounds(self.windows.first_open(Tick(given)))[0]


def releases(graph: QueryGraph, inputs: Mapping[str, str], edges: frozenset[str]) -> dict[str, Release]:
    """The release of each output of a checked graph.

    `inputs` says of each input node in a text what moves its time; `edges` are those whose events are edges.
    """
    by_id = {node.id: node for node in graph.nodes}
    placed, _ = order(by_id)
    found: dict[str, Release] = {}
    for name in placed:
        node = by_id[name]
        before = [found[source] for source in sources(node)]
        found[name] = Release(
            _sameness(node, before, inputs),
            _keeps_nothing(node) and all(each.forgets for each in before),
            _gap(node, [each.gap for each in before], edges),
            _windows(node, before),
            _is_sessions(node, before),
            _is_bounded(node) and all(each.bounded for each in before),
        )
    return {node.id: found[node.id] for node in graph.nodes if isinstance(node, OutputNode)}


def _sameness(node: Node, before: list[Release], inputs: Mapping[str, str]) -> str:
    """A digest of what decides when the rows of `node` leave."""
    if node.kind in _SEEN_ALONE:
        return before[0].sameness
    if isinstance(node, InputNode):
        said: object = ["input", node.id, inputs.get(node.id, "")]
    else:
        said = [node.model_dump(mode="json", exclude=_names(node)), *(each.sameness for each in before)]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _keeps_nothing(node: Node) -> bool:
    if isinstance(node, ExtendNode):
        return parse_duration(node.by) >= 0
    return node.kind in (*_SEEN_ALONE, "input", "output", "shift", "set_duration")


def _windows(node: Node, before: list[Release]) -> HoppingWindows | None:
    if isinstance(node, WindowNode | TopKNode):
        return hopping_windows(node) if isinstance(node.window, FixedWindow) else None
    if isinstance(node, OutputNode):
        return before[0].windows if node.timestamp == "lifetime" else None
    return before[0].windows if node.kind in _SEEN_ALONE else None


def _is_sessions(node: Node, before: list[Release]) -> bool:
    if isinstance(node, WindowNode | TopKNode):
        return isinstance(node.window, SessionWindow)
    passes = node.timestamp == "lifetime" if isinstance(node, OutputNode) else node.kind in _SEEN_ALONE
    return passes and before[0].sessions


def _is_bounded(node: Node) -> bool:
    """Whether rows that an event changes end where it lets its own end; what lasts as long as another's does not."""
    if isinstance(node, JoinNode):
        return node.type == "inner"
    return node.kind not in ("clip", "anti_join", "semi_join", "asof_join", "to_intervals", "order_edges")


def _gap(node: Node, before: list[Gap], edges: frozenset[str]) -> Gap:
    """The gap of the rows of `node` by those of what it reads."""
    match node:
        case InputNode():
            return _ENDLESS if node.id in edges else Gap(0, 0)
        case AsofJoinNode():
            return _ENDLESS  # it may look back to any time
        case WindowNode() | TopKNode():
            return _of_panes(node, before[0].tail)
        case _ if len(before) == 1:
            return _of_one(node, before[0])
    wholes, tails = [each.whole for each in before], [each.tail for each in before]
    # Where rows meet, one is right only if those of all sides are.
    whole = _largest(wholes if isinstance(node, UnionNode) else wholes + tails)
    # A row that nothing cut off, because that is missing, is wrong for as long as it lasts.
    return Gap(whole, None if isinstance(node, ClipNode) else _largest(tails))


def _of_one(node: Node, before: Gap) -> Gap:
    match node:
        case ShiftNode():
            by = max(0, parse_duration(node.by))
            return Gap(_plus(before.whole, by), _plus(before.tail, by))
        case SetDurationNode():
            return Gap(
                before.whole, _plus(before.tail, None if node.duration is None else parse_duration(node.duration))
            )
        case ExtendNode():
            return Gap(before.whole, _plus(before.tail, max(0, parse_duration(node.by))))
        case PointAtEndNode():
            return Gap(_plus(before.whole, 1), _plus(before.tail, 1))  # a point at its end lasts beyond it
        case OutputNode() if node.timestamp != "lifetime":
            later = _plus(before.tail, 1)  # rows leave as points inside of their lifetime, or at its end
            return Gap(later, later)
        case _:
            return before


def _of_panes(node: WindowNode | TopKNode, tail: int | None) -> Gap:
    spec = node.window
    fill = node.empty_gap if isinstance(node, WindowNode) else None
    filled = _plus(tail, 0 if fill is None else parse_duration(fill))
    if isinstance(spec, FixedWindow):
        return Gap(filled, _plus(filled, hopping_windows(node).size))
    if isinstance(spec, SessionWindow):
        # With `max` a session begins where the one before it was full, and so on without end.
        return Gap(None if spec.max is not None else _plus(tail, parse_duration(spec.gap)), None)
    return Gap(tail, None)


def _names(node: Node) -> set[str]:
    """The fields of `node` that say nothing about when its rows leave."""
    if isinstance(node, WindowNode):
        return {"id", "input"} | ({"aggregates", "group_by"} if node.emit == "final" else set())
    if isinstance(node, TopKNode):
        return {"id", "input", "group_by", "by", "k"}
    return {"id", "input", "inputs", "left", "right"} | ({"by"} if node.kind == "clip" else set())


def _plus(at: int | None, more: int | None) -> int | None:
    return None if at is None or more is None else at + more


def _largest(values: list[int | None]) -> int | None:
    return None if None in values else max(each for each in values if each is not None)
