"""The committed lines of one output in a fixed order, also while a run writes and compaction merges its batches."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from streaming.storage.blobs import BlobFolder
from streaming.storage.results import Commit, committed_spans, run_of, runs_of
from streaming.wire.fast_json import decoded
from webapp.monitoring.committed_pieces import TRIES, CommittedPieces, DamagedResults, MergedTooFast, PartMoved
from webapp.monitoring.exporting.problems import ExportProblem


@dataclass(frozen=True)
class StoredLine:
    """One committed row as JSON; `run` made it (None: not recorded)."""

    run: str | None
    content: bytes

    def row(self) -> dict[str, Any]:
        """Return the row. Raises `ExportProblem` if the line is damaged."""
        try:
            row = decoded(self.content)
        except ValueError:
            raise damaged() from None
        if not isinstance(row, dict) or not isinstance(row.get("payload"), dict):
            raise damaged()
        return row


def damaged() -> ExportProblem:
    """Return the problem of a file with results that differs from its commit."""
    return ExportProblem(
        "A file with these results is damaged, so no complete export is possible.",
        "Contact your administrator, who can restore the file from a backup, or export a run whose files are intact.",
    )


class OutputReader:
    """Reads the rows of `output` up to the last commit at its creation, oldest first; with `run` only those of it.

    Every pass yields the same rows, as long as nobody deletes some: `rows_read` shows that. `upto` is the last batch.
    """

    def __init__(self, folder: BlobFolder, output: str | None, run: str | None) -> None:
        self._folder = folder
        self._run = run
        self.output = output
        spans = committed_spans(folder)
        self.upto = spans[-1].last if spans else -1
        self._pieces = CommittedPieces(folder, self.upto, run=run)
        self.rows_read = 0

    def runs(self) -> list[str | None]:
        """Return the runs with batches here, oldest first; None for batches whose run is not recorded."""
        for _ in range(TRIES):
            found: dict[str | None, None] = {}
            try:
                for commit in self._pieces.commits():
                    known: list[str | None] = [each.run for each in runs_of(commit)]
                    found |= dict.fromkeys(each for each in known or [None] if self._run in (None, each))
            except PartMoved:
                continue
            except DamagedResults:
                raise damaged() from None
            return list(found)
        raise _too_fast()

    def final_until(self) -> Mapping[str, Any] | None:
        """Return the CTIs of the outputs after the last batch that is read, null for the end of everything.

        None if they are not recorded: a merged commit has only those of its last batch, perhaps of a later run.
        """
        try:
            for span in reversed(committed_spans(self._folder)):
                commit = self._pieces.read(span) if span.last <= self.upto else None
                if commit is None or (self._run is not None and all(each.run != self._run for each in runs_of(commit))):
                    continue
                ends_here = self._run in (None, run_of(commit, commit.batch))
                ctis: Mapping[str, Any] | None = commit.totals.get("output_ctis") if ends_here else None
                return ctis
        except DamagedResults:
            raise damaged() from None
        return None

    def lines(self) -> Iterator[StoredLine]:
        """Yield the rows, and count them in `rows_read`. Raises `ExportProblem` for damaged files, `OSError`."""
        beginnings = beginnings_of(str(self.output))
        self.rows_read = 0
        for run, line in self._all_lines():
            stored = StoredLine(run, line)
            if line.startswith(beginnings) or stored.row().get("output") == self.output:
                self.rows_read += 1
                yield stored

    def _all_lines(self) -> Iterator[tuple[str | None, bytes]]:
        try:
            for piece in self._pieces:
                if not isinstance(piece, Commit):
                    for line in piece.lines:
                        yield piece.run, line
        except DamagedResults:
            raise damaged() from None
        except MergedTooFast:
            raise _too_fast() from None


def beginnings_of(output: str) -> tuple[bytes, ...]:
    """Return how most lines of an output begin; of other lines, the field `output` decides."""
    return tuple(f'{{"output":{space}{json.dumps(output)}'.encode() for space in ("", " "))


def _too_fast() -> ExportProblem:
    return ExportProblem(
        "The results are merged faster than they can be read.", "Request the export again in a minute."
    )
