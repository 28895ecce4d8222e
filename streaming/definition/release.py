"""The release of rows by each output of a query, and the effect of missing input rows on it.

Two versions of a query whose outputs release alike may take over from each other: at every point of the input, both
have emitted the same rows. A run that resumes at the old positions with empty state lacks the rows before
a moment. `Gap.whole` then is the time from which its rows are correct anyway.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from streaming.definition.analytic import AnalyticNode
from streaming.definition.checks.window_sizes import fixed_panes
from streaming.definition.checks.wiring import order
from streaming.definition.expanding import expanded
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
    StitchNode,
    TopKNode,
    UnionNode,
    WindowNode,
    sources,
)
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.definition.sequences.pattern import absences
from streaming.definition.sequences.pattern_text import parse_pattern
from streaming.definition.windows import FixedPanes, FixedWindow, SessionWindow
from streaming.temporal.ticks import Tick, parse_duration

_TRANSPARENT: Final = ("filter", "project")
"""Nodes that change neither the release of a row nor its lifetime."""


@dataclass(frozen=True)
class Gap:
    """The effect of missing rows, in ticks after the moment W at which the last of them ends; None: unbounded.

    Rows that start at W + `whole` or later are correct; missing or wrong rows have ended by W + `tail`.
    """

    whole: int | None
    tail: int | None


_ENDLESS: Final = Gap(None, None)


@dataclass(frozen=True)
class Release:
    """The release of an output. `sameness` is equal for outputs that release alike; `forgets`: no state before it.

    `windows`: the fixed windows that its rows are results of, if only filters and projections follow.
    `sessions`: its rows are results of session windows, and only filters and projections follow. `bounded`: an event
    changes no row that ends much later than the event, unlike for example in an anti join.
    """

    sameness: str
    forgets: bool
    gap: Gap
    windows: FixedPanes | None = None
    sessions: bool = False
    bounded: bool = True

    def reached_by(self, end: int) -> int | None:
        """Return the time up to which an output must be complete, so that an event until `end` changes nothing later.

        Compare it with `given_until`. None: the event may change rows at any later time.
        """
        if not self.bounded:
            return None
        if self.sessions:
            # The event joins no open session, because these start later, and no later event joins its session.
            return _plus(end, self.gap.whole)
        if self.windows is None or self.gap.whole is None:
            return _plus(end, self.gap.tail)
        return self.windows.bounds(self.windows.last_index(Tick(end + self.gap.whole)))[1]

    def given_until(self, cti: int) -> int:
        """Return the time up to which all rows are emitted at the output CTI `cti`; no row that ends later is."""
        return cti if self.windows is None else cti + self.windows.overlap

    def oldest_after(self, at: int) -> int:
        """Return the earliest start of a row that ends after `at`; an estimate if windows are not fixed."""
        return at if self.windows is None else self.windows.bounds(self.windows.first_open(Tick(at)))[0]


def releases(graph: QueryGraph, inputs: Mapping[str, str], edges: frozenset[str]) -> dict[str, Release]:
    """Return the release of each output of a checked graph.

    `inputs` holds a text for each input node that identifies its clock; `edges` are the inputs with edge events.
    """
    by_id = {node.id: node for node in expanded(graph).nodes}
    placed, _ = order(by_id)
    by_node: dict[str, Release] = {}
    for name in placed:
        node = by_id[name]
        before = [by_node[source] for source in sources(node)]
        by_node[name] = Release(
            _sameness(node, before, inputs),
            _keeps_nothing(node) and all(each.forgets for each in before),
            _gap(node, [each.gap for each in before], edges),
            _windows(node, before),
            _is_sessions(node, before),
            _is_bounded(node) and all(each.bounded for each in before),
        )
    return {node.id: by_node[node.id] for node in graph.nodes if isinstance(node, OutputNode)}


def _sameness(node: Node, before: list[Release], inputs: Mapping[str, str]) -> str:
    """Return a digest of everything that determines when the rows of `node` are released."""
    if node.kind in _TRANSPARENT:
        return before[0].sameness
    if isinstance(node, InputNode):
        content: object = ["input", node.id, inputs.get(node.id, "")]
    else:
        content = [node.model_dump(mode="json", exclude=_names(node)), *(each.sameness for each in before)]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _keeps_nothing(node: Node) -> bool:
    if isinstance(node, ExtendNode):
        return parse_duration(node.by) >= 0
    return node.kind in (*_TRANSPARENT, "input", "output", "shift", "set_duration")


def _windows(node: Node, before: list[Release]) -> FixedPanes | None:
    if isinstance(node, WindowNode | TopKNode):
        return fixed_panes(node) if isinstance(node.window, FixedWindow) else None
    if isinstance(node, OutputNode):
        return before[0].windows if node.timestamp == "lifetime" else None
    return before[0].windows if node.kind in _TRANSPARENT else None


def _is_sessions(node: Node, before: list[Release]) -> bool:
    if isinstance(node, WindowNode | TopKNode):
        return isinstance(node.window, SessionWindow)
    passes = node.timestamp == "lifetime" if isinstance(node, OutputNode) else node.kind in _TRANSPARENT
    return passes and before[0].sessions


def _is_bounded(node: Node) -> bool:
    """Return whether an event changes only rows that end with it, and not rows that last as long as another event."""
    if isinstance(node, JoinNode):
        return node.type == "inner"
    if isinstance(node, MatchRecognizeNode):
        return node.is_local
    return node.kind not in (
        "clip",
        "anti_join",
        "semi_join",
        "asof_join",
        "to_intervals",
        "order_edges",
        "stitch",
        "analytic",
    )


def _gap(node: Node, before: list[Gap], edges: frozenset[str]) -> Gap:
    """Return the gap of the rows of `node`, from the gaps of its inputs."""
    match node:
        case InputNode():
            return _ENDLESS if node.id in edges else Gap(0, 0)
        case AsofJoinNode() | StitchNode():
            return _ENDLESS  # it may join a row of any earlier time
        case WindowNode() | TopKNode():
            return _of_panes(node, before[0].tail)
        case MatchRecognizeNode() | AnalyticNode():
            return _of_rows_in_order(node, before[0])
        case _ if len(before) == 1:
            return _of_one(node, before[0])
    wholes, tails = [each.whole for each in before], [each.tail for each in before]
    # A joined row is correct only if the rows of all sides are.
    whole = _largest(wholes if isinstance(node, UnionNode) else wholes + tails)
    # If the row that should clip another is missing, the other is wrong for its whole lifetime.
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
            later = _plus(before.tail, 1)  # a missing row that has ended by then has its point there
            return Gap(later, later)
        case OutputNode() if node.timestamp != "lifetime":
            later = _plus(before.tail, 1)  # rows leave as points inside their lifetime, or at its end
            return Gap(later, later)
        case _:
            return before


def _of_rows_in_order(node: MatchRecognizeNode | AnalyticNode, before: Gap) -> Gap:
    return _of_rows(node, before) if isinstance(node, AnalyticNode) else _of_sequence(node, before)


def _of_rows(node: AnalyticNode, before: Gap) -> Gap:
    """Return the gap of rows that see others: a missing row changes those that see it, by their distance (T46)."""
    sees = _rows_seen(node)
    later = _plus(before.tail, sees)
    return Gap(_largest([_plus(before.whole, sees), later]), later)


def _rows_seen(node: AnalyticNode) -> int | None:
    """Return from which distance on rows see each other no more; None if no distance is known."""
    reach = None if node.reach is None else parse_duration(node.reach)
    sees: int | None = 0
    for column in node.columns:
        frame = column.frame
        bounds: list[int | None] = [None]
        if column.function == "row_number" or column.function.startswith("cusum"):
            return None  # a gap of the reach begins again, but none may come
        if column.framed and frame is not None and frame.unit == "range":
            bounds = [None if each is None else parse_duration(each) for each in (frame.preceding, frame.following)]
        for bound in bounds:
            seen = reach if bound is None else bound if reach is None else min(bound, reach)
            sees = _largest([sees, seen])
    return sees


def _of_panes(node: WindowNode | TopKNode, tail: int | None) -> Gap:
    spec = node.window
    fill = node.empty_gap if isinstance(node, WindowNode) else None
    filled = _plus(tail, 0 if fill is None else parse_duration(fill))
    if isinstance(spec, FixedWindow):
        return Gap(filled, _plus(filled, fixed_panes(node).size))
    if isinstance(spec, SessionWindow):
        # With `max`, each session starts where the full one before it ends, so a gap can shift all later sessions.
        return Gap(None if spec.max is not None else _plus(tail, parse_duration(spec.gap)), None)
    return Gap(tail, None)


def _of_sequence(node: MatchRecognizeNode, before: Gap) -> Gap:
    """Return the gap of matches: a row is in attempts that begin less than WITHIN before it (T39)."""
    if not node.is_local:
        return _ENDLESS
    within = parse_duration(node.within or 0)
    reach = within if node.reach is None else parse_duration(node.reach)
    longest = max((each.duration for each in absences(parse_pattern(node.pattern))), default=0)
    grown = _plus(before.tail, within + reach + longest)
    return Gap(grown, _plus(grown, reach))


def _names(node: Node) -> set[str]:
    """Return the fields of `node` that do not affect when its rows are released."""
    if isinstance(node, WindowNode):
        return {"id", "input"} | ({"aggregates", "group_by"} if node.emit == "final" else set())
    if isinstance(node, TopKNode):
        return {"id", "input", "group_by", "by", "k"}
    return {"id", "input", "inputs", "left", "right"} | ({"by"} if node.kind == "clip" else set())


def _plus(at: int | None, more: int | None) -> int | None:
    return None if at is None or more is None else at + more


def _largest(values: list[int | None]) -> int | None:
    return None if None in values else max(each for each in values if each is not None)
