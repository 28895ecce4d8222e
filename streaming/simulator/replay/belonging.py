"""The results of a window that a late row belonged to, for windows with only per-row nodes before them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from streaming.definition.expressions.tree import Expression, Field
from streaming.definition.graph import InputNode, Node, OutputNode, QueryGraph, WindowNode, sources
from streaming.definition.payload.types import Fields, is_ordered
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.windows import FixedPanes
from streaming.planning.checked import CheckedGraph
from streaming.planning.nodes import is_step, step_of, typed_node
from streaming.planning.plan import WindowSpec
from streaming.planning.steps import ExtendStep, FilterStep, ProjectStep, SetDurationStep, ShiftStep, Step
from streaming.planning.validity import InvalidDefinition, checked_graph
from streaming.reference.build import build
from streaming.reference.flow import Flow
from streaming.reference.operators.per_event import PerEvent
from streaming.simulator.recorded.silence import SILENT
from streaming.simulator.replay.rows import as_kept
from streaming.temporal.events import Event
from streaming.temporal.ticks import INFINITY
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT
from streaming.wire.messages import LateEvent
from streaming.wire.rows.payload_json import payload_to_json

_WHOLE: Final = frozenset({"point", "interval"})


class NotKnown(Exception):
    """The results that a row belonged to can't be determined, because of the reason in words."""


@dataclass(frozen=True, order=True)
class ResultKey:
    """A result row by its lifetime (`end` None: infinity) and the values of its group, as results store them."""

    start: int
    end: int | None
    group: tuple[Any, ...]


@dataclass(frozen=True)
class _Way:
    """The nodes from the input to the output: `before` and `after` the window, in the order of rows."""

    input: str
    before: Sequence[str]
    window: str
    after: Sequence[str]


class Belonging:
    """Finds the results of the output `output` that late rows of the input `input` belonged to.

    `group` are the fields of the output that have the window's groups, in the order of `ResultKey.group`. `totals`
    are those that have the number of all rows of their window and group.
    """

    def __init__(self, graph: QueryGraph, streams: Mapping[str, StreamDefinition], output: str) -> None:
        """Take a valid query, and the stream of each input by its node. Raises `NotKnown`."""
        checked = _checked(graph, streams)
        nodes = {node.id: node for node in checked.graph.nodes}
        way = _way(nodes, output)
        self.input = way.input
        self._stream = streams[way.input]
        if self._stream.shape not in _WHOLE:
            raise NotKnown("the input consists of edges or of a table, whose rows have no fixed lifetime")
        spec = typed_node(nodes[way.window], checked)
        if not isinstance(spec, WindowSpec) or not isinstance(spec.panes, FixedPanes):
            raise NotKnown("the windows depend on the rows that are in them")
        operators = build(checked)
        before = [step_of(nodes[name], checked) for name in way.before]
        after = [step_of(nodes[name], checked) for name in way.after]
        self._before = [_operator(operators[name]) for name in way.before]
        self._times = [_operator(operators[step.node]) for step in after if not isinstance(step, _UNTIMED)]
        self._panes = spec.panes
        self._group_by = spec.group_by
        self._group_fields: Fields = {name: checked.schemas[way.window][name] for name in spec.group_by}
        if not all(is_ordered(of) for of in self._group_fields.values()):
            raise NotKnown("the window groups its rows by lists or structures")
        self.group = tuple(_required(_followed(spec.group_by, after)))
        counts = [each.name for each in spec.aggregates if each.function == "count" and each.of is each.where is None]
        self.totals = frozenset(name for name in _followed(counts, after).values() if name is not None)
        read = (self._stream.shape, dict(self._stream.fields))
        self._identity = (self.input, read, before, spec.panes, spec.group_by, after)

    def same_as(self, other: "Belonging") -> bool:
        """Return whether both find the same results for every row."""
        return self._identity == other._identity

    def places(self, late: LateEvent) -> list[ResultKey] | None:
        """Return the results that `late` belonged to; None if its text can't be read again."""
        element = as_kept(late, self._stream)
        if not isinstance(element, Event):
            return None
        flow: Flow | None = Flow("late", element.start, element.end, element.payload, frozenset(), element.start)
        for operator in self._before:
            flow = None if flow is None else operator.rule.one(flow, SILENT)
        return [] if flow is None else list(self._results(flow))

    def _results(self, flow: Flow) -> Iterator[ResultKey]:
        indices = self._panes.indices(flow.start, flow.end)
        if len(indices) > MAX_WINDOWS_PER_EVENT:
            return  # such a row is malformed, and belongs to no window
        group = {name: flow.payload[name] for name in self._group_by}
        stored = tuple(payload_to_json(group, self._group_fields).values())
        for index in indices:
            start, end = self._panes.bounds(index)
            row: Flow | None = replace(flow, start=start, end=end, payload=group)
            for operator in self._times:
                row = None if row is None else operator.rule.one(row, SILENT)
            if row is not None:
                yield ResultKey(row.start, None if row.end == INFINITY else row.end, stored)


