"""The committed batches of one output of a binding, oldest first, in pieces; merged commits are read too."""

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, overload

from streaming.adapters.contract import DeliveryBatch
from streaming.storage.by_run import places_of
from streaming.storage.results import (
    Commit,
    CommitSpan,
    DamagedFile,
    MergedPart,
    ResultFolder,
    blobs,
    committed_spans,
    read_span,
    run_of,
    span_of,
)
from streaming.temporal.ticks import INFINITY

MOST_BYTES_COUNTED: Final = 64 << 20
"""The most bytes read at once to count undelivered rows; the counts are remembered."""
_HISTORIC: Final = b'"historic"'
_TRIES: Final = 5
"""Attempts to read a commit that is merged away during the read."""


class MovedAway(Exception):
    """A commit or a part was merged into another one while it was read; the new commit is listed now."""


@dataclass(frozen=True)
class Piece:
    """Whole batches of an output; `lost_rows` counts the rows committed between them that were deleted.

    `committed_at` is when the last batch was committed, in ticks; None if that is no longer recorded. `last` is the
    number of the last batch that was read, even if it had nothing for the output. `runs`: the run that made each batch,
    None if that is not recorded.
    """

    batches: Sequence[DeliveryBatch]
    last: int
    committed_at: int | None
    lost_rows: int
    runs: Mapping[int, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class UndeliveredRows:
    """Rows of the output committed after some batch; `since`: when the first batch with such rows was, in ticks.

    If not `exact`, there was too much to read, and rows of other outputs may be included.
    """

    rows: int
    since: int | None
    exact: bool = True


class ResultLines(Sequence[Mapping[str, Any]]):
    """Rows as lines of their parts; each line is parsed as JSON on access."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._lines = lines

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Mapping[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> Mapping[str, Any] | Sequence[Mapping[str, Any]]:
        if isinstance(index, slice):
            return ResultLines(self._lines[index])
        row: Mapping[str, Any] = json.loads(self._lines[index])
        return row

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it equals other sequences, which have no hash


class CommittedBatches:
    """The batches of the output `node` in the folder of a binding; its query may have, or have had, other outputs.

    With `every_cti` every recorded CTI is returned, even if a later one in the same piece supersedes it. With
    `delivered` rows are left out that history alone gave and that are only stored (T57).
    """

    def __init__(self, folder: ResultFolder, node: str, *, every_cti: bool = False, delivered: bool = False) -> None:
        self._folder = blobs(folder)
        self._every_cti = every_cti
        self._delivered = delivered
        self._node = node
        name = json.dumps(node)
        self._beginnings = tuple(f'{{"output":{space}{name}'.encode() for space in ("", " "))
        self._counted: dict[str, list[int]] = {}

    def after(self, batch: int | None, *, most_rows: int, most_bytes: int) -> Piece | None:
        """Return the batches above `batch` up to `most_rows` and `most_bytes`, at least one; None: no more batches.

        Batches without a row for the output are left out if their CTI is not new, or (without `every_cti`) if a later
        CTI in the piece supersedes it. Raises `OSError`.
        """
        for _ in range(_TRIES):
            try:
                return self._after(-1 if batch is None else batch, most_rows, most_bytes)
            except MovedAway:
                continue
        raise OSError("the results are merged faster than they can be read")

    def waiting(self, batch: int | None) -> UndeliveredRows:
        """Return the rows committed after `batch`. Raises `OSError`."""
        after = -1 if batch is None else batch
        rows, since, left = 0, None, MOST_BYTES_COUNTED
        kept: dict[str, list[int]] = {}
        for commit in self._commits_as_they_are(after):
            for part in commit.parts:
                if part.kind != "results":
                    continue
                places = part.merged or [MergedPart(batch=commit.batch, part=0, rows=part.rows, bytes=0)]
                counts = self._counted.get(part.path)
                if counts is None and left > 0:
                    left -= part.bytes or MOST_BYTES_COUNTED
                    counts = self._count(part.path, places)
                if counts is not None:
                    kept[part.path] = counts
                counts_here = counts or [place.rows for place in places]
                more = sum(count for place, count in zip(places, counts_here, strict=True) if place.batch > after)
                since = _at(commit) if more and not rows else since
                rows += more
        self._counted = kept
        return UndeliveredRows(rows, since, left > 0)

    def last_before(self, tick: int | None) -> Commit | None:
        """Return the last commit made before `tick` (None: the last of all); None if no commit exists. Raises
        `OSError`.

        A commit without a recorded time counts as older than all commits with one.
        """
        for _ in range(_TRIES):
            try:
                return self._last_before(tick)
            except MovedAway:
                continue
        raise OSError("the results are merged faster than they can be read")

    def _last_before(self, tick: int | None) -> Commit | None:
        spans = committed_spans(self._folder)
        later = len(spans) if tick is None else bisect_left(spans, tick, key=lambda span: _at(self._read(span)) or 0)
        return self._read(spans[later - 1]) if later else None

    def committed_at(self) -> tuple[int | None, int | None]:
        """When the oldest and the newest kept commit were made, in ticks; None if that is not recorded."""
        for _ in range(_TRIES):
            try:
                spans = committed_spans(self._folder)
                return (_at(self._read(spans[0])), _at(self._read(spans[-1]))) if spans else (None, None)
            except MovedAway:
                continue
        raise OSError("the results are merged faster than they can be read")

    def _read(self, span: CommitSpan) -> Commit:
        commit = read_span(self._folder, span)
        if commit is None:
            raise MovedAway
        return commit

    def _count(self, path: str, places: Sequence[MergedPart]) -> list[int]:
        """Count the rows of the output in each place; deleted rows count as rows until they are missed."""
        content = self._folder.read(path)
        if content is None:
            return [place.rows for place in places]
        lines = iter(content.split(b"\n"))
        return [sum(map(self._mine, islice(lines, place.rows))) for place in places]

    def _commits_as_they_are(self, after: int) -> Iterator[Commit]:
        for span in committed_spans(self._folder):
            commit = read_span(self._folder, span) if span.last > after else None
            if commit is not None:
                yield commit

    def _after(self, after: int, most_rows: int, most_bytes: int) -> Piece | None:
        found: list[DeliveryBatch] = []
        rows = size = lost = 0
        runs: dict[int, str | None] = {}
        last, committed_at, cti = after, None, None
        for commit in self._commits(after):
            lines, gone = self._lines(commit, after)
            lost += gone
            cti = self._cti_before(after) if last == after else cti
            cti_after = self.cti_of(commit)
            for number in sorted({*lines, commit.batch}):
                mine = lines.get(number, [])
                now = (
                    cti_after if number == commit.batch else None
                )  # a merged commit keeps only the CTI of its last batch
                if mine or (now is not None and now != cti):
                    if found and not found[-1].rows and not self._every_cti:
                        found.pop()  # the next one supersedes it
                    found.append(DeliveryBatch(number, ResultLines(mine), now))
                    runs[number] = run_of(commit, number)
                rows, size, last = rows + len(mine), size + sum(map(len, mine)), number
                committed_at = _at(commit)
                if rows >= most_rows or size >= most_bytes:
                    return Piece(found, last, committed_at, lost, runs)
            cti = cti if cti_after is None else cti_after
        return Piece(found, last, committed_at, lost, runs) if last > after else None

    def _commits(self, after: int) -> Iterator[Commit]:
        for span in committed_spans(self._folder):
            commit = read_span(self._folder, span) if span.last > after else None
            if commit is not None:
                yield commit
            elif span.last > after and self._was_merged(span):
                raise MovedAway

    def _was_merged(self, span: CommitSpan) -> bool:
        """Return True if the list of commits has changed and `span` is now inside another commit."""
        return any(each.covers(span) for each in committed_spans(self._folder))

    def _lines(self, commit: Commit, after: int) -> tuple[dict[int, list[bytes]], int]:
        """Return the output's lines by batch above `after`, and the number of deleted rows. Raises `MovedAway`."""
        found: dict[int, list[bytes]] = {}
        lost = 0
        for part in commit.parts:
            places = places_of(self._folder, commit, part) if part.kind == "results" else []
            if not any(place.batch > after for place in places):
                continue
            content = self._folder.read(part.path)
            if content is None and (
                read_span(self._folder, span_of(commit)) != commit or self._was_merged(span_of(commit))
            ):
                raise MovedAway
            there = [] if content is None else content.split(b"\n")
            end = 0
            for place in places:
                begin, end = end, end + place.rows
                if place.batch > after:
                    lines = [line for line in there[begin:end] if line]
                    lost += place.rows - len(lines)
                    found.setdefault(place.batch, []).extend(self._mine_of(part.path, lines))
        return found, lost

    def _mine_of(self, path: str, lines: Iterable[bytes]) -> list[bytes]:
        try:
            return list(filter(self._mine, lines))
        except (ValueError, LookupError, TypeError) as error:  # it isn't JSON, or not a row
            raise DamagedFile(path) from error

    def _mine(self, line: bytes) -> bool:
        if self._delivered and _HISTORIC in line and json.loads(line).get("historic") == "stored":
            return False
        return line.startswith(self._beginnings) or bool(json.loads(line)["output"] == self._node)

    def _cti_before(self, after: int) -> int | None:
        """The output's CTI after the newest commit up to `after` that still records one."""
        for span in reversed(committed_spans(self._folder)):
            commit = read_span(self._folder, span) if span.last <= after else None
            if commit is not None and (cti := self.cti_of(commit)) is not None:
                return cti
        return None

    def cti_of(self, commit: Commit) -> int | None:
        """The output's CTI after `commit`, INFINITY at the end of everything; None: it has no CTI yet."""
        ctis = commit.totals.get("output_ctis", {})
        if self._node not in ctis:
            return None
        cti: int | None = ctis[self._node]
        return INFINITY if cti is None else cti


def _at(commit: Commit) -> int | None:
    at = commit.totals.get("at")
    return at if isinstance(at, int) else None
