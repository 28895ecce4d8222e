"""What each kind of node has to remember, and what bounds it. Windows have a module of their own."""

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
from streaming.planning.explain.facts import Facts
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.words import code, listed
from streaming.temporal.events import Shape
from streaming.temporal.ticks import parse_duration

TwoSided = JoinNode | AntiJoinNode | SemiJoinNode | AsofJoinNode | ClipNode
_OPEN: Final = "open edges"
_ITS_END: Final = "its end comes; an edge that nobody closes stays for ever"


def nothing(node: Node, facts: Facts) -> Iterator[ExplainedState]:
    """It looks at one event at a time."""
    del node, facts
    yield from ()


def of_input(node: InputNode, facts: Facts) -> Iterator[ExplainedState]:
    """The clocks, and the edges whose ends are to come."""
    advance = facts.advance[node.id]
    clock = "count since the last CTI, last CTI, largest start"
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
        yield _edges("the starts of open edges, by which ends find them (T11)", "its end comes, or its lane ends")


def of_edges(node: Node, facts: Facts) -> Iterator[ExplainedState]:
    """The starts of edges, where starts and ends come apart."""
    if facts.edges_reach(node):
        yield _edges(_OPEN, _ITS_END)


def of_extend(node: ExtendNode, facts: Facts) -> Iterator[ExplainedState]:
    """Only one that shortens waits for the ends of edges."""
    if parse_duration(node.by) < 0:
        yield from of_edges(node, facts)


def of_output(node: OutputNode, facts: Facts) -> Iterator[ExplainedState]:
    """Only a point at the end waits for ends."""
    if node.timestamp == "point_at_end":
        yield from of_edges(node, facts)


def of_order_edges(node: Node, facts: Facts) -> Iterator[ExplainedState]:
    """What is ahead of the CTI."""
    del facts
    yield ExplainedState(
        what="events, starts and ends ahead of the CTI",
        per="event",
        until="the CTI reaches their time",
        formula=f"events of {listed(sources(node))} with time > c",
        bounded_by="cti",
    )


def of_union(node: UnionNode, facts: Facts) -> Iterator[ExplainedState]:
    """What is ahead of the slowest."""
    del facts
    yield ExplainedState(
        what="rows ahead of the slowest input",
        per="event",
        until="the smallest of all CTIs reaches their start",
        formula=f"events of {listed(list(dict.fromkeys(node.inputs)))} with start > min of their CTIs",
        bounded_by="cti",
    )


def of_pairs(node: TwoSided, facts: Facts) -> Iterator[ExplainedState]:
    """Both sides, each for as long as the other side may bring an event that meets it."""
    left, right = sources(node)
    yield _side(node, facts, "left", left, right)
    yield _side(node, facts, "right", right, left)
    yield from of_edges(node, facts)


def of_clip(node: ClipNode, facts: Facts) -> Iterator[ExplainedState]:
    """Left events until they are cut or over; right starts until no left event can start before them."""
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
    """Left events until they are decided; of the right the latest for each key, and all that are later."""
    yield ExplainedState(
        what=f"events of {code(node.left)} that are not decided",
        per=_per(node),
        until=f"the CTI of {code(node.right)} is beyond their start",
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
        until=f"the CTI of {code(other)} reaches their end: nothing that is still to come meets them",
        formula=f"events of {code(side)} with end > c({other})",
        bounded_by="cti",
    )
    return _forgetting(node, facts, kept, field)


def _forgetting(node: TwoSided, facts: Facts, kept: ExplainedState, field: str) -> ExplainedState:
    """What came by `field`, unless late events that are kept come by the other: the fault of the check says so."""
    late = [fault for fault in facts.remembered.get(node.id, ()) if fault.field != field]
    if not late:
        return kept
    said = {
        "until": f"never. {late[0].message}",
        "formula": f"all that ever came by {field!r}",
        "bounded_by": "nothing",
    }
    return kept.model_copy(update=said)


def _edges(what: str, until: str) -> ExplainedState:
    return ExplainedState(
        what=what, per="open edge", until=until, formula="edges that are open", bounded_by="open_edges"
    )


def _per(node: TwoSided) -> str:
    if not node.keys:
        return "event: there is no key, so each meets every other"
    return f"event, by {listed(node.keys)}"
