"""The `binding` adapter: the committed results of an output as one lane, with each batch's CTI after its rows."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, Final

from streaming.adapters.binding.events import ResultEvents, raw_of
from streaming.adapters.binding.history import Reached, ResultHistory
from streaming.adapters.binding.journal import BatchJournal, TakenBatch
from streaming.adapters.binding.options import BindingOptions
from streaming.adapters.committed import CommittedBatches, Piece
from streaming.adapters.contract import AdapterError, DeliveryBatch, Position
from streaming.adapters.places import DataFolder, why
from streaming.adapters.seeking import BegunLanes, LaneHeld, positions_within
from streaming.definition.counts import counted
from streaming.definition.streams.stream import StreamDefinition
from streaming.storage.result_location import RESULTS, result_folder
from streaming.storage.results import DamagedFile, run_of
from streaming.temporal.events import Cti, Shape
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from streaming.wire.deliveries import advance_reader
from streaming.wire.execution.case import ONLY_LANE
from streaming.wire.rows.arrived import Arrived
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of

CHUNK_ROWS: Final = 10_000
PIECE_BYTES: Final = 8 << 20
_ANEW: Final = (
    "The binding that feeds this input was restarted without its state, and emits rows again that were already read "
    "here. Start this binding from the beginning; otherwise it would count the same rows twice."
)


class BindingAdapter:
    """Reads results as the lane "0"; position p is the number of elements since the first batch that was read.

    Batches are journaled before a position counts them: a span always gives the same rows and CTIs, even after commits
    were merged. Reading starts at the oldest rows that are kept, or at the last restart of the binding without its
    state.
    """

    def __init__(
        self, options: BindingOptions, stream: StreamDefinition, root: Path, journal: Path | None = None
    ) -> None:
        self._options = options
        self._stream = stream
        own = DataFolder(root).around
        shared = result_folder(own)
        self._results = own / RESULTS / options.binding
        results = shared.within(f"{RESULTS}/{options.binding}")
        self._batches = CommittedBatches(results, options.output, every_cti=True)
        self._history = ResultHistory(shared, options.binding, self._batches)
        self._events = ResultEvents(options.output, stream)
        self._journal = BatchJournal.at(journal)
        self._reached: Reached | None = None
        self._looked = -1
        self._last_cti: int | None = None
        self._planned: list[Position] = []

    def lanes(self) -> Sequence[str]:
        """The one lane "0"."""
        return (ONLY_LANE,)

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:  # noqa: ARG002
        """Return the position `limit_rows` elements further, at most at the end of the committed batches.

        Raises `AdapterError` when the binding was restarted without its state, or when unread results were deleted.
        """
        reached = start.get(ONLY_LANE, 0)
        last = self._journal.last()
        if reached > (last.end if last else 0):
            raise AdapterError(
                f"The journal of this input ends at row {last.end if last else 0}, but the input was already read up "
                f"to row {reached}. Start the binding from the beginning."
            )
        try:
            self._release_read_batches(reached)
            self._take(reached + limit_rows)
        except (OSError, DamagedFile) as error:
            raise self._unreadable(error) from None
        last = self._journal.last()
        return {ONLY_LANE: max(reached, min(reached + limit_rows, last.end if last else 0))}

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Return True when the output has ended for good, all of it was read, and nothing came later.

        Raises `AdapterError`.
        """
        last = self._journal.last()
        if last is None or last.cti != INFINITY or positions.get(ONLY_LANE, 0) < last.end:
            return False
        try:
            now, _ = self._history.since(_reached_by([last]))
        except (OSError, DamagedFile) as error:
            raise self._unreadable(error) from None
        return now.cti == INFINITY and now.run == last.run

    def holds(self, lane: str, start: Position, end: Position) -> bool:  # noqa: ARG002
        """Return True if all rows of `[start, end)` are still available."""
        try:
            for _ in self._batches_with(start, end):
                pass
        except AdapterError:
            return False
        return end <= (last.end if (last := self._journal.last()) else 0)

    @property
    def time_means(self) -> str:
        """When its batch was committed."""
        return "was emitted by the other binding then or later; merged batches are read whole"

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:  # noqa: ARG002
        """Start after the newest batch, after the last one before a time, or at a row that was already read."""
        if isinstance(place, BeginAtPositions):
            return positions_within(place, input_id, {ONLY_LANE: (0, self._journal.rows())})
        if self._journal.last() is None:
            try:
                last = self._batches.last_before(place.at if isinstance(place, BeginAtTime) else None)
            except (OSError, DamagedFile) as error:
                raise self._unreadable(error) from None
            if last is not None:
                run = run_of(last, last.batch)
                passed = TakenBatch(batch=last.batch, first=0, rows=0, elements=0, cti=None, run=run)
                self._journal.append([passed])
        return BegunLanes({ONLY_LANE: 0}, self._journal.last() is not None)

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:  # noqa: ARG002
        """The rows that are kept, and when the oldest and the newest batch were committed."""
        try:
            first_at, last_at = self._batches.committed_at()
            every = self._batches.waiting(None)
            last = None if since is None else self._batches.last_before(since)
            later = None if since is None else self._batches.waiting(None if last is None else last.batch)
        except (OSError, DamagedFile) as error:
            raise self._unreadable(error) from None
        return [
            LaneHeld(
                ONLY_LANE,
                earliest=0,
                from_at=first_at,
                until_at=last_at,
                rows=every.rows if every.exact else None,
                rows_since=later.rows if later is not None and later.exact else None,
            )
        ]

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:  # noqa: ARG002
        """Yield the elements `[start, end)`: rows in the order of their commits, each batch followed by its CTI."""
        rows = self._rows(start, end)
        while chunk := list(islice(rows, CHUNK_ROWS)):
            yield arrived_of(chunk, self._stream)

    def _rows(self, start: Position, end: Position) -> Iterator[JudgedRow]:
        for taken, rows in self._batches_with(start, end):
            position = taken.first
            for row in self._parsed(taken.batch, rows):
                if self._stream.shape is not Shape.EDGE and not start <= position < end:
                    position += 1
                    continue
                for element in self._events.of(row):
                    if start <= position < end:
                        yield JudgedRow(position, element, raw_of(row))
                    position += 1
            if taken.cti is not None and start <= position < end:
                yield JudgedRow(position, Cti(Tick(taken.cti)), "")

    def _batches_with(self, start: Position, end: Position) -> Iterator[tuple[TakenBatch, Sequence[Mapping[str, Any]]]]:
        """Yield the batches that have elements in `[start, end)`, with their rows.

        Raises `AdapterError` for deleted rows.
        """
        read: dict[int, DeliveryBatch] = {}
        for taken in self._journal.between(start, end):
            if not taken.rows:
                yield taken, ()
                continue
            if taken.batch not in read:
                try:
                    piece = self._batches.after(taken.batch - 1, most_rows=CHUNK_ROWS, most_bytes=PIECE_BYTES)
                except (OSError, DamagedFile) as error:
                    raise self._unreadable(error) from None
                read = {each.number: each for each in piece.batches} if piece else {}
            there = len(read[taken.batch].rows) if taken.batch in read else 0
            if there != taken.rows:
                raise AdapterError(
                    f"Batch {taken.batch} of the results of this input had {counted(taken.rows, 'row')}, but only "
                    f"{there} are left: results were deleted before they were read. Start the binding from the "
                    "beginning."
                )
            yield taken, read[taken.batch].rows

    def _take(self, wanted: Position) -> None:
        """Journal committed batches until there are elements up to `wanted`. Raises `AdapterError`, `OSError`."""
        last = self._journal.last()
        if self._reached is None:
            self._reached = _reached_by(self._journal.entries())
            self._looked = self._reached.batch
            self._last_cti = next(
                (each.cti for each in reversed(self._journal.entries()) if each.cti is not None), None
            )
        self._reached, restart = self._history.since(self._reached)
        if restart is not None and last is not None:
            self._reached = None  # the next call raises the same error again
            raise AdapterError(_ANEW)
        if restart is not None:
            self._looked = restart - 1
        while (last.end if last else 0) < wanted:
            piece = self._batches.after(self._looked, most_rows=CHUNK_ROWS, most_bytes=PIECE_BYTES)
            if piece is None:
                return
            if piece.lost_rows and last is not None:
                raise AdapterError(
                    "Results of this input were deleted before they were read: "
                    f"{counted(piece.lost_rows, 'row')}. Start "
                    "the binding from the beginning."
                )
            last = self._note(piece, last)
            self._looked = piece.last

    def _note(self, piece: Piece, last: TakenBatch | None) -> TakenBatch | None:
        taken: list[TakenBatch] = []
        for batch in piece.batches:
            entry = self._taken(batch, piece.runs.get(batch.number), last)
            if entry.elements:
                taken.append(entry)
                last = entry
        if taken:
            self._journal.append(taken)
        return last

    def _taken(self, batch: DeliveryBatch, run: str | None, last: TakenBatch | None) -> TakenBatch:
        rows = len(batch.rows)
        count = (
            sum(map(self._events.count, self._parsed(batch.number, batch.rows)))
            if self._stream.shape is Shape.EDGE
            else rows
        )
        cti = batch.cti
        if cti == INFINITY and self._reached is not None and (self._reached.cti, self._reached.run) != (cti, run):
            cti = None  # not the end: the binding resumed after it
        if cti == self._last_cti:
            cti = None
        self._last_cti = self._last_cti if cti is None else cti
        first = last.end if last else 0
        return TakenBatch(
            batch=batch.number, first=first, rows=rows, elements=count + (cti is not None), cti=cti, run=run
        )

    def _release_read_batches(self, reached: Position) -> None:
        """Release the batches before the last two start positions: no batch of the reader can read them again."""
        if not self._planned or self._planned[-1] != reached:
            self._planned = [*self._planned[-1:], reached]
        if self._options.reader is not None and len(self._planned) > 1:
            taken = self._journal.before(min(self._planned))
            if taken is not None:
                advance_reader(self._results, self._options.reader, taken.batch)

    def _parsed(self, batch: int, rows: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        try:
            yield from rows
        except ValueError:
            raise self._damaged(f"A file with rows of batch {batch}") from None

    def _damaged(self, what: str) -> AdapterError:
        binding = self._options.binding
        return AdapterError(
            f"{what} of the binding {binding}, which feeds this input, is damaged. Your administrator has to restore "
            "it from a backup.",
            domain="external",
        )

    def _unreadable(self, error: OSError | DamagedFile) -> AdapterError:
        if isinstance(error, DamagedFile):
            return self._damaged(f"The file {error.path}")
        return AdapterError(
            f"The results of the binding that feeds this input can't be read ({why(error)}). Your administrator has to "
            "check the disk.",
            domain="external",
        )


def _reached_by(entries: Sequence[TakenBatch]) -> Reached:
    """The point in the results up to which `entries` were read."""
    if not entries:
        return Reached()
    mine = takewhile(lambda each: each.run == entries[-1].run, reversed(entries))
    cti = next((each.cti for each in mine if each.cti is not None), None)
    return Reached(entries[-1].batch, entries[-1].run, cti)
