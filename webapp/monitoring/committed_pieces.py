"""The committed rows of a binding piece by piece, also while a run writes and compaction merges its batches."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO, Final

from streaming.storage.blobs import BlobFolder
from streaming.storage.results import (
    Commit,
    CommitSpan,
    MergedPart,
    PartKind,
    ResultPart,
    committed_spans,
    read_span,
    run_of,
    span_of,
)

TRIES: Final = 5
"""Attempts to find a part that was merged into another one, without reading a row in between."""
PieceId = tuple[int, int]
"""The batch of some rows, and the index of their part among the parts of that batch: merging keeps both."""
LAST_PART: Final = sys.maxsize
"""The part of a `PieceId` that is after all parts of its batch."""
NOTHING_READ: Final[PieceId] = (-1, -1)


class PartMoved(Exception):
    """A commit or a part was replaced by another one during the read; the list of commits shows the new one."""


class DamagedResults(Exception):
    """A file with results differs from its commit."""


class MergedTooFast(Exception):
    """The results are merged faster than they can be read."""


@dataclass(frozen=True)
class CommittedPiece:
    """The rows of one part of `batch`, which `run` made (None: not recorded): `rows` lines, read lazily.

    If their file is missing, `lines` is empty and `is_missing` true.
    """

    batch: int
    part: int
    run: str | None
    rows: int
    lines: Iterator[bytes]
    is_missing: bool = False


@dataclass(frozen=True)
class CommittedPieces:
    """The pieces of `kind` after `after` up to the batch `upto` of `folder`, oldest first; with `run` only those of it.

    After the pieces of a commit comes the commit itself, if none of its batches is after `upto`.
    """

    folder: BlobFolder
    upto: int
    after: PieceId = NOTHING_READ
    run: str | None = None
    kind: PartKind = "results"

    def __iter__(self) -> Iterator[CommittedPiece | Commit]:
        """Yield pieces and commits; `OSError`, `DamagedResults` and `MergedTooFast` end it.

        Read the lines of a piece before you take the next one.
        """
        after, failed = self.after, 0
        while failed < TRIES:
            try:
                for each in self._since(after):
                    yield each
                    after = (each.batch, LAST_PART if isinstance(each, Commit) else each.part)
                    failed = 0
                return
            except PartMoved:
                failed += 1
        raise MergedTooFast

    def commits(self, after: PieceId = NOTHING_READ) -> Iterator[Commit]:
        """Yield the commits with batches after `after`. Raises `PartMoved`, `DamagedResults`."""
        for span in committed_spans(self.folder):
            if span.first > self.upto:
                return
            commit = self.read(span) if (span.last, LAST_PART) > after else None
            if commit is not None:
                yield commit
            elif (span.last, LAST_PART) > after and self._is_merged(span):
                raise PartMoved

    def read(self, span: CommitSpan) -> Commit | None:
        """Return the commit of `span`, None if it was merged. Raises `DamagedResults`."""
        try:
            return read_span(self.folder, span)
        except ValueError:  # pydantic's error is one
            raise DamagedResults from None

    def _since(self, after: PieceId) -> Iterator[CommittedPiece | Commit]:
        for commit in self.commits(after):
            parts = [part for part in commit.parts if part.kind == self.kind]
            for index, part in enumerate(parts):
                places = part.merged or [MergedPart(batch=commit.batch, part=index, rows=part.rows, bytes=0)]
                if any(self._counts(commit, place, after) for place in places):
                    yield from self._of_part(commit, part, places, after)
            if commit.batch <= self.upto:
                yield commit

    def _of_part(
        self, commit: Commit, part: ResultPart, places: Sequence[MergedPart], after: PieceId
    ) -> Iterator[CommittedPiece]:
        file = self.folder.opened(part.path)
        if file is None:
            if self._has_changed(commit):
                raise PartMoved
            for place in places:
                if self._counts(commit, place, after):
                    run = run_of(commit, place.batch)
                    yield CommittedPiece(place.batch, place.part, run, place.rows, iter(()), is_missing=True)
            return
        with file:
            for place in places:
                lines = _exactly(file, place.rows)
                if self._counts(commit, place, after):
                    yield CommittedPiece(place.batch, place.part, run_of(commit, place.batch), place.rows, lines)
                for _ in lines:  # those that nobody has read
                    pass

    def _counts(self, commit: Commit, place: MergedPart, after: PieceId) -> bool:
        mine = self.run is None or run_of(commit, place.batch) == self.run
        return mine and place.batch <= self.upto and (place.batch, place.part) > after

    def _is_merged(self, span: CommitSpan) -> bool:
        return any(each.covers(span) for each in committed_spans(self.folder))

    def _has_changed(self, commit: Commit) -> bool:
        span = span_of(commit)
        return self._is_merged(span) or self.read(span) != commit


def _exactly(file: BinaryIO, rows: int) -> Iterator[bytes]:
    """Yield the next `rows` lines. Raises `DamagedResults` if the file has fewer."""
    count = 0
    for line in islice(file, rows):
        count += 1
        yield line
    if count < rows:
        raise DamagedResults
