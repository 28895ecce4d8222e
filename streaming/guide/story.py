"""What happened in a run of the reference, in the order in which a picture tells it."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from streaming.definition.graph import InputNode, OutputNode, QueryGraph
from streaming.reference.cases import finished_run
from streaming.reference.flow import ElementId
from streaming.reference.output import OutputRow
from streaming.temporal.clock import Judged
from streaming.temporal.ticks import NO_CTI, Tick
from streaming.wire.case import Case, CaseRow, EndMode

_WATCH = "cti_of_"


@dataclass(frozen=True)
class Received:
    """One row as it arrived; `number` counts the events of its stream from 1, None for a CTI or a heartbeat.

    `cti` is the CTI of the input before it, `cti_after` the one after it. `used` says whether some result contains it.
    """

    row: CaseRow
    number: int | None
    judged: Judged | None
    cti: Tick
    cti_after: Tick
    used: bool


@dataclass(frozen=True)
class Released:
    """One row of a result with the names of the events that made it."""

    row: OutputRow
    made_by: tuple[str, ...]


@dataclass(frozen=True)
class Story:
    """A run: what each stream received, what each output released, and the CTIs of each output."""

    received: Mapping[str, tuple[Received, ...]]
    released: Mapping[str, tuple[Released, ...]]
    output_ctis: Mapping[str, tuple[Tick, ...]]


def tell(case: Case) -> Story:
    """Run `case` by the reference and tell what happened."""
    run = finished_run(case)
    inputs = {node.stream: node.id for node in case.graph.nodes if isinstance(node, InputNode)}
    used = {element for row in run.outputs for element in row.flow.sources}
    received: dict[str, list[Received]] = {stream: [] for stream in inputs}
    numbers: dict[ElementId, int] = {}
    positions: Counter[tuple[str, str]] = Counter()
    ctis = _input_ctis(case)
    for place, row in enumerate(case.rows):
        element = ElementId(inputs[row.stream], row.lane, positions[row.stream, row.lane])
        judged = run.judged.get(element) if "heartbeat" not in row.fields else None
        if "heartbeat" not in row.fields:
            positions[row.stream, row.lane] += 1
        if judged is not None:
            numbers[element] = sum(each.number is not None for each in received[row.stream]) + 1
        before, after = (ctis[place + step].get(element.input, NO_CTI) for step in (0, 1))
        number = numbers.get(element)
        received[row.stream].append(Received(row, number, judged, before, after, element in used))
    names, ports = _names(numbers), list(inputs.values())
    released: dict[str, list[Released]] = defaultdict(list)
    for output in run.released:
        made_by = sorted(output.flow.sources, key=lambda each: (ports.index(each.input), numbers[each]))
        released[output.output].append(Released(output, tuple(names[each] for each in made_by)))
    return Story(
        received={stream: tuple(rows) for stream, rows in received.items()},
        released={node.id: tuple(released[node.id]) for node in case.graph.nodes if isinstance(node, OutputNode)},
        output_ctis={output: tuple(ctis) for output, ctis in run.output_ctis.items()},
    )


def _names(numbers: Mapping[ElementId, int]) -> Mapping[ElementId, str]:
    """The number of each element, behind its input where there are several."""
    several = len({element.input for element in numbers}) > 1
    return {element: f"{element.input} {number}" if several else str(number) for element, number in numbers.items()}


def _input_ctis(case: Case) -> list[Mapping[str, Tick]]:
    """The CTI of each input after the first n rows, for every n: from runs of just so many, with an output at each."""
    inputs = [node.id for node in case.graph.nodes if isinstance(node, InputNode)]
    watching = [OutputNode(kind="output", id=f"{_WATCH}{name}", input=name) for name in inputs]
    graph = QueryGraph(version=1, name="watched", nodes=[*case.graph.nodes, *watching])
    found: list[Mapping[str, Tick]] = []
    for length in range(len(case.rows) + 1):
        run = finished_run(replace(case, graph=graph, rows=case.rows[:length], end=EndMode.NONE))
        ctis = run.output_ctis
        found.append({name: ctis[f"{_WATCH}{name}"][-1] for name in inputs if ctis[f"{_WATCH}{name}"]})
    return found
