"""The committed batches of one output of a binding, oldest first, in pieces; merged commits are read as well."""

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, overload

from streaming.adapters.contract import DeliveryBatch
from streaming.temporal.ticks import INFINITY
from streaming.wire.by_run import places_of
from streaming.wire.results import (
    Commit,
    CommitSpan,
    MergedPart,
    ResultFolder,
    blobs,
    committed_spans,
    read_span,
    run_of,
    span_of,
)

MOST_BYTES_COUNTED: Final = 64 << 20
"""So much is looked through at once to count the rows that wait; what was counted is remembered."""
_TRIES: Final = 5
"""So often a commit may be merged away while it is read."""


class MovedAway(Exception):
    """A commit or a part was merged into another one while it was read; what stands for it is listed now."""


@dataclass(frozen=True)
class Piece:
    """Whole batches of an output; `lost_rows`: so many were committed between them, but are no more there.

    `committed_at` is when the last of them was committed, in ticks; None where it is not known any more. `last` is the
    number of the last batch that was looked at, also where it had nothing for the output. `runs`: who made each of
    them, where that is known.
    """

    batches: Sequence[DeliveryBatch]
    last: int
    committed_at: int | None
    lost_rows: int
    runs: Mapping[int, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class UndeliveredRows:
    """Rows of the output that were committed after some batch, and when the first batch with such rows was, in ticks.

    Where it is not `exact`, there was too much to look through, and rows of other outputs may be among them.
    """

    rows: int
    since: int | None
    exact: bool = True


class ResultLines(Sequence[Mapping[str, Any]]):
    """Rows as they stand in their parts; each is read as JSON when it is asked for."""

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

    __hash__ = None  # type: ignore[assignment]  # it equals other sequences, which have none


class CommittedBatches:
    """What the folder of a binding has for the output `node`; its query may have, or have had, other outputs.

    With `every_cti` no CTI is left out that is still known, where a later one of the same piece says more.
    """

    def __init__(self, folder: ResultFolder, node: str, *, every_cti: bool = False) -> None:
        self._folder = blobs(folder)
        self._every_cti = every_cti
        self._node = node
        name = json.dumps(node)
        self._beginnings = tuple(f'{{"output":{space}{name}'.encode() for space in ("", " "))
        self._counted: dict[str, list[int]] = {}

    def after(self, batch: int | None, *, most_rows: int, most_bytes: int) -> Piece | None:
        """The batches above `batch` up to `most_rows` and `most_bytes`, at least one whole; None: there are none.

        Batches without a row for the output are left out where their CTI is no news, or (without `every_cti`) where a
        later one of the piece says more. Raises `OSError`.
        """
        for _ in range(_TRIES):
            try:
                return self._after(-1 if batch is None else batch, most_rows, most_bytes)
            except MovedAway:
                continue
        raise OSError("the results are merged faster than they can be read")

    def waiting(self, batch: int | None) -> UndeliveredRows:
        """What was committed after `batch`. Raises `OSError`."""
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
                said = counts or [place.rows for place in places]
                more = sum(count for place, count in zip(places, said, strict=True) if place.batch > after)
                since = _at(commit) if more and not rows else since
                rows += more
        self._counted = kept
        return UndeliveredRows(rows, since, left > 0)

    def last_before(self, tick: int | None) -> Commit | None:
        """The last commit that was made before `tick` (None: of all); None where there is none. Raises `OSError`.

        One of which it is not known when it was made counts as made before all of which it is known.
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
        """When the oldest and the newest commit that are kept were made, in ticks; None where that is not known."""
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
        """How many rows of the output each place has; rows that are gone count as rows, until they are missed."""
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
            said = self.cti_of(commit)
            for number in sorted({*lines, commit.batch}):
                mine = lines.get(number, [])
                now = said if number == commit.batch else None  # of merged ones the CTI of the last alone is kept
                if mine or (now is not None and now != cti):
                    if found and not found[-1].rows and not self._every_cti:
                        found.pop()  # the next one says more
                    found.append(DeliveryBatch(number, ResultLines(mine), now))
                    runs[number] = run_of(commit, number)
                rows, size, last = rows + len(mine), size + sum(map(len, mine)), number
                committed_at = _at(commit)
                if rows >= most_rows or size >= most_bytes:
                    return Piece(found, last, committed_at, lost, runs)
            cti = cti if said is None else said
        return Piece(found, last, committed_at, lost, runs) if last > after else None

    def _commits(self, after: int) -> Iterator[Commit]:
        for span in committed_spans(self._folder):
            commit = read_span(self._folder, span) if span.last > after else None
            if commit is not None:
                yield commit
            elif span.last > after and self._stands(span):
                raise MovedAway

    def _stands(self, span: CommitSpan) -> bool:
        """Whether the list of commits has changed so that `span` is in another one now."""
        return any(each.covers(span) for each in committed_spans(self._folder))

    def _lines(self, commit: Commit, after: int) -> tuple[dict[int, list[bytes]], int]:
        """The output's lines by batch, of batches above `after`, and how many rows are gone. Raises `MovedAway`."""
        found: dict[int, list[bytes]] = {}
        lost = 0
        for part in commit.parts:
            places = places_of(self._folder, commit, part) if part.kind == "results" else []
            if not any(place.batch > after for place in places):
                continue
            content = self._folder.read(part.path)
            if content is None and (
                read_span(self._folder, span_of(commit)) != commit or self._stands(span_of(commit))
            ):
                raise MovedAway
            there = [] if content is None else content.split(b"\n")
            end = 0
            for place in places:
                begin, end = end, end + place.rows
                if place.batch > after:
                    lines = [line for line in there[begin:end] if line]
                    lost += place.rows - len(lines)
                    found.setdefault(place.batch, []).extend(filter(self._mine, lines))
        return found, lost

    def _mine(self, line: bytes) -> bool:
        return line.startswith(self._beginnings) or bool(json.loads(line)["output"] == self._node)

    def _cti_before(self, after: int) -> int | None:
        """The output's CTI after the newest commit up to `after` that still says one."""
        for span in reversed(committed_spans(self._folder)):
            commit = read_span(self._folder, span) if span.last <= after else None
            if commit is not None and (cti := self.cti_of(commit)) is not None:
                return cti
        return None

    def cti_of(self, commit: Commit) -> int | None:
        """The output's CTI after `commit`, INFINITY at the end of everything; None: it has none yet."""
        ctis = commit.totals.get("output_ctis", {})
        if self._node not in ctis:
            return None
        cti: int | None = ctis[self._node]
        return INFINITY if cti is None else cti


def _at(commit: Commit) -> int | None:
    at = commit.totals.get("at")
    return at if isinstance(at, int) else None
