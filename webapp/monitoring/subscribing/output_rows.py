"""The committed rows of an output as events, in the order of their commits, after a cursor."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal

from streaming.adapters.binding.history import END, Reached, ResultHistory
from streaming.storage.blobs import BlobFolder
from streaming.storage.results import Commit, DamagedFile
from streaming.wire.fast_json import decoded
from webapp.monitoring.committed_pieces import LAST_PART, CommittedPiece, CommittedPieces, DamagedResults, PieceId
from webapp.monitoring.exporting.reading import beginnings_of
from webapp.monitoring.row_keys import KeyFilter

EventName = Literal["row", "edge_start", "edge_end", "retraction", "committed", "restarted", "rows_missing"]
_CURSOR: Final = re.compile(r"-1|(\d{1,18})(?:-(\d{1,9})-(-1|\d{1,18}))?")
LINES_AT_ONCE: Final = 100
"""Lines without an event that are read before the cursor after them is yielded."""
_SPECIAL: Final = (b'"key"', b'"deleted"')
"""Fields without which a row is final, and adds to the result."""


@dataclass(frozen=True)
class OutputCursor:
    """The last row received, by its batch, part and row; without `part` the whole batch was received.

    Batch -1: nothing was received. Row -1: the start of a batch was received, without a row.
    """

    batch: int
    part: int = LAST_PART
    row: int = -1

    def __str__(self) -> str:
        return str(self.batch) if self.part == LAST_PART else f"{self.batch}-{self.part}-{self.row}"

    @classmethod
    def parse(cls, text: str) -> "OutputCursor":
        """Return the cursor that an event's id names. Raises `ValueError`."""
        match = _CURSOR.fullmatch(text)
        if match is None:
            raise ValueError(f"{text[:80]!r} isn't the id of an event of this stream.")
        batch, part, row = match.groups()
        if batch is None:
            return NOTHING_RECEIVED
        return cls(int(batch)) if part is None else cls(int(batch), int(part), int(row))

    @property
    def order(self) -> tuple[int, int, int]:
        """Return the place of the row among all rows."""
        return (self.batch, self.part, self.row)

    @property
    def is_before_rows(self) -> bool:
        """Return whether it is the start of a batch."""
        return self.part != LAST_PART and self.row < 0

    @property
    def before(self) -> PieceId:
        """Return the last piece that was received whole."""
        return (self.batch, self.part if self.part == LAST_PART else self.part - 1)

    def has(self, piece: CommittedPiece, row: int) -> bool:
        """Return whether row `row` of `piece` was received."""
        return (piece.batch, piece.part, row) <= self.order


NOTHING_RECEIVED: Final = OutputCursor(-1)


@dataclass(frozen=True)
class OutputEvent:
    """One event: `data` is JSON, `cursor` the id."""

    name: EventName
    cursor: OutputCursor
    data: str


@dataclass(frozen=True)
class StoredOutput:
    """The committed rows of the output `node` of a binding."""

    node: str
    folder: BlobFolder
    history: ResultHistory

    def at(self, batch: int) -> Reached:
        """Return the point after `batch`. Raises `OSError`, `DamagedResults`."""
        with readable():
            return self.history.at(batch) if batch >= 0 else Reached()

    def begin(self, batch: int) -> int:
        """Return the first batch whose rows count after `batch`. Raises `OSError`, `DamagedResults`."""
        with readable():
            return self.history.last_restart(batch) or 0

    def restarts_since(self, reached: Reached) -> tuple[Reached, list[int]]:
        """Return as `ResultHistory.restarts_since`. Raises `OSError`, `DamagedResults`."""
        with readable():
            return self.history.restarts_since(reached)


@contextmanager
def readable() -> Iterator[None]:
    """Raise `DamagedResults` for a damaged file."""
    try:
        yield
    except DamagedFile:
        raise DamagedResults from None


