"""The files of a run: all moved to their places together when it is over, removed if it fails."""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress

import pyarrow as pa

from streaming.definition.payload.types import Fields
from streaming.run.outputs.places import OutputPlaces
from streaming.run.outputs.writers import LinesFile, OutputWriter, temporary_of, writer_of
from streaming.run.progress import Progress
from streaming.wire.execution.case import CaseStep
from streaming.wire.execution.failures import FailureCount
from streaming.wire.execution.interface import ReleasedRow
from streaming.wire.messages import LateEvent


class ResultFiles:
    """The sink of a run; nothing is on the disk before `open`.

    `written` are the rows of each output, `firsts` the first exceptional row of each input and reason, `failed` the
    failures of expressions.
    """

    def __init__(self, places: OutputPlaces, outputs: Mapping[str, Fields], progress: Progress) -> None:
        self.written: Counter[str] = Counter(dict.fromkeys(outputs, 0))
        self.late_rows = 0
        self.failed: tuple[FailureCount, ...] = ()
        self.firsts: dict[tuple[str, str], LateEvent] = {}
        self._progress = progress
        self._places = places
        self._outputs = outputs
        self._late: LinesFile | None = None
        self._writers: dict[str, OutputWriter] = {}

    def open(self) -> None:
        """Open every file. Raises `RunFailed` and `UsageError`; `close` removes the files opened so far."""
        shared = len(self._outputs) > 1
        for name, fields in self._outputs.items():
            place = self._places.outputs[name]
            named = name if shared and place.path is None else None
            self._writers[name] = writer_of(place, named, fields)
        self._late = None if self._places.late is None else LinesFile(self._places.late)

    def read(self, rows: int) -> None:
        """Count read rows; see `ExecutionSink`."""
        self._progress.read(rows)

    def begin(self, stage: str) -> None:
        """Show the next stage; see `ExecutionSink`."""
        self._progress.begin(stage)

    def rows(self, output: str, rows: Iterable[ReleasedRow]) -> None:
        """Write rows; see `ExecutionSink`."""
        batch = list(rows)
        self.written[output] += len(batch)
        self._writers[output].rows(batch)

    def table(self, output: str, rows: pa.Table) -> None:
        """Write a table; see `ExecutionSink`."""
        self.written[output] += rows.num_rows
        self._writers[output].table(rows)

    def steps(self, rows: Iterable[CaseStep]) -> None:
        """Ignore steps: files have the net result alone."""

    def ctis(self, output: str, ctis: Iterable[int]) -> None:
        """Ignore CTIs: files have none."""

    def late(self, event: LateEvent) -> None:
        """Write a late row; see `ExecutionSink`."""
        self.late_rows += 1
        if event.reason is not None:
            self.firsts.setdefault((event.input, event.reason), event)
        if self._late is not None:
            self._late.write(event.model_dump_json())

    def failures(self, counts: Iterable[FailureCount]) -> None:
        """Collect failures; see `ExecutionSink`."""
        self.failed = tuple(counts)

    def finish(self) -> None:
        """Move every file to its place. Raises `OSError`."""
        for writer in self._writers.values():
            writer.finish()
        if self._late is not None:
            self._late.finish()

    def close(self) -> None:
        """Remove every unfinished file; may be called twice.

        Also a file that an interruption caught before this object stored its name.
        """
        self._progress.close()
        for writer in self._writers.values():
            writer.discard()
        if self._late is not None:
            self._late.discard()
        for path in (*(place.path for place in self._places.outputs.values()), self._places.late):
            with suppress(OSError):  # the folder may not exist
                if path is not None:
                    temporary_of(path).unlink()