_UNTIMED: Final = (FilterStep, ProjectStep)
"""Steps that don't change lifetimes. A filter after the window only decides whether a result is there."""


def _checked(graph: QueryGraph, streams: Mapping[str, StreamDefinition]) -> CheckedGraph:
    own = tuple(
        node.model_copy(update={"stream": node.id}) if isinstance(node, InputNode) else node for node in graph.nodes
    )
    try:
        return checked_graph(graph.model_copy(update={"nodes": own}), streams, {})
    except InvalidDefinition:
        raise NotKnown("the query has errors in this version of the program") from None


def _way(nodes: Mapping[str, Node], output: str) -> _Way:
    last = nodes.get(output)
    if not isinstance(last, OutputNode):
        raise NotKnown("this version of the query has no such output")
    if last.timestamp != "lifetime":
        raise NotKnown("the rows of this output don't have the times of their windows")
    after, name = _steps_up(nodes, last.input)
    window = nodes[name]
    if isinstance(window, InputNode):
        raise NotKnown("no window summarises the rows of this output")
    if not isinstance(window, WindowNode):
        raise NotKnown(f"the node {name!r} is between the window and the output")
    before, start = _steps_up(nodes, window.input)
    if not isinstance(nodes[start], InputNode):
        raise NotKnown(f"the node {start!r} before the window combines or delays rows")
    return _Way(start, before, name, after)


def _steps_up(nodes: Mapping[str, Node], name: str) -> tuple[list[str], str]:
    """Return the per-row nodes from `name` upwards, in the order of rows, and the first other node."""
    steps: list[str] = []
    while is_step(nodes[name]):
        steps.insert(0, name)
        [name] = sources(nodes[name])
    return steps, name


def _operator(operator: Any) -> PerEvent:
    if not isinstance(operator, PerEvent):
        raise TypeError(f"{operator} is not the operator of a step")
    return operator


def _followed(fields: Sequence[str], after: Sequence[Step]) -> dict[str, str | None]:
    """Return the names of the window's `fields` in the output, None for one that it doesn't have. Raises `NotKnown`."""
    names: dict[str, str | None] = {name: name for name in fields}
    for step in after:
        match step:
            case ProjectStep():
                copied = {path: column for column, of, _ in reversed(step.columns) if (path := _copied(of)) is not None}
                names = {name: None if now is None else copied.get(now) for name, now in names.items()}
            case SetDurationStep() if not isinstance(step.duration, int):
                raise NotKnown(f"the node {step.node!r} computes the times of each result from its values")
            case FilterStep() | SetDurationStep() | ShiftStep() | ExtendStep():
                pass
            case _:
                raise TypeError(f"{step} is not the step of a node")
    return names


def _required(names: Mapping[str, str | None]) -> Iterator[str]:
    for name, now in names.items():
        if now is None:
            raise NotKnown(f"the output doesn't have the field {name!r}, a group of the window")
        yield now


def _copied(expression: Expression) -> str | None:
    return expression.path[0] if isinstance(expression, Field) and len(expression.path) == 1 else None
