"""Results and quarantine of one binding: part files, one commit for each batch, and pages of committed rows.

They are in a folder of this machine (a `Path`) or of an object store (`storage`).

Folder of a binding (`RunSpec.results` inside the organisation's folder):

    results/part-<batch>-<task>.jsonl       one ResultRow a line (`.arrow`: tables, of a run that is read at its end)
    quarantine/part-<batch>-<task>.jsonl    one LateEvent a line
    commits/<batch>.json                    a Commit: the parts that count
    commits/<last>-<first>.json             a merged Commit of all batches first .. last

All runs of a binding write into its folder, one after the other, with consecutive batch numbers. A commit records which
run made each batch; in merged commits from before this was recorded, the run is unknown.

A part that no commit lists is left over from an interrupted attempt: nobody reads it. Nobody reads a commit that a
merged one covers either. Merging keeps the batch, part and place of every row, so cursors stay valid.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal

from pydantic import Field

from streaming.storage.blobs import BlobFolder, LocalFolder
from streaming.wire.message import Message

ResultFolder = Path | BlobFolder

PartKind = Literal["results", "late"]
PartForm = Literal["jsonl", "arrow"]

FOLDERS: Mapping[PartKind, str] = {"results": "results", "late": "quarantine"}
_COMMIT = re.compile(r"([0-9]+)(?:-([0-9]+))?\.json")
MAX_COMMITS_A_PAGE = 2_000
"""A page ends after this many commits even if it isn't full, so that a rare outcome can't block a request for long."""
MAX_REMOTE_COMMITS_A_PAGE = 64
"""The same limit on an object store, where each commit costs a request."""
MOST_BYTES_A_PAGE = 4 << 20
"""A page ends before its lines exceed this size together; only its first row may exceed it alone."""
MOST_BYTES_LOOKED_AT = 32 << 20
"""A page ends after reading this many bytes of rows, matching or not."""

_FIRST_PIECE = 32 << 10
_LARGEST_PIECE = 1 << 20


class CursorError(ValueError):
    """A cursor that this module didn't return."""


class DamagedFile(ValueError):
    """A file with invalid content; `path` is relative to the folder of the binding, or of its organisation."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is damaged")
        self.path = path


class ResultPart(Message):
    """One committed file: `path` relative to the binding's folder, the number of its rows, and its size.

    Parts from before sizes were recorded have no `bytes`. `merged`: the parts that were merged into this one, in order;
    empty for one that a batch wrote.
    """

    kind: PartKind
    path: str
    rows: int
    bytes: int | None = None
    merged: list["MergedPart"] = Field(default_factory=list)


class MergedPart(Message):
    """A part that was merged: its batch, its index among the batch's parts of its kind, its rows and its size."""

    batch: int
    part: int
    rows: int
    bytes: int


class RunBatches(Message):
    """The batches `first` to `last`, which `run` made.

    `restart`: the batch of the last restart without state up to them, which may emit all earlier results again; None:
    not recorded.
    """

    run: str
    first: int
    last: int
    restart: int | None = Field(default=None, exclude_if=lambda value: value is None)


class Commit(Message):
    """The parts of one batch of a binding, or of all from `first` to `batch`; `totals` are fields of a ProgressReport.

    `runs` made its batches, ascending; empty in commits from before runs were recorded (`runs_of`).
    """

    batch: int
    parts: list[ResultPart]
    totals: dict[str, Any]
    first: int | None = None
    runs: list[RunBatches] = Field(default_factory=list)

    def with_totals(self, totals: str) -> bytes:
        """Return the content of the file with `totals`, which are JSON already."""
        fields = self.model_dump_json(exclude={"totals"})
        return f'{fields[:-1]},"totals":{totals}}}'.encode()


@dataclass(frozen=True, order=True)
class CommitSpan:
    """The batches `first` to `last` of one commit; a single batch where they are equal."""

    last: int
    first: int

    @property
    def name(self) -> str:
        """The file name of its commit."""
        return f"{self.last}.json" if self.first == self.last else f"{self.last}-{self.first}.json"

    def covers(self, other: "CommitSpan") -> bool:
        """Return whether `other` no longer counts because this one includes it."""
        return self != other and self.first <= other.first and other.last <= self.last


@dataclass(frozen=True)
class RowsPage:
    """Rows, newest first, each with `_id` (stable, unique in its kind) and `_run` (None: unknown).

    `next` is the cursor, None at the oldest row.

    A page may hold fewer rows than requested, even none, and still have a `next`.
    """

    rows: Sequence[dict[str, Any]]
    next: str | None


