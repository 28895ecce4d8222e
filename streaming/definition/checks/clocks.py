"""Nodes that never release their rows, because nothing advances time on an input before them (section 3)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streaming.definition.analytic import AnalyticNode
from streaming.definition.checks.advance import import_source
from streaming.definition.checks.wiring import order, ports
from streaming.definition.faults import Fault, FaultCode, warning
from streaming.definition.graph import (
    AntiJoinNode,
    AsofJoinNode,
    ClipNode,
    InputNode,
    JoinNode,
    Node,
    OrderEdgesNode,
    QueryGraph,
    SemiJoinNode,
    StitchNode,
    TopKNode,
    UnionNode,
    WindowNode,
)
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.definition.streams.stream import AdvanceTimeSettings, Rowtime, StreamDefinition

_HOLDING: Final[tuple[type[Any], ...]] = (
    WindowNode,
    TopKNode,
    UnionNode,
    JoinNode,
    AntiJoinNode,
    SemiJoinNode,
    AsofJoinNode,
    ClipNode,
    OrderEdgesNode,
    StitchNode,
    MatchRecognizeNode,
    AnalyticNode,
)
"""Nodes that emit no final row before a CTI of every input."""


@dataclass(frozen=True)
class HeldNode:
    """A `node` that emits no row before the inputs `stopped`, read by its `ports`, end; time advances on `moving`."""

    node: Node
    ports: Sequence[str]
    stopped: Sequence[str]
    moving: Sequence[str]


def find_held_nodes(
    graph: QueryGraph,
    streams: Mapping[str, StreamDefinition],
    settings: Mapping[str, AdvanceTimeSettings],
    own_ctis: Collection[str],
) -> tuple[HeldNode, ...]:
    """Return the first node on each path from an input without a clock that waits for CTIs that never arrive.

    `settings` are those in force by input node; `own_ctis` names the streams whose adapter enqueues CTIs itself.
    Nodes after such a node wait as well and are not listed.
    """
    by_id = {node.id: node for node in reversed(graph.nodes)}
    behind: dict[str, dict[str, bool]] = {}
    held: list[HeldNode] = []
    for name in order(by_id)[0]:
        node = by_id[name]
        if isinstance(node, InputNode):
            clock = name not in settings or _has_clock(name, graph, streams, settings, own_ctis)
            behind[name] = {name: clock}
            continue
        read = [(port, behind.get(source, {})) for port, source in ports(node)]
        inputs = {each: clock for _, some in read for each, clock in some.items()}
        if isinstance(node, _HOLDING) and not all(inputs.values()):
            waits = tuple(port for port, some in read if not all(some.values()))
            held.append(HeldNode(node, waits, _where(inputs, clock=False), _where(inputs, clock=True)))
            inputs = {each: True for each, clock in inputs.items() if clock}
        behind[name] = inputs
    return tuple(held)


def _where(inputs: Mapping[str, bool], *, clock: bool) -> tuple[str, ...]:
    return tuple(name for name, has in inputs.items() if has is clock)


def _has_clock(
    name: str,
    graph: QueryGraph,
    streams: Mapping[str, StreamDefinition],
    settings: Mapping[str, AdvanceTimeSettings],
    own_ctis: Collection[str],
) -> bool:
    """Return whether anything advances time on the input `name`; True for a broken import (reported elsewhere)."""
    stream_of = {node.id: node.stream for node in graph.nodes if isinstance(node, InputNode)}
    seen: set[str] = set()
    while name in settings and name not in seen:
        seen.add(name)
        stream, used = stream_of[name], settings[name]
        if used.preset or used.generate or stream in own_ctis or streams[stream].rowtime is Rowtime.IMPLICIT:
            return True
        if used.import_from is None:
            return False
        name = import_source(graph, used.import_from) or ""
    return True


def check_held(held: Iterable[HeldNode]) -> Iterator[Fault]:
    """Yield the warning NO_CLOCK for each node that waits."""
    for each in held:
        stopped, many = _listed(each.stopped), len(each.stopped) > 1
        nothing = f"Nothing advances time on {stopped}, so"
        if isinstance(each.node, WindowNode | TopKNode):
            ends = f"before {'they end' if many else 'it ends'}"
            what = f"no window closes and no result is emitted {ends}"
            if isinstance(each.node, WindowNode) and each.node.emit == "running":
                what = f"no window closes {ends}, and all stay in memory"
        else:
            what = f"this {each.node.kind} emits nothing before {'they end' if many else 'it ends'}"
        also = f", although time advances on {_listed(each.moving)}" if each.moving else ""
        remedy = f"Set 'generate' on {stopped}, for example every 100 events with a delay of 10s."
        if each.moving and not isinstance(each.node, WindowNode | TopKNode):
            remedy = f"Set {stopped} to generate CTIs, or to import those of {each.moving[0]!r}."
        field = "window" if isinstance(each.node, WindowNode | TopKNode) else each.ports[0]
        yield warning(FaultCode.NO_CLOCK, f"{nothing} {what}{also}.", remedy, node=each.node.id, field=field)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(map(repr, names))


def drop_repeated_no_clock(faults: Iterable[Fault], held: Iterable[HeldNode]) -> list[Fault]:
    """Return `faults` without NO_CLOCK of inputs that a waiting node already reports in more detail."""
    reported = {name for each in held for name in each.stopped}
    return [fault for fault in faults if fault.code is not FaultCode.NO_CLOCK or fault.node not in reported]
