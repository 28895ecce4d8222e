"""Inputs as chunks of arrived rows, read on demand, and their micro-batches."""

import heapq
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice
from typing import Any, Protocol

import numpy as np

from streaming.adapters.file.adapter import FileAdapter
from streaming.definition.streams.stream import AdapterChoice, StreamDefinition
from streaming.run.inputs.files import ROOT, InputFiles
from streaming.temporal.ticks import NO_CTI
from streaming.wire.execution.case import ONLY_LANE
from streaming.wire.execution.interface import ArrivedRows, ClockReading, Heard, RowPlace
from streaming.wire.rows.arrived import Arrived

Item = ArrivedRows | ClockReading


class InputSource(Protocol):
    """The rows of one input node."""

    node: str

    def take(self, rows: int) -> Sequence[Item]:
        """Return the next `rows` rows, fewer at the end and none after it. Raises `AdapterError`."""

    def again(self) -> Iterator[ArrivedRows]:
        """Yield all rows from the start, whatever was taken. Raises `AdapterError`."""


class FileSource:
    """CSV, Parquet, a JSON document, or JSON lines with renamed columns, through the file adapter: one lane."""

    def __init__(self, node: str, stream: StreamDefinition, files: InputFiles, options: Mapping[str, Any]) -> None:
        self.node = node
        self.options = files.options.model_copy(update=dict(options))
        self._lane = stream.lanes[0] if stream.lanes else ONLY_LANE
        self._adapter = FileAdapter(self.options, stream, ROOT)
        self._reached = 0

    def take(self, rows: int) -> Sequence[Item]:
        """Return the next rows; see `InputSource`."""
        start = self._reached
        self._reached = self._adapter.latest({ONLY_LANE: start}, now=0, limit_rows=rows)[ONLY_LANE]
        return [
            ArrivedRows(self.node, self._lane, arrived)
            for arrived in self._adapter.read(ONLY_LANE, start, self._reached)
        ]

    def again(self) -> Iterator[ArrivedRows]:
        """Yield all rows again; see `InputSource`."""
        for arrived in self._adapter.read(ONLY_LANE, 0, self._reached):
            yield ArrivedRows(self.node, self._lane, arrived)


