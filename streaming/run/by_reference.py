"""A run by the reference: row by row, as far as possible without holding the inputs."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from streaming.definition.graph import QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.reference.executor import ReferenceRun
from streaming.reference.flow import ElementId
from streaming.run.outcome import Counted, Sink
from streaming.run.sources import Beat, Item, Source, originals
from streaming.temporal.clock import Judged
from streaming.temporal.outcomes import IN_TIME, Outcome
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.arrived import Arrived
from streaming.wire.arrived_rows import elements
from streaming.wire.case import EndMode
from streaming.wire.messages import LateEvent
from streaming.wire.rows import Element

_MOVED = (Outcome.ADJUSTED, Outcome.SHIFTED)


@dataclass(frozen=True, slots=True)
class Read:
    """One row, or with no `element` the wall clock, of an input; `arrival` is None where it is not known."""

    node: str
    lane: str
    element: Element | None
    arrival: Tick | None
    chunk: Arrived | None = None
    index: int = 0


def run_reference(
    graph: QueryGraph,
    streams: Mapping[str, StreamDefinition],
    advance: Mapping[str, AdvanceTime],
    sources: Sequence[Source],
    rows_a_batch: int,
    sink: Sink,
) -> dict[str, Counted]:
    """Run to the end of all inputs, then flush; by input, what became of its rows.

    Raises `AdapterError` for inputs that cannot be read.
    """
    run = ReferenceRun(graph, streams, advance)
    raw: dict[ElementId, str] = {}
    positions: dict[tuple[str, str], int] = defaultdict(int)
    for batch in batches(sources, rows_a_batch):
        met: dict[int, tuple[Arrived, dict[int, ElementId]]] = {}
        for row in batch:
            if row.element is None:
                run.heartbeat(row.node, Tick(row.arrival or 0))
                continue
            judged = run.take(row.node, row.lane, row.element, row.arrival)
            position = positions[row.node, row.lane]
            positions[row.node, row.lane] += 1
            if judged is not None and judged.outcome not in IN_TIME and row.chunk is not None:
                _, places = met.setdefault(id(row.chunk), (row.chunk, {}))
                places[row.index] = ElementId(row.node, row.lane, position)
            sink.read(1)
        for chunk, places in met.values():
            raw |= dict(zip(places.values(), chunk.raw(list(places)), strict=True))
        run.boundary()
    run.end(EndMode.FLUSH)
    for output in run.outputs:
        sink.rows(output.output, [(output.flow.start, output.flow.end, output.flow.payload)])
    _tell_late(run, advance, sources, raw, sink)
    sink.failures(run.trace.failed_rows.counts())
    counted = {source.node: Counted() for source in sources}
    for element, judged in run.judged.items():
        counted[element.input].outcomes[str(judged.outcome)] += 1
        if judged.reason is not None:
            counted[element.input].reasons[str(judged.reason)] += 1
    return counted


def batches(sources: Sequence[Source], rows: int) -> Iterator[Iterable[Read]]:
    """Micro-batches in arrival order.

    Where the first row of every input says when it arrived, the inputs are merged by arrival (a row that does not say
    it arrived with the row before it; of equal ones the first input's comes first), `rows` in a batch. Else each batch
    holds the next `rows` rows of the first input, then of the second, and so on.
    """
    reading = [(source, _reads(source, rows)) for source in sources]
    first = [(source, next(reads, None), reads) for source, reads in reading]
    whole = [chain([read], reads) if read is not None else iter(()) for _, read, reads in first]
    known = [read is None or read.arrival is not None for _, read, _ in first]
    if len(sources) > 1 and all(known):
        merged = heapq.merge(*(_arriving(number, reads) for number, reads in enumerate(whole)))
        ordered = (read for _, _, _, read in merged)
        while batch := list(islice(ordered, rows)):
            yield batch
        return
    while any(batch_of := [list(islice(reads, rows)) for reads in whole]):
        yield chain.from_iterable(batch_of)


def _arriving(number: int, reads: Iterable[Read]) -> Iterator[tuple[int, int, int, Read]]:
    """Reads with what they are merged by; a row that arrived before its predecessor came after it all the same."""
    latest = int(NO_CTI)
    for place, read in enumerate(reads):
        latest = max(latest, latest if read.arrival is None else read.arrival)
        yield latest, number, place, read


def _reads(source: Source, rows: int) -> Iterator[Read]:
    while items := source.take(rows):
        for item in items:
            yield from _each(source.node, item)


def _each(node: str, item: Item) -> Iterator[Read]:
    if isinstance(item, Beat):
        yield Read(node, "", None, item.at)
        return
    arrivals = item.arrived.arrival
    for index, element in enumerate(elements(item.arrived)):
        at = None if arrivals is None or arrivals[index] == NO_CTI else Tick(int(arrivals[index]))
        yield Read(node, item.lane, element, at, item.arrived, index)


def _tell_late(
    run: ReferenceRun,
    advance: Mapping[str, AdvanceTime],
    sources: Sequence[Source],
    raw: dict[ElementId, str],
    sink: Sink,
) -> None:
    """Tell every exceptional row. What a window refused after it was taken is read again for its text."""
    found = [(element, judged) for element, judged in run.judged.items() if judged.outcome not in IN_TIME]
    for source in sources:
        missing = [each for each, _ in found if each not in raw and each.input == source.node]
        texts = originals(source, [(each.lane, each.position) for each in missing])
        raw |= {each: texts[each.lane, each.position] for each in missing}
    for element, judged in found:
        sink.late(_late(element, judged, advance.get(element.input, AdvanceTime()), raw[element]))


def _late(element: ElementId, judged: Judged, settings: AdvanceTime, raw: str) -> LateEvent:
    received = judged.original
    return LateEvent(
        input=element.input,
        lane=element.lane,
        position=element.position,
        start=None if received is None else received.start,
        end=None if received is None else _finite(received.end),
        cti=_finite(judged.cti_met),
        outcome=str(judged.outcome),
        reason=None if judged.reason is None else str(judged.reason),
        policy=str(settings.late),
        moved_by=judged.moved_by if judged.outcome in _MOVED else None,
        raw=raw,
    )


def _finite(tick: Tick) -> int | None:
    return None if tick in (INFINITY, NO_CTI) else tick
