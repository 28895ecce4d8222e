"""What Spark and the columnar engine carry today; the rest is run by the reference only, and refused before a start.

Read by the engine and by whoever starts a run, so that nothing is said twice. What is not listed here is refused: a
setting that an engine silently ignored would be the worst of faults.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Final

from streaming.definition.faults import Fault, FaultCode, error
from streaming.definition.graph import InputNode, Node, OutputNode, QueryGraph, WindowNode
from streaming.definition.streams import Rowtime, StreamDefinition
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime, Generate
from streaming.temporal.ticks import parse_duration

CARRIED_KINDS: Final = frozenset({"input", "filter", "project", "window", "output"})
CARRIED_WINDOWS: Final = frozenset({"tumbling", "hopping"})
CARRIED_AGGREGATES: Final = frozenset({"count", "sum", "avg", "min", "max"})
CARRIED_ADVANCE: Final = frozenset({"generate", "late", "late_end"})
CARRIED_GENERATE: Final = frozenset({"every_count", "every_ticks", "delay", "basis", "final"})
_REMEDIES: Final = {
    "over": "Leave it out, so that each lane has one clock.",
    "import_from": "Leave it out, and let the input generate CTIs of its own.",
    "default_grace": "Set 'grace' to 0s in its windows, or use another preset than lenses.",
    "late_arrival": "Leave it out; use the preset watermark(delay) instead of azure.",
}
"""What mends a setting of time, where more is to be said than that it must go."""


def not_carried(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], advance: Mapping[str, AdvanceTime]
) -> tuple[Fault, ...]:
    """A NOT_CARRIED error for everything in a definition without other errors that Spark and the engine cannot run.

    `streams` is by name, `advance` holds the settings in force by the id of the input node, in which fields of their
    faults are paths. The future guard (T18) may stand as it is by default: these executors know no arrival times, and
    without them it does nothing.
    """
    grace = any(isinstance(node, WindowNode) and node.grace is None for node in graph.nodes)
    found: list[Fault] = []
    for node in graph.nodes:
        found.extend(_node(node))
        if isinstance(node, InputNode):
            found.extend(_stream(node, streams[node.stream]))
            found.extend(_advance(node.id, advance.get(node.id, AdvanceTime()), grace=grace))
    return tuple(found)


def _node(node: Node) -> Iterator[Fault]:
    if node.kind not in CARRIED_KINDS:
        message = f"Nodes of kind {node.kind} do not run on Spark yet."
        yield _fault(message, "Take the node out; so far only the reference runs it.", node.id, "kind")
    elif isinstance(node, WindowNode):
        yield from _window(node)
    elif isinstance(node, OutputNode) and node.timestamp != "lifetime":
        message = f"The output timestamp {node.timestamp} does not run on Spark yet."
        yield _fault(message, "Set 'timestamp' to lifetime.", node.id, "timestamp")


def _window(node: WindowNode) -> Iterator[Fault]:
    if node.window.kind not in CARRIED_WINDOWS:
        message = f"Windows of kind {node.window.kind} do not run on Spark yet."
        yield _fault(message, "Use tumbling or hopping windows.", node.id, "window.kind")
    if node.grace is not None and parse_duration(node.grace) != 0:
        message = f"A grace of {node.grace} does not run on Spark yet: windows close at their end."
        remedy = "Set 'grace' to 0s, and give the input a longer delay."
        yield _fault(message, remedy, node.id, "grace")
    if node.emit != "final":
        message = f"Rows before the final one (emit {node.emit}) do not run on Spark yet."
        yield _fault(message, "Set 'emit' to final.", node.id, "emit")
    if node.retract:
        yield _fault("Deletion rows do not run on Spark yet.", "Set 'retract' to false.", node.id, "retract")
    if node.empty != "skip":
        message = "Rows for windows without events do not run on Spark yet."
        yield _fault(message, "Set 'empty' to skip.", node.id, "empty")
    for index, aggregate in enumerate(node.aggregates):
        if aggregate.function not in CARRIED_AGGREGATES:
            message = f"{aggregate.name!r}: {aggregate.function} does not run on Spark yet."
            remedy = f"Use one of {', '.join(sorted(CARRIED_AGGREGATES))}."
            yield _fault(message, remedy, node.id, f"aggregates[{index}].function")


def _stream(node: InputNode, stream: StreamDefinition) -> Iterator[Fault]:
    if stream.shape is Shape.EDGE:
        message = f"Stream {node.stream!r} has edge events, which do not run on Spark yet."
        yield _fault(message, "Use point or interval events.", node.id, "stream")
    if stream.rowtime is Rowtime.IMPLICIT:
        message = f"Stream {node.stream!r} takes its times from the arrival of rows, which does not run on Spark yet."
        yield _fault(message, "Name the column that holds the time of each row.", node.id, "stream")


def _advance(node: str, settings: AdvanceTime, *, grace: bool) -> Iterator[Fault]:
    """Every setting of time with another value than its default that is not listed as carried."""
    ours = {each.name for each in fields(AdvanceTime)} - CARRIED_ADVANCE
    if not grace:
        ours.remove("default_grace")
    said = _said(settings, AdvanceTime(), ours)
    if settings.generate is not None:
        ours = {each.name for each in fields(Generate)} - CARRIED_GENERATE
        said += [f"generate.{name}" for name in _said(settings.generate, Generate(settings.generate.delay), ours)]
    for name in said:
        message = f"The time setting {name!r} does not run on Spark yet."
        yield _fault(message, _REMEDIES.get(name, "Leave it out."), node, name)


def _said(settings: object, default: object, names: set[str]) -> list[str]:
    return sorted(name for name in names if getattr(settings, name) != getattr(default, name))


def _fault(message: str, remedy: str, node: str, field: str) -> Fault:
    return error(FaultCode.NOT_CARRIED, message, remedy, node=node, field=field)