def part_path(kind: PartKind, batch: int, task: int | str, form: PartForm = "jsonl") -> str:
    """Return the path of a part relative to the binding's folder: the same batch and task replace the same file."""
    return f"{FOLDERS[kind]}/part-{batch}-{task}.{form}"


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` so that `path` is either absent, old or complete, also after a power cut. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def blobs(folder: ResultFolder) -> BlobFolder:
    """Return `folder` as a `BlobFolder`."""
    return LocalFolder(folder) if isinstance(folder, Path) else folder


def read_commit(folder: ResultFolder, batch: int) -> Commit | None:
    """Return the commit of `batch`, or None."""
    return read_span(folder, CommitSpan(batch, batch))


def span_of(commit: Commit) -> CommitSpan:
    """Return the batches of `commit`."""
    return CommitSpan(commit.batch, commit.batch if commit.first is None else commit.first)


def runs_of(commit: Commit) -> Sequence[RunBatches]:
    """Return the runs that made the batches of `commit`, ascending; batches that none of them covers have unknown runs.

    A commit from before runs were recorded has the report of its last batch, which names its run.
    """
    run = commit.totals.get("run")
    if commit.runs or not isinstance(run, str):
        return commit.runs
    return [RunBatches(run=run, first=commit.batch, last=commit.batch)]


def run_of(commit: Commit, batch: int) -> str | None:
    """Return the run that made `batch` of `commit`; None where unknown."""
    batches = batches_with(commit, batch)
    return None if batches is None else batches.run


def batches_with(commit: Commit, batch: int) -> RunBatches | None:
    """Return the entry of `runs_of` with `batch`; None where its run is unknown."""
    return next((each for each in runs_of(commit) if each.first <= batch <= each.last), None)


def joined(runs: Iterable[RunBatches]) -> list[RunBatches]:
    """Return `runs`, ascending, with neighbouring entries of the same run and restart merged."""
    merged: list[RunBatches] = []
    for each in runs:
        same = bool(merged) and (merged[-1].run, merged[-1].restart) == (each.run, each.restart)
        merged.append(each.model_copy(update={"first": merged.pop().first}) if same else each)
    return merged


def read_span(folder: ResultFolder, span: CommitSpan) -> Commit | None:
    """Return the commit of `span`, or None. Raises `DamagedFile`, `OSError`."""
    content = blobs(folder).read(commit_path(span))
    try:
        return None if content is None else Commit.model_validate_json(content)
    except ValueError as error:  # pydantic's error is one
        raise DamagedFile(commit_path(span)) from error


def commit_path(span: CommitSpan) -> str:
    """Return the path of the commit of `span`, relative to the binding's folder."""
    return f"commits/{span.name}"


def committed_batches(folder: ResultFolder) -> list[int]:
    """Return the last batch of each commit that counts, ascending; empty if the folder doesn't exist yet."""
    return [span.last for span in committed_spans(folder)]


def committed_spans(folder: ResultFolder) -> list[CommitSpan]:
    """Return the batches of each commit that counts, ascending; empty if the folder doesn't exist yet."""
    return spans_of(blobs(folder).names("commits"))


def spans_of(names: Iterable[str]) -> list[CommitSpan]:
    """Return the batches of the commits with these names, ascending, without commits that a merged one includes."""
    counting: list[CommitSpan] = []
    for span in sorted(all_spans(names), key=lambda each: (each.first, -each.last)):
        if not counting or not counting[-1].covers(span):
            counting.append(span)
    return counting


def all_spans(names: Iterable[str]) -> list[CommitSpan]:
    """Return the batches of the commits with these names, in any order; other names are ignored."""
    matches = (_COMMIT.fullmatch(name) for name in names)
    return [CommitSpan(int(match[1]), int(match[2] or match[1])) for match in matches if match is not None]


def committed_rows(
    folder: ResultFolder,
    kind: PartKind,
    limit: int,
    before: str | None = None,
    *,
    run: str | None = None,
    matching: Callable[[Mapping[str, Any]], bool] | None = None,
) -> RowsPage:
    """Return the newest `limit` committed rows that are older than the cursor `before` and pass `matching`.

    With `run` only rows that this run made. Raises `CursorError` for an invalid cursor. Reads committed parts only; a
    missing folder, or a part that retention has removed, has no rows. Reads no more of the parts than the page needs; a
    page with long rows is shorter (MOST_BYTES_A_PAGE).
    """
    folder = blobs(folder)
    most_commits = MAX_COMMITS_A_PAGE if isinstance(folder, LocalFolder) else MAX_REMOTE_COMMITS_A_PAGE
    position = _read_cursor(before) if before is not None else None
    rows: list[dict[str, Any]] = []
    page_bytes = read_bytes = 0
    for count, commit in enumerate(_newest_first(folder, position)):
        if count == most_commits:
            return RowsPage(rows, f"{commit.batch + 1}-0-0")
        if run is not None and all(each.run != run for each in runs_of(commit)):
            continue
        for place, line in _lines_of(folder, kind, commit, position):
            maker = run_of(commit, place.batch)
            row = json.loads(line) if run in (None, maker) else None
            if row is not None and (matching is None or matching(row)):
                page_bytes += len(line)
                if rows and (len(rows) == limit or page_bytes > MOST_BYTES_A_PAGE):
                    return RowsPage(rows, rows[-1]["_id"])
                rows.append({"_id": str(place), "_run": maker, **row})
            read_bytes += len(line)
            if read_bytes > MOST_BYTES_LOOKED_AT:
                return RowsPage(rows, str(place))
    return RowsPage(rows, None)


def committed_row(folder: ResultFolder, kind: PartKind, row_id: str) -> dict[str, Any] | None:
    """Return the row with the id `row_id`, None if it isn't stored (any more). Raises `CursorError`."""
    place = _read_cursor(row_id)
    page = committed_rows(folder, kind, 1, str(_CursorPlace(place.batch, place.part, place.row + 1)))
    return page.rows[0] if page.rows and page.rows[0]["_id"] == row_id else None


def commit_with(folder: ResultFolder, batch: int) -> Commit | None:
    """Return the valid commit with `batch`, or None; the `totals` of a merged commit are those of its last batch."""
    span = next((each for each in committed_spans(folder) if each.first <= batch <= each.last), None)
    return None if span is None else read_span(folder, span)


def commit_before(folder: ResultFolder, batch: int) -> Commit | None:
    """Return the newest commit whose batches are all before `batch`, or None."""
    span = next((each for each in reversed(committed_spans(folder)) if each.last < batch), None)
    return None if span is None else read_span(folder, span)


@dataclass(frozen=True, order=True)
class _CursorPlace:
    batch: int
    part: int
    row: int

    def __str__(self) -> str:
        return f"{self.batch}-{self.part}-{self.row}"


def _read_cursor(text: str) -> _CursorPlace:
    numbers = text.split("-")
    if len(numbers) != 3 or not all(number.isascii() and number.isdigit() and len(number) < 19 for number in numbers):
        raise CursorError(f"{text!r} is not a cursor; use the `next` of the previous page")
    return _CursorPlace(*(int(number) for number in numbers))


def _newest_first(folder: BlobFolder, before: _CursorPlace | None) -> Iterator[Commit]:
    """Yield the commits that may hold rows older than `before`."""
    for span in reversed(committed_spans(folder)):
        commit = read_span(folder, span) if before is None or span.first <= before.batch else None
        if commit is not None:
            yield commit


def _lines_of(
    folder: BlobFolder, kind: PartKind, commit: Commit, before: _CursorPlace | None
) -> Iterator[tuple[_CursorPlace, bytes]]:
    """Yield the lines of `commit` that are older than `before`, newest first, each with its place."""
    parts = [part for part in commit.parts if part.kind == kind]
    for index in reversed(range(len(parts))):
        part = parts[index]
        places = part.merged or [MergedPart(batch=commit.batch, part=index, rows=part.rows, bytes=part.bytes or 0)]
        if before is not None and _CursorPlace(places[0].batch, places[0].part, 0) >= before:
            continue
        lines = _last_first(folder, part.path, part.rows)
        for each in reversed(places):
            for row_index in reversed(range(each.rows)):
                line = next(lines, None)
                place = _CursorPlace(each.batch, each.part, row_index)
                if line is not None and (before is None or place < before):
                    yield place, line


def _last_first(folder: BlobFolder, name: str, rows: int) -> Iterator[bytes]:
    """Yield the first `rows` lines of a part, last line first, read lazily; none where it was deleted."""
    file = folder.opened(name)
    if file is None:
        return
    with file:
        lines = _backwards(file)
        last = next(lines)
        if last:  # text after the last newline: empty, except in a part without a final newline
            yield last
            rows -= 1
        yield from islice(lines, rows)


def _backwards(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of `file` from the last to the first; reads pieces that double in size up to a megabyte."""
    begin = file.seek(0, os.SEEK_END)
    tail: list[bytes] = []
    size = _FIRST_PIECE
    while begin > 0:
        end, begin = begin, max(0, begin - size)
        size = min(2 * size, _LARGEST_PIECE)
        file.seek(begin)
        piece = file.read(end - begin)
        stop = len(piece)
        while (newline := piece.rfind(b"\n", 0, stop)) >= 0:
            yield b"".join((piece[newline + 1 : stop], *reversed(tail)))
            tail.clear()
            stop = newline
        tail.append(piece[:stop])
    yield b"".join(reversed(tail))