class OutputEvents:
    """Reads the events of an output after a cursor; each call of `read` continues after the events of the last one."""

    def __init__(self, output: StoredOutput, keys: KeyFilter, cursor: OutputCursor) -> None:
        self._output, self._keys, self._cursor = output, keys, cursor
        self._reached = output.at(cursor.batch)
        self._restarts: list[int] = []
        self._all_read = False
        self._cti = None if cursor.is_before_rows else self._reached.cti
        self._beginnings = beginnings_of(output.node)
        self._missing = 0
        self._batch = None if cursor.part == LAST_PART or cursor.is_before_rows else cursor.batch
        self._silent_lines = 0

    @property
    def cursor(self) -> OutputCursor:
        """Return the cursor after which `read` continues."""
        return self._cursor

    @property
    def run(self) -> str | None:
        """Return the run that made the newest batch."""
        return self._reached.run

    def read(self) -> Iterator[OutputEvent | OutputCursor]:
        """Yield the events up to the newest commit, and a cursor after each part of the results without an event.

        A part is a batch or `LINES_AT_ONCE` lines. Raises `OSError`, `DamagedResults`, `MergedTooFast`.
        """
        while True:
            reached, restarts = self._output.restarts_since(self._reached)
            if self._all_read and reached == self._reached:
                return
            self._reached, self._all_read = reached, False
            self._restarts += restarts
            yield from self._up_to_reached()
            self._all_read = True

    def _up_to_reached(self) -> Iterator[OutputEvent | OutputCursor]:
        for each in CommittedPieces(self._output.folder, self._reached.batch, self._cursor.before):
            if self._batch not in (None, each.batch):
                yield from self._committed(None)
            while self._restarts and each.batch >= self._restarts[0]:
                self._cti = None
                self._cursor = OutputCursor(self._restarts.pop(0), 0, -1)
                yield OutputEvent("restarted", self._cursor, json.dumps({"batch": self._cursor.batch}))
            if isinstance(each, Commit):
                yield from self._ended(each)
            elif each.is_missing:
                self._miss(each)
            else:
                yield from self._rows_of(each)

    def _miss(self, piece: CommittedPiece) -> None:
        if piece.rows and not self._cursor.has(piece, piece.rows - 1):
            self._missing += piece.rows
            self._batch = piece.batch
            self._cursor = OutputCursor(piece.batch, piece.part, piece.rows - 1)

    def _rows_of(self, piece: CommittedPiece) -> Iterator[OutputEvent | OutputCursor]:
        for number, line in enumerate(piece.lines):
            cursor = self._cursor
            event: OutputEvent | None = None
            if not cursor.has(piece, number):
                cursor = OutputCursor(piece.batch, piece.part, number)
                event = self._event(line, piece.run, cursor)
            self._silent_lines += 1
            if event is not None:
                self._batch = piece.batch
            elif self._silent_lines < LINES_AT_ONCE:
                continue
            yield from self._missed()
            self._cursor, self._silent_lines = cursor, 0
            yield event or cursor

    def _event(self, line: bytes, run: str | None, cursor: OutputCursor) -> OutputEvent | None:
        mine = line.startswith(self._beginnings)
        name: EventName | None = "row"
        if not mine or self._keys or any(each in line for each in _SPECIAL):
            row = stored_row(line)
            if row.get("output") != self._output.node:
                return None
            name = event_name(row, self._keys)
        if name is None:
            return None
        added = json.dumps({"id": str(cursor), "run": run})
        return OutputEvent(name, cursor, f"{added[:-1]}, {line.decode().strip().removeprefix('{')}")

    def _ended(self, commit: Commit) -> Iterator[OutputEvent | OutputCursor]:
        cti = self._output.history.batches.cti_of(commit)
        if self._batch is not None or (cti is not None and cti != self._cti):
            self._batch = commit.batch
            yield from self._committed(cti)
        else:
            self._cursor = max(self._cursor, OutputCursor(commit.batch), key=lambda each: each.order)
            yield self._cursor

    def _committed(self, cti: int | None) -> Iterator[OutputEvent]:
        """Yield the end of the current batch; `cti` None: the batch's CTI isn't recorded (any more)."""
        assert self._batch is not None  # nosec B101 # for the type checker; callers have a batch
        yield from self._missed()
        self._cti = self._cti if cti is None else cti
        self._cursor = OutputCursor(self._batch)
        self._batch = None
        ended = cti == END
        data = {"batch": self._cursor.batch, "cti": None if ended else cti, "ended": ended}
        yield OutputEvent("committed", self._cursor, json.dumps(data))

    def _missed(self) -> Iterator[OutputEvent]:
        if self._missing:
            rows, self._missing = self._missing, 0
            yield OutputEvent("rows_missing", self._cursor, json.dumps({"rows": rows}))


def stored_row(line: bytes) -> dict[str, Any]:
    """Return the row of a stored line. Raises `DamagedResults`."""
    try:
        row = decoded(line)
    except ValueError:
        raise DamagedResults from None
    if not isinstance(row, dict) or not isinstance(row.get("payload"), dict):
        raise DamagedResults
    return row


def event_name(row: dict[str, Any], keys: KeyFilter) -> EventName | None:
    """Return the event of a row; None: the row doesn't have the key.

    A row of a pane replaces the one before it, which may have had the key: then it retracts that one.
    """
    if not keys.matches(row["payload"]):
        pane = row.get("pane")
        return "retraction" if pane is not None and (pane["index"] > 0 or row.get("deleted")) else None
    if row.get("deleted"):
        return "retraction"
    match row.get("edge"):
        case "start":
            return "edge_start"
        case "end":
            return "edge_end"
        case _:
            return "row"
