"""Checks of a query together with the advance-time settings of its inputs (T15, T16, T19, T26)."""

from collections.abc import Collection, Iterator, Mapping

from streaming.definition.checks.advance import import_source, in_force, to_temporal
from streaming.definition.checks.clocks import check_held, find_held_nodes
from streaming.definition.checks.findings import expression_type
from streaming.definition.checks.late_events import check_late
from streaming.definition.checks.tables import check_followed
from streaming.definition.faults import Fault, FaultCode, error, nearest, warning
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.payload.type_text import TypeTextError, parse_fields
from streaming.definition.payload.types import Null, is_ordered
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.temporal.settings import AdvanceTime, Idle

_NAME_AN_INPUT = "Write the id of another input of this query."


def check_binding(
    graph: QueryGraph,
    streams: Mapping[str, StreamDefinition],
    advance: Mapping[str, AdvanceTimeSettings],
    own_ctis: Collection[str] | None = None,
) -> tuple[Fault, ...]:
    """Return all faults of `graph` together with the settings in force on its inputs; never raises.

    `streams` is by name. `advance` is by input node; an input that it leaves out has its stream's settings. Faults of
    settings have the id of the input node and a path inside the settings, those of the graph a path inside the node.
    Faults that `check` and `check_advance` report are not repeated. `own_ctis` names the streams whose adapter
    enqueues CTIs itself; None: any may, so no node is reported to wait for a clock.
    `clock_checks.drop_repeated_no_clock` removes the warnings of `check_advance` that these replace.
    """
    settings = in_force(graph, streams, advance)
    read = {name: clock for name, each in settings.items() if (clock := _read(each)) is not None}
    return (
        *check_followed(graph, streams),
        *_check_imports(graph, {name: each.import_from for name, each in settings.items()}),
        *_check_over(graph, streams, settings),
        *_check_idle(graph, streams, settings),
        *(() if own_ctis is None else check_held(find_held_nodes(graph, streams, settings, own_ctis))),
        *check_late(graph, streams, read, {name for name, each in settings.items() if each.preset is not None}),
    )


def _check_idle(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], settings: Mapping[str, AdvanceTimeSettings]
) -> Iterator[Fault]:
    """Yield the warning NO_EFFECT where leaving out the idle lane has no effect: the input has only one (T16)."""
    for node in graph.nodes:
        if not isinstance(node, InputNode) or node.id not in settings:
            continue
        used, lanes = settings[node.id], streams[node.stream].lanes
        leaves_out = used.idle_after is not None and used.idle in (None, Idle.LEAVE_OUT) and used.over is None
        if not leaves_out or len(lanes or ()) > 1:
            continue
        if lanes:
            message = f"The input {node.id!r} has only one lane, so leaving it out while it is idle has no effect."
        else:
            message = (
                f"The stream {node.stream!r} lists no lanes. If its adapter has only one lane, leaving it out while it "
                "is idle has no effect."
            )
        message += (
            " While it is silent, the CTI of this input does not advance, and every union or join that reads it waits."
        )
        remedy = "Set 'idle' to 'advance': it moves the CTI with the wall clock while the lane is silent."
        yield warning(FaultCode.NO_EFFECT, message, remedy, node=node.id, field="idle")


def _read(settings: AdvanceTimeSettings) -> AdvanceTime | None:
    try:
        return to_temporal(settings)
    except ValueError:  # check_advance reports what is wrong with them
        return None


def _check_imports(graph: QueryGraph, imports: Mapping[str, str | None]) -> Iterator[Fault]:
    sources: dict[str, str] = {}
    for name, wanted in imports.items():
        if wanted is None:
            continue
        source = import_source(graph, wanted)
        if source is None:
            yield _unknown_import(graph, name, wanted)
        else:
            sources[name] = source
    named: set[str] = set()
    for name in sources:
        circle = _import_circle(name, sources)
        if circle and name not in named:
            named.update(circle)
            message = f"Inputs import their CTIs from each other in a cycle: {' <- '.join([*circle, name])}."
            remedy = "Let one of these inputs generate its own CTIs." if len(circle) > 1 else _NAME_AN_INPUT
            yield error(FaultCode.IMPORT_CYCLE, message, remedy, node=name, field="import_from")


def _unknown_import(graph: QueryGraph, name: str, wanted: str) -> Fault:
    inputs = [node for node in graph.nodes if isinstance(node, InputNode)]
    readers = [node.id for node in inputs if node.stream == wanted]
    if readers:
        message = f"Several inputs read the stream {wanted!r}: {', '.join(readers)}."
        remedy = "Write the id of one of them."
    else:
        message = f"There is no input {wanted!r} to import CTIs from."
        known = [text for node in inputs for text in (node.id, node.stream) if node.id != name]
        remedy = nearest(wanted, known, _NAME_AN_INPUT)
    return error(FaultCode.UNKNOWN_INPUT, message, remedy, node=name, field="import_from")


def _import_circle(name: str, sources: Mapping[str, str]) -> list[str]:
    """Return the path from `name` along its imports back to it; empty if it does not lead back."""
    way = [name]
    while (following := sources.get(way[-1])) is not None and following not in way:
        way.append(following)
    return way if following == name else []


def _check_over(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], settings: Mapping[str, AdvanceTimeSettings]
) -> Iterator[Fault]:
    for node in graph.nodes:
        over = settings[node.id].over if node.id in settings else None
        if isinstance(node, InputNode) and over is not None:
            yield from _check_key(over, streams[node.stream], node.id)


def _check_key(over: str, stream: StreamDefinition, node: str) -> Iterator[Fault]:
    try:
        fields = parse_fields(stream.fields)
    except TypeTextError:  # check_fields reports what is wrong with them
        fields = None
    of = expression_type(over, fields)
    if of is None or isinstance(of, tuple):
        return
    if isinstance(of, Null) or not is_ordered(of):
        message = f"'over' needs values that can be compared, one clock for each; this expression is of type {of}."
        remedy = "Write a field or an expression that is a number, a text, a boolean or a timestamp."
        yield error(FaultCode.TYPE_MISMATCH, message, remedy, node=node, field="over")
