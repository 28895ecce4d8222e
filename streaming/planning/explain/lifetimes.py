"""Lifetimes of the output events of each kind of node, as far as the definition determines them."""

from collections.abc import Mapping, Sequence
from typing import Any

from streaming.definition.graph import (
    ChopNode,
    ExtendNode,
    InputNode,
    JoinNode,
    OutputNode,
    SetDurationNode,
    TopKNode,
    WindowNode,
)
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.explain.explain_facts import ANY_LENGTH, POINT, LifetimeBound
from streaming.planning.explain.model import ExplainedLifetime
from streaming.planning.explain.windows.registry import window_kind
from streaming.planning.explain.words import spoken
from streaming.temporal.events import Shape
from streaming.temporal.ticks import ONE_TICK, Ticks, parse_duration

Streams = Mapping[str, StreamDefinition]
Before = Sequence[LifetimeBound]
_EDGES = LifetimeBound(None, edges=True)
_SHAPES = {Shape.POINT: POINT, Shape.INTERVAL: ANY_LENGTH, Shape.EDGE: _EDGES, Shape.TABLE: _EDGES}


def of_input(node: InputNode, before: Before, streams: Streams) -> LifetimeBound:
    """Return the lifetime in the stream."""
    del before
    return _SHAPES[streams[node.stream].shape]


def unchanged(node: Any, before: Before, streams: Streams) -> LifetimeBound:
    """Return the lifetime at the first port, which is the left."""
    del node, streams
    return before[0]


def closed(node: Any, before: Before, streams: Streams) -> LifetimeBound:
    """Return the lifetime at the first port, with starts and ends together."""
    del node, streams
    return LifetimeBound(before[0].longest)


def of_point_at_end(node: Any, before: Before, streams: Streams) -> LifetimeBound:
    """Return a point."""
    del node, before, streams
    return POINT


def of_set_duration(node: SetDurationNode, before: Before, streams: Streams) -> LifetimeBound:
    """Return the new duration; any length if the payload determines it."""
    del before, streams
    return ANY_LENGTH if node.duration is None else LifetimeBound(parse_duration(node.duration))


def of_extend(node: ExtendNode, before: Before, streams: Streams) -> LifetimeBound:
    """Return the extended lifetime; a node that shortens waits for the ends of edges."""
    del streams
    by, (life,) = parse_duration(node.by), before
    longest = None if life.longest is None else Ticks(max(ONE_TICK, life.longest + by))
    return LifetimeBound(longest, life.edges and by >= 0)


def of_chop(node: ChopNode, before: Before, streams: Streams) -> LifetimeBound:
    """Return the lifetime of pieces, at most the period; edges stay edges."""
    del streams
    period, (life,) = parse_duration(node.period), before
    return LifetimeBound(period if life.longest is None else Ticks(min(period, life.longest)), life.edges)


def of_stitch(node: Any, before: Before, streams: Streams) -> LifetimeBound:
    """Return any length: each piece may make a chain longer."""
    del node, before, streams
    return ANY_LENGTH


def longest(node: Any, before: Before, streams: Streams) -> LifetimeBound:
    """Return the longest lifetime of all inputs."""
    del node, streams
    lengths = [life.longest for life in before if life.longest is not None]
    bounded = len(lengths) == len(before)
    return LifetimeBound(max(lengths) if bounded else None, any(life.edges for life in before))


def of_join(node: JoinNode, before: Before, streams: Streams) -> LifetimeBound:
    """Return the lifetime of pairs: while both events live; a left event without a partner lives as before."""
    del streams
    lengths = [life.longest for life in before if life.longest is not None]
    edges = any(life.edges for life in before)
    if node.type == "left_outer":
        return LifetimeBound(before[0].longest, edges)
    return LifetimeBound(min(lengths, default=None), edges)


def of_window(node: WindowNode | TopKNode, before: Before, streams: Streams) -> LifetimeBound:
    """Return the lifetime of the rows of its windows."""
    del streams
    return window_kind(node).life(node, before[0])


def of_output(node: OutputNode, before: Before, streams: Streams) -> LifetimeBound:
    """Return the lifetime of the rows, or a point (T22)."""
    del streams
    return before[0] if node.timestamp == "lifetime" else POINT


def explain_lifetime(life: LifetimeBound) -> ExplainedLifetime:
    """Return `life` in words."""
    if life.edges:
        text = "edges: a start and, once it is known, an end"
        if life.longest is not None:
            text += f", at most {spoken(life.longest)} later"
        return ExplainedLifetime(shape="edges", longest=life.longest, text=text)
    if life.longest == ONE_TICK:
        return ExplainedLifetime(shape="points", longest=life.longest, text="points")
    length = "of any length" if life.longest is None else f"of at most {spoken(life.longest)}"
    return ExplainedLifetime(shape="intervals", longest=life.longest, text=f"intervals {length}")