class BufferedItems:
    """Cuts the items of an iterator to the requested numbers of rows."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._items = items
        self._rest: deque[Item] = deque()

    def first(self) -> Item | None:
        """Return the next item without removing it; None at the end."""
        if not self._rest:
            self._rest.extend(islice(self._items, 1))
        return self._rest[0] if self._rest else None

    def take(self, rows: int) -> Sequence[Item]:
        """Return the next `rows` rows and the heartbeats between them."""
        taken: list[Item] = []
        while rows > 0:
            item = self._rest.popleft() if self._rest else next(self._items, None)
            if item is None:
                break
            if isinstance(item, ArrivedRows) and len(item) > rows:
                self._rest.appendleft(part(item, rows, len(item)))
                item = part(item, 0, rows)
            rows -= len(item) if isinstance(item, ArrivedRows) else 0
            taken.append(item)
        return taken


def part(chunk: ArrivedRows, low: int, high: int) -> ArrivedRows:
    """Return the rows `[low, high)` of a chunk."""
    whole = chunk.arrived
    cut = slice(low, high)
    malformed = {index - low: reason for index, reason in whole.malformed.items() if low <= index < high}

    def raw(indices: Sequence[int]) -> list[str]:
        return whole.raw([index + low for index in indices])

    return ArrivedRows(
        chunk.input,
        chunk.lane,
        Arrived(
            kind=whole.kind[cut],
            start=whole.start[cut],
            end=whole.end[cut],
            positions=whole.positions[cut],
            payload=whole.payload.slice(low, high - low),
            malformed=malformed,
            raw=raw,
            arrival=None if whole.arrival is None else whole.arrival[cut],
        ),
    )


class SourceInputs:
    """The rows of `sources` in the form of an executor, `rows` of each input in a micro-batch.

    `by_arrival`: if the first row of every input has an arrival, the inputs are merged by arrival, `rows` in a batch. A
    row without an arrival arrived with the previous row; among equal ones the first input's comes first. Otherwise each
    batch holds the next `rows` rows of the first input, then of the second, and so on. `read_there`: files stay files,
    and the executor reads them by their adapter.
    """

    def __init__(
        self, sources: Sequence[InputSource], rows: int, *, by_arrival: bool = False, read_there: bool = False
    ) -> None:
        there = [each for each in sources if read_there and isinstance(each, FileSource)]
        self.adapters = {each.node: AdapterChoice(kind="file", options=each.options.model_dump()) for each in there}
        self._sources = {each.node: each for each in sources}
        self._rows = rows
        self._by_arrival = by_arrival

    def batches(self) -> Iterator[Sequence[Heard]]:
        """Yield the micro-batches; see `QueryInputs`."""
        given = [each for node, each in self._sources.items() if node not in self.adapters]
        buffers = [BufferedItems(_all_of(each, self._rows)) for each in given]
        if self._by_arrival and len(buffers) > 1 and all(map(_says_its_arrival, buffers)):
            yield from _merged(buffers, self._rows)
            return
        while batch := list(chain.from_iterable(each.take(self._rows) for each in buffers)):
            yield batch

    def originals(self, node: str, wanted: Collection[RowPlace]) -> Mapping[RowPlace, str]:
        """Return texts of rows, read again from the start; see `QueryInputs`.

        An executor that reads a file knows its texts.
        """
        if not wanted or node in self.adapters:
            return {}
        by_lane: dict[str, set[int]] = defaultdict(set)
        for lane, position in wanted:
            by_lane[lane].add(position)
        found: dict[RowPlace, str] = {}
        for chunk in self._sources[node].again():
            places = np.flatnonzero(np.isin(chunk.arrived.positions, list(by_lane[chunk.lane]))).tolist()
            texts = chunk.arrived.raw(places) if places else []
            for place, text in zip(places, texts, strict=True):
                found[chunk.lane, int(chunk.arrived.positions[place])] = text
            if len(found) == len(wanted):
                break
        return found


def _all_of(source: InputSource, rows: int) -> Iterator[Item]:
    while items := source.take(rows):
        yield from items


def _says_its_arrival(buffer: BufferedItems) -> bool:
    first = buffer.first()
    return first is None or next(_arrivals(first)) is not None


def _arrivals(item: Item) -> Iterator[int | None]:
    """Yield the arrival of each row of `item`."""
    if isinstance(item, ClockReading):
        yield item.at
    elif item.arrived.arrival is None:
        yield from (None for _ in range(len(item)))
    else:
        yield from (None if at == NO_CTI else at for at in item.arrived.arrival.tolist())


def _merged(buffers: Sequence[BufferedItems], rows: int) -> Iterator[Sequence[Heard]]:
    merged = heapq.merge(*(_arriving(number, each, rows) for number, each in enumerate(buffers)))
    while batch := list(islice(merged, rows)):
        chunks = groupby(batch, key=lambda each: id(each[3]))
        yield [_part_of([(item, index) for *_, item, index in chunk]) for _, chunk in chunks]


def _arriving(number: int, buffer: BufferedItems, rows: int) -> Iterator[tuple[int, int, int, Item, int]]:
    """Yield rows with their merge keys; a row that arrived before its predecessor still comes after it."""
    latest, place = int(NO_CTI), 0
    while items := buffer.take(rows):
        for item in items:
            for index, arrival in enumerate(_arrivals(item)):
                latest = max(latest, latest if arrival is None else arrival)
                yield latest, number, place, item, index
                place += 1


def _part_of(rows: Sequence[tuple[Item, int]]) -> Heard:
    """Return the adjacent rows of one item."""
    item, first = rows[0]
    return item if isinstance(item, ClockReading) else part(item, first, first + len(rows))
