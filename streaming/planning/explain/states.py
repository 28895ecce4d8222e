"""The state of each kind of node, and its bounds. Windows have their own module."""

from collections.abc import Iterator
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.graph import (
    AntiJoinNode,
    AsofJoinNode,
    ClipNode,
    ExtendNode,
    InputNode,
    JoinNode,
    Node,
    OutputNode,
    SemiJoinNode,
    UnionNode,
    sources,
)
from streaming.planning.explain.explain_facts import Facts
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.words import code, listed
from streaming.temporal.events import Shape
from streaming.temporal.ticks import parse_duration

TwoSided = JoinNode | AntiJoinNode | SemiJoinNode | AsofJoinNode | ClipNode
_OPEN: Final = "open edges"
_ITS_END: Final = "its end arrives; an edge without an end stays forever"


def nothing(node: Node, facts: Facts) -> Iterator[ExplainedState]:
    """Yield no state: the node handles one event at a time."""
    del node, facts
    yield from ()


def of_input(node: InputNode, facts: Facts) -> Iterator[ExplainedState]:
    """Yield the clocks, and the edges whose ends are still missing."""
    advance = facts.advance[node.id]
    clock = "events since the last CTI, the last CTI, the largest start"
    lanes = facts.streams[node.stream].lanes
    yield ExplainedState(
        what=f"the clock: {clock}",
        per="lane",
        until="the end of the run",
        formula="lanes of the adapter" if lanes is None else counted(len(lanes), "lane"),
        bounded_by="lanes",
    )
    if advance.over is not None:
        yield ExplainedState(
            what=f"a clock for each value of {code(advance.over)}",
            per="lane and value",
            until="the end of the run",
            formula="lanes x values ever seen",
            bounded_by="keys",
        )
    if facts.streams[node.stream].shape is Shape.EDGE:
        yield _edges("the starts of open edges, to match their ends (T11)", "its end arrives, or its lane ends")


def of_edges(node: Node, facts: Facts) -> Iterator[ExplainedState]:
    """Yield the starts of edges, if starts and ends arrive separately."""
    if facts.edges_reach(node):
        yield _edges(_OPEN, _ITS_END)


def of_extend(node: ExtendNode, facts: Facts) -> Iterator[ExplainedState]:
    """Yield open edges for a node that shortens lifetimes: only that waits for the ends of edges."""
    if parse_duration(node.by) < 0:
        yield from of_edges(node, facts)


def of_output(node: OutputNode, facts: Facts) -> Iterator[ExplainedState]:
    """Yield open edges for a point at the end: only that waits for ends."""
    if node.timestamp == "point_at_end":
        yield from of_edges(node, facts)


def of_order_edges(node: Node, facts: Facts) -> Iterator[ExplainedState]:
    """Yield the events ahead of the CTI."""
    del facts
    yield ExplainedState(
        what="events, starts and ends ahead of the CTI",
        per="event",
        until="the CTI reaches their time",
        formula=f"events of {listed(sources(node))} with time > c",
        bounded_by="cti",
    )


def of_stitch(node: Node, facts: Facts) -> Iterator[ExplainedState]:
    """Yield the chains that are not closed, and the pieces ahead of the CTI."""
    del facts
    yield ExplainedState(
        what="chains of pieces that are not closed, and pieces ahead of the CTI",
        per="chain, and piece",
        until="the CTI is after their end",
        formula=f"chains with end >= c, and events of {listed(sources(node))} with start >= c",
        bounded_by="cti",
    )


def of_union(node: UnionNode, facts: Facts) -> Iterator[ExplainedState]:
    """Yield the rows ahead of the slowest input."""
    del facts
    yield ExplainedState(
        what="rows ahead of the slowest input",
        per="event",
        until="the smallest of all CTIs reaches their start",
        formula=f"events of {listed(list(dict.fromkeys(node.inputs)))} with start > min of their CTIs",
        bounded_by="cti",
    )


def of_pairs(node: TwoSided, facts: Facts) -> Iterator[ExplainedState]:
    """Yield both sides; each event stays while a matching event of the other side may still arrive."""
    left, right = sources(node)
    yield _side(node, facts, "left", left, right)
    yield _side(node, facts, "right", right, left)
    yield from of_edges(node, facts)


def of_clip(node: ClipNode, facts: Facts) -> Iterator[ExplainedState]:
    """Yield left events until they are clipped or end, and right starts until no left event can start before them."""
    yield ExplainedState(
        what=f"events of {code(node.input)}",
        per=_per(node),
        until=f"the CTI of {code(node.by)} reaches their end, or the start that clips them",
        formula=f"events of {code(node.input)} with min(end, first clip) > c({node.by})",
        bounded_by="cti",
    )
    yield _forgetting(
        node,
        facts,
        ExplainedState(
            what=f"starts of {code(node.by)}",
            per=_per(node),
            until=f"the CTI of {code(node.input)} reaches them",
            formula=f"starts of {code(node.by)} > c({node.input})",
            bounded_by="cti",
        ),
        "by",
    )
    yield from of_edges(node, facts)


def of_asof(node: AsofJoinNode, facts: Facts) -> Iterator[ExplainedState]:
    """Yield left events until they are decided, and right events: the latest for each key and all later ones."""
    yield ExplainedState(
        what=f"events of {code(node.left)} that are not decided",
        per=_per(node),
        until=f"the CTI of {code(node.right)} is after their start",
        formula=f"events of {code(node.left)} with start >= c({node.right})",
        bounded_by="cti",
    )
    latest = f"the latest event of {code(node.right)}, and every later one"
    yield _forgetting(
        node,
        facts,
        ExplainedState(
            what=latest,
            per=_per(node),
            until=f"a later one starts at or before the CTIs of {code(node.left)} and {code(node.right)}",
            formula=f"1 for each key ever seen + events of {code(node.right)} with start > c({node.left})",
            bounded_by="keys",
        ),
        "right",
    )
    if facts.lives[node.left].edges:
        yield _edges(f"open edges of {code(node.left)} with their row", _ITS_END)


def _side(node: TwoSided, facts: Facts, field: str, side: str, other: str) -> ExplainedState:
    kept = ExplainedState(
        what=f"events of {code(side)}",
        per=_per(node),
        until=f"the CTI of {code(other)} reaches their end: later events cannot meet them",
        formula=f"events of {code(side)} with end > c({other})",
        bounded_by="cti",
    )
    return _forgetting(node, facts, kept, field)


def _forgetting(node: TwoSided, facts: Facts, kept: ExplainedState, field: str) -> ExplainedState:
    """Return `kept` of `field`; without a bound if kept late events arrive by the other, as the check warns."""
    late = [fault for fault in facts.remembered.get(node.id, ()) if fault.field != field]
    if not late:
        return kept
    unbounded = {
        "until": f"never. {late[0].message}",
        "formula": f"all events that ever reached {field!r}",
        "bounded_by": "nothing",
    }
    return kept.model_copy(update=unbounded)


def _edges(what: str, until: str) -> ExplainedState:
    return ExplainedState(what=what, per="open edge", until=until, formula="open edges", bounded_by="open_edges")


def _per(node: TwoSided) -> str:
    if not node.keys:
        return "event: without a key, each can meet every other"
    return f"event, by {listed(node.keys)}"
