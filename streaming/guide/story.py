"""Everything that a picture shows of a run of the reference, in order."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.graph import InputNode, OutputNode
from streaming.reference.execution import finished_run
from streaming.reference.flow import ElementId
from streaming.reference.output import OutputRow
from streaming.temporal.clock import JudgedElement
from streaming.temporal.ticks import NO_CTI, Tick
from streaming.wire.execution.case import Case, CaseRow, EndMode

_WATCH = "cti_of_"


@dataclass(frozen=True)
class ReceivedRow:
    """One row as it arrived; `number` counts the events of its stream from 1, None for a CTI or a heartbeat.

    `cti` is the CTI of the input before it, `cti_after` the one after it. `used`: some result contains it.
    """

    row: CaseRow
    number: int | None
    judged: JudgedElement | None
    cti: Tick
    cti_after: Tick
    used: bool


@dataclass(frozen=True)
class ReleasedRow:
    """One row of a result with the names of the events that made it; `replaced` if a later row replaced it."""

    row: OutputRow
    made_by: tuple[str, ...]
    replaced: bool


@dataclass(frozen=True)
class Story:
    """A run: what each stream received, what each output released, and the CTIs of each output."""

    received: Mapping[str, tuple[ReceivedRow, ...]]
    released: Mapping[str, tuple[ReleasedRow, ...]]
    output_ctis: Mapping[str, tuple[Tick, ...]]


def run_story(case: Case) -> Story:
    """Run `case` with the reference and record what happened."""
    run = finished_run(case)
    inputs = {node.stream: node.id for node in case.graph.nodes if isinstance(node, InputNode)}
    used = {element for row in run.outputs for element in row.flow.sources}
    received: dict[str, list[ReceivedRow]] = {stream: [] for stream in inputs}
    numbers: dict[ElementId, int] = {}
    positions: Counter[tuple[str, str]] = Counter()
    ctis = _Ctis(case)
    for place, row in enumerate(case.rows):
        element = ElementId(inputs[row.stream], row.lane, positions[row.stream, row.lane])
        judged = None
        if row.heartbeat is None:
            positions[row.stream, row.lane] += 1
            judged = run.judged.get(element)
        if judged is not None:
            numbers[element] = sum(each.number is not None for each in received[row.stream]) + 1
        before, after = ctis.around(place, element.input, judged)
        received[row.stream].append(ReceivedRow(row, numbers.get(element), judged, before, after, element in used))
    names, ports = _names(numbers), list(inputs.values())
    released: dict[str, list[ReleasedRow]] = defaultdict(list)
    stays = {id(row.flow) for row in run.outputs}
    for output in run.released:
        made_by = sorted(output.flow.sources, key=lambda each: (ports.index(each.input), numbers[each]))
        replaced = output.flow.pane is not None and not output.flow.gone and id(output.flow) not in stays
        released[output.output].append(ReleasedRow(output, tuple(names[each] for each in made_by), replaced))
    return Story(
        received={stream: tuple(rows) for stream, rows in received.items()},
        released={node.id: tuple(released[node.id]) for node in case.graph.nodes if isinstance(node, OutputNode)},
        output_ctis={output: tuple(ctis) for output, ctis in run.output_ctis.items()},
    )


def _names(numbers: Mapping[ElementId, int]) -> Mapping[ElementId, str]:
    """Return the number of each element, after the name of its input if there are several."""
    several = len({element.input for element in numbers}) > 1
    return {element: f"{element.input} {number}" if several else str(number) for element, number in numbers.items()}


class _Ctis:
    """The CTI of each input before and after each row.

    `_after[n]` holds them after a micro-batch of the first n rows: from a run of just those, with an output at each
    input. Inside a micro-batch an input that imports its CTIs has not received them yet (T26).
    """

    def __init__(self, case: Case) -> None:
        self._rows = case.rows
        settings = temporal_settings(case.graph, case.streams, case.advance)
        self._importing = {name for name, each in settings.items() if each.import_from is not None}
        watching = [OutputNode(kind="output", id=f"{_WATCH}{name}", input=name) for name in settings]
        watched = replace(case, graph=case.graph.model_copy(update={"nodes": [*case.graph.nodes, *watching]}))
        self._after: list[dict[str, Tick]] = []
        for length in range(len(case.rows) + 1):
            ctis = finished_run(replace(watched, rows=case.rows[:length], end=EndMode.NONE)).output_ctis
            self._after.append({name: max(ctis[f"{_WATCH}{name}"], default=NO_CTI) for name in settings})
        self._now = dict(self._after[0])

    def around(self, place: int, name: str, judged: JudgedElement | None) -> tuple[Tick, Tick]:
        """Return the CTI of the input `name` before and after row `place`, judged as `judged`; call it row by row."""
        if place and self._rows[place].batch > self._rows[place - 1].batch:
            self._now = dict(self._after[place])
        before = self._now[name]
        if name not in self._importing:
            self._now[name] = self._after[place + 1][name]
        elif judged is not None:
            self._now[name] = max(before, judged.cti_after)
        return before, self._now[name]
