"""Inputs as chunks of arrived rows, read as far as they are asked for, and their micro-batches."""

import heapq
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice
from typing import Protocol

import numpy as np

from streaming.adapters.file.adapter import FileAdapter
from streaming.definition.streams import AdapterChoice, StreamDefinition
from streaming.run.files import ROOT, InputFiles
from streaming.temporal.ticks import NO_CTI
from streaming.wire.arrived import Arrived
from streaming.wire.case import ONLY_LANE
from streaming.wire.execution import ArrivedRows, ClockReading, Heard, RowPlace

Item = ArrivedRows | ClockReading


class InputSource(Protocol):
    """The rows of one input node."""

    node: str

    def take(self, rows: int) -> Sequence[Item]:
        """The next `rows` rows, fewer at the end and none after it. Raises `AdapterError`."""

    def again(self) -> Iterator[ArrivedRows]:
        """All rows from the beginning, whatever was taken. Raises `AdapterError`."""


class FileSource:
    """CSV, Parquet, or JSON lines with renamed columns, through the file adapter: one lane."""

    def __init__(self, node: str, stream: StreamDefinition, files: InputFiles, columns: Mapping[str, str]) -> None:
        self.node = node
        self.options = files.options.model_copy(update={"columns": dict(columns)})
        self._lane = stream.lanes[0] if stream.lanes else ONLY_LANE
        self._adapter = FileAdapter(self.options, stream, ROOT)
        self._reached = 0

    def take(self, rows: int) -> Sequence[Item]:
        """As `InputSource` says."""
        start = self._reached
        self._reached = self._adapter.latest({ONLY_LANE: start}, now=0, limit_rows=rows)[ONLY_LANE]
        return [
            ArrivedRows(self.node, self._lane, arrived)
            for arrived in self._adapter.read(ONLY_LANE, start, self._reached)
        ]

    def again(self) -> Iterator[ArrivedRows]:
        """As `InputSource` says."""
        for arrived in self._adapter.read(ONLY_LANE, 0, self._reached):
            yield ArrivedRows(self.node, self._lane, arrived)


class BufferedItems:
    """Cuts what an iterator gives into as many rows as are asked for."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._items = items
        self._rest: deque[Item] = deque()

    def first(self) -> Item | None:
        """What comes next, which stays there; None at the end."""
        if not self._rest:
            self._rest.extend(islice(self._items, 1))
        return self._rest[0] if self._rest else None

    def take(self, rows: int) -> Sequence[Item]:
        """The next `rows` rows and the beats between them."""
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
    """The rows `[low, high)` of a chunk."""
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
    """The rows of `sources` as an executor takes them, `rows` of each input in a micro-batch.

    `by_arrival`: where the first row of every input says when it arrived, the inputs are merged by arrival (a row that
    does not say it arrived with the row before it; of equal ones the first input's comes first), `rows` in a batch.
    Else each batch holds the next `rows` rows of the first input, then of the second, and so on.
    `read_there`: files stay files, and the executor reads them by their adapter.
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
        """As `QueryInputs` says."""
        given = [each for node, each in self._sources.items() if node not in self.adapters]
        buffers = [BufferedItems(_all_of(each, self._rows)) for each in given]
        if self._by_arrival and len(buffers) > 1 and all(map(_says_its_arrival, buffers)):
            yield from _merged(buffers, self._rows)
            return
        while batch := list(chain.from_iterable(each.take(self._rows) for each in buffers)):
            yield batch

    def originals(self, node: str, wanted: Collection[RowPlace]) -> Mapping[RowPlace, str]:
        """As `QueryInputs` says: read again from the beginning. An executor that reads a file knows its texts."""
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
    """When each row of `item` arrived."""
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
    """Rows with what they are merged by; a row that arrived before its predecessor came after it all the same."""
    latest, place = int(NO_CTI), 0
    while items := buffer.take(rows):
        for item in items:
            for index, arrival in enumerate(_arrivals(item)):
                latest = max(latest, latest if arrival is None else arrival)
                yield latest, number, place, item, index
                place += 1


def _part_of(rows: Sequence[tuple[Item, int]]) -> Heard:
    """Rows of one item that follow one another."""
    item, first = rows[0]
    return item if isinstance(item, ClockReading) else part(item, first, first + len(rows))
