"""Inputs as chunks of arrived rows, read as far as they are asked for."""

from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

import numpy as np

from streaming.adapters.file.adapter import FileAdapter
from streaming.definition.streams import StreamDefinition
from streaming.run.files import ROOT, InputFiles
from streaming.temporal.ticks import Tick
from streaming.wire.arrived import Arrived
from streaming.wire.case import ONLY_LANE

Lane = str


@dataclass(frozen=True)
class Chunk:
    """Rows of one lane in arrival order; `positions` count the rows of the lane from 0."""

    lane: Lane
    arrived: Arrived

    def __len__(self) -> int:
        return len(self.arrived.kind)


@dataclass(frozen=True)
class Beat:
    """The wall clock of the input reached `at` without a row."""

    at: Tick


Item = Chunk | Beat


class Source(Protocol):
    """The rows of one input node."""

    node: str

    def take(self, rows: int) -> Sequence[Item]:
        """The next `rows` rows, fewer at the end and none after it. Raises `AdapterError`."""

    def again(self) -> Iterator[Chunk]:
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
        """As `Source` says."""
        start = self._reached
        self._reached = self._adapter.latest({ONLY_LANE: start}, now=0, limit_rows=rows)[ONLY_LANE]
        return [Chunk(self._lane, arrived) for arrived in self._adapter.read(ONLY_LANE, start, self._reached)]

    def again(self) -> Iterator[Chunk]:
        """As `Source` says."""
        for arrived in self._adapter.read(ONLY_LANE, 0, self._reached):
            yield Chunk(self._lane, arrived)


class Buffered:
    """Cuts what an iterator gives into as many rows as are asked for."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._items = items
        self._rest: deque[Item] = deque()

    def take(self, rows: int) -> Sequence[Item]:
        """The next `rows` rows and the beats between them."""
        taken: list[Item] = []
        while rows > 0:
            item = self._rest.popleft() if self._rest else next(self._items, None)
            if item is None:
                break
            if isinstance(item, Chunk) and len(item) > rows:
                self._rest.appendleft(part(item, rows, len(item)))
                item = part(item, 0, rows)
            rows -= len(item) if isinstance(item, Chunk) else 0
            taken.append(item)
        return taken


def part(chunk: Chunk, low: int, high: int) -> Chunk:
    """The rows `[low, high)` of a chunk."""
    whole = chunk.arrived
    cut = slice(low, high)
    malformed = {index - low: reason for index, reason in whole.malformed.items() if low <= index < high}

    def raw(indices: Sequence[int]) -> list[str]:
        return whole.raw([index + low for index in indices])

    return Chunk(
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


def originals(source: Source, wanted: Collection[tuple[Lane, int]]) -> dict[tuple[Lane, int], str]:
    """The original texts of the rows at `wanted` (lane and position), read again from the beginning."""
    by_lane: dict[Lane, set[int]] = defaultdict(set)
    for lane, position in wanted:
        by_lane[lane].add(position)
    found: dict[tuple[Lane, int], str] = {}
    for chunk in source.again() if wanted else ():
        places = np.flatnonzero(np.isin(chunk.arrived.positions, list(by_lane[chunk.lane]))).tolist()
        texts = chunk.arrived.raw(places) if places else []
        for place, text in zip(places, texts, strict=True):
            found[chunk.lane, int(chunk.arrived.positions[place])] = text
        if len(found) == len(wanted):
            break
    return found


def rounds(sources: Sequence[Source], rows: int) -> Iterator[Sequence[tuple[Source, Sequence[Item]]]]:
    """Micro-batches: each holds the next `rows` rows of every source, as far as it has some."""
    while True:
        batch = [(source, source.take(rows)) for source in sources]
        if not any(chain.from_iterable(items for _, items in batch)):
            return
        yield batch
