"""Results and quarantine of one binding: part files, one commit for each batch, and the reader of its pages.

They lie in a folder of this machine or of an object store (`storage`); a `Path` stands for the former.

Folder of a binding (`RunSpec.results` inside the organisation's folder):

    results/part-<batch>-<task>.jsonl       one ResultRow a line (`.arrow`: tables, of a run that is read at its end)
    quarantine/part-<batch>-<task>.jsonl    one LateEvent a line
    commits/<batch>.json                    a Commit: which parts count
    commits/<last>-<first>.json             a Commit that stands for all of the batches first .. last

All runs of a binding write into its folder, one after the other, and their batches are numbered on; a commit says which
run made which of its batches. Merged ones of before that was written down do not: their rows belong to a run unknown.

A part that no commit lists is what an interrupted attempt left: nobody reads it. Neither does anybody read a commit
that another one stands for: old batches are merged, and every row keeps the batch, part and place of its cursor.
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

from streaming.definition.strict import Strict
from streaming.wire.storage import BlobFolder, LocalFolder

ResultFolder = Path | BlobFolder

PartKind = Literal["results", "late"]
PartForm = Literal["jsonl", "arrow"]

FOLDERS: Mapping[PartKind, str] = {"results": "results", "late": "quarantine"}
_COMMIT = re.compile(r"([0-9]+)(?:-([0-9]+))?\.json")
MAX_COMMITS_A_PAGE = 2_000
"""A page ends after so many commits even if it is not full, so that a rare outcome cannot hold a request for long."""
MAX_REMOTE_COMMITS_A_PAGE = 64
"""So many where each is asked of an object store."""
MOST_BYTES_A_PAGE = 4 << 20
"""A page ends before its lines are longer than this together; the first row of a page may be longer alone."""
MOST_BYTES_LOOKED_AT = 32 << 20
"""A page ends after so many bytes of rows that were looked at, wanted or not."""

_FIRST_PIECE = 32 << 10
_LARGEST_PIECE = 1 << 20


class CursorError(ValueError):
    """A cursor that this module did not hand out."""


class ResultPart(Strict):
    """One committed file: `path` relative to the binding's folder, how many rows it holds, and its size.

    Parts of before sizes were written down have none. `merged`: the parts that were merged into this one, in order;
    empty for one that a batch wrote.
    """

    kind: PartKind
    path: str
    rows: int
    bytes: int | None = None
    merged: list["MergedPart"] = Field(default_factory=list)


class MergedPart(Strict):
    """A part that was merged: of which batch, the how manieth of its kind there, its rows and its size."""

    batch: int
    part: int
    rows: int
    bytes: int


class RunBatches(Strict):
    """The batches `first` to `last`, which `run` made."""

    run: str
    first: int
    last: int


class Commit(Strict):
    """What one batch of one binding added, or all from `first` on. `totals` holds the fields of its ProgressReport.

    `runs`: who made its batches, ascending; commits of before that was written down have none (`runs_of`).
    """

    batch: int
    parts: list[ResultPart]
    totals: dict[str, Any]
    first: int | None = None
    runs: list[RunBatches] = Field(default_factory=list)


@dataclass(frozen=True, order=True)
class CommitSpan:
    """The batches `first` to `last` for which one commit stands; one batch where they are the same."""

    last: int
    first: int

    @property
    def name(self) -> str:
        """The name of its commit."""
        return f"{self.last}.json" if self.first == self.last else f"{self.last}-{self.first}.json"

    def covers(self, other: "CommitSpan") -> bool:
        """Whether `other` counts no more because this one stands for it."""
        return self != other and self.first <= other.first and other.last <= self.last


@dataclass(frozen=True)
class RowsPage:
    """Rows, newest first, each with `_id` (stable, unique in its kind) and `_run` (None: not known).

    `next` is the cursor, None at the oldest row.

    A page may hold fewer rows than asked for, even none, and still have a `next`.
    """

    rows: Sequence[dict[str, Any]]
    next: str | None


def part_path(kind: PartKind, batch: int, task: int | str, form: PartForm = "jsonl") -> str:
    """The path of a part relative to the binding's folder: the same batch and task replace the same file."""
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
    """`folder` behind the one interface."""
    return LocalFolder(folder) if isinstance(folder, Path) else folder


def read_commit(folder: ResultFolder, batch: int) -> Commit | None:
    """The commit of `batch`, or None."""
    return read_span(folder, CommitSpan(batch, batch))


def span_of(commit: Commit) -> CommitSpan:
    """What `commit` stands for."""
    return CommitSpan(commit.batch, commit.batch if commit.first is None else commit.first)


def runs_of(commit: Commit) -> Sequence[RunBatches]:
    """Who made the batches of `commit`, ascending; of batches that none of these covers it is not known.

    A commit of before that was written down has the report of its last batch, which names its run.
    """
    run = commit.totals.get("run")
    if commit.runs or not isinstance(run, str):
        return commit.runs
    return [RunBatches(run=run, first=commit.batch, last=commit.batch)]


def run_of(commit: Commit, batch: int) -> str | None:
    """The run that made `batch` of `commit`; None where that is not known."""
    return next((each.run for each in runs_of(commit) if each.first <= batch <= each.last), None)


def joined(runs: Iterable[RunBatches]) -> list[RunBatches]:
    """`runs`, ascending, with the neighbours of each run as one."""
    found: list[RunBatches] = []
    for each in runs:
        same = bool(found) and found[-1].run == each.run
        found.append(each.model_copy(update={"first": found.pop().first}) if same else each)
    return found


def read_span(folder: ResultFolder, span: CommitSpan) -> Commit | None:
    """The commit of `span`, or None."""
    content = blobs(folder).read(commit_path(span))
    return None if content is None else Commit.model_validate_json(content)


def commit_path(span: CommitSpan) -> str:
    """The path of its commit relative to the binding's folder."""
    return f"commits/{span.name}"


def committed_batches(folder: ResultFolder) -> list[int]:
    """The last batch of each commit that counts, ascending; none where the folder does not exist yet."""
    return [span.last for span in committed_spans(folder)]


def committed_spans(folder: ResultFolder) -> list[CommitSpan]:
    """What each commit that counts stands for, ascending; none where the folder does not exist yet."""
    return spans_of(blobs(folder).names("commits"))


def spans_of(names: Iterable[str]) -> list[CommitSpan]:
    """What the commits of these names stand for, ascending; those that another one stands for do not count."""
    counting: list[CommitSpan] = []
    for span in sorted(all_spans(names), key=lambda each: (each.first, -each.last)):
        if not counting or not counting[-1].covers(span):
            counting.append(span)
    return counting


def all_spans(names: Iterable[str]) -> list[CommitSpan]:
    """What the commits of these names stand for, in any order; other names are none of ours."""
    found = (_COMMIT.fullmatch(name) for name in names)
    return [CommitSpan(int(match[1]), int(match[2] or match[1])) for match in found if match is not None]


def committed_rows(
    folder: ResultFolder,
    kind: PartKind,
    limit: int,
    before: str | None = None,
    *,
    run: str | None = None,
    matching: Callable[[Mapping[str, Any]], bool] | None = None,
) -> RowsPage:
    """The newest `limit` committed rows older than the cursor `before`, of those that `matching` lets pass.

    With `run` those that this run made, without it those of all runs. Raises `CursorError` for a cursor that is not one
    of ours. Only committed parts are read; a missing folder, or a part that retention has removed, is no rows. Of the
    parts no more is read than the page needs, which is short where its rows are long.
    """
    folder = blobs(folder)
    most_commits = MAX_COMMITS_A_PAGE if isinstance(folder, LocalFolder) else MAX_REMOTE_COMMITS_A_PAGE
    position = _read_cursor(before) if before is not None else None
    rows: list[dict[str, Any]] = []
    given = looked_at = 0
    for count, commit in enumerate(_newest_first(folder, position)):
        if count == most_commits:
            return RowsPage(rows, f"{commit.batch + 1}-0-0")
        if run is not None and all(each.run != run for each in runs_of(commit)):
            continue
        for place, line in _lines_of(folder, kind, commit, position):
            maker = run_of(commit, place.batch)
            row = json.loads(line) if run in (None, maker) else None
            if row is not None and (matching is None or matching(row)):
                given += len(line)
                if rows and (len(rows) == limit or given > MOST_BYTES_A_PAGE):
                    return RowsPage(rows, rows[-1]["_id"])
                rows.append({"_id": str(place), "_run": maker, **row})
            looked_at += len(line)
            if looked_at > MOST_BYTES_LOOKED_AT:
                return RowsPage(rows, str(place))
    return RowsPage(rows, None)


def committed_row(folder: ResultFolder, kind: PartKind, row_id: str) -> dict[str, Any] | None:
    """The row of the id `row_id`, None where it is not kept (any more). Raises `CursorError`."""
    place = _read_cursor(row_id)
    page = committed_rows(folder, kind, 1, str(_CursorPlace(place.batch, place.part, place.row + 1)))
    return page.rows[0] if page.rows and page.rows[0]["_id"] == row_id else None


def commit_with(folder: ResultFolder, batch: int) -> Commit | None:
    """The commit that counts of `batch`, or None; where it stands for more batches, `totals` are those of the last."""
    span = next((each for each in committed_spans(folder) if each.first <= batch <= each.last), None)
    return None if span is None else read_span(folder, span)


def commit_before(folder: ResultFolder, batch: int) -> Commit | None:
    """The newest commit whose batches are all before `batch`, or None."""
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
        raise CursorError(f"{text!r} is not a cursor; use the `next` of the page before")
    return _CursorPlace(*(int(number) for number in numbers))


def _newest_first(folder: BlobFolder, before: _CursorPlace | None) -> Iterator[Commit]:
    """The commits that may hold rows older than `before`."""
    for span in reversed(committed_spans(folder)):
        commit = read_span(folder, span) if before is None or span.first <= before.batch else None
        if commit is not None:
            yield commit


def _lines_of(
    folder: BlobFolder, kind: PartKind, commit: Commit, before: _CursorPlace | None
) -> Iterator[tuple[_CursorPlace, bytes]]:
    """The lines of the rows of `commit` that are older than `before`, newest first, each with its place."""
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
    """The `rows` lines of a part from its end on, read as they are asked for; none where it is gone."""
    file = folder.opened(name)
    if file is None:
        return
    with file:
        lines = _backwards(file)
        last = next(lines)
        if last:  # what stands behind the last newline; nothing, but for a part that was written without one
            yield last
            rows -= 1
        yield from islice(lines, rows)


def _backwards(file: BinaryIO) -> Iterator[bytes]:
    """What `file` has between its newlines, from its end on; pieces are asked for that double up to a megabyte."""
    begin = file.seek(0, os.SEEK_END)
    behind: list[bytes] = []
    size = _FIRST_PIECE
    while begin > 0:
        end, begin = begin, max(0, begin - size)
        size = min(2 * size, _LARGEST_PIECE)
        file.seek(begin)
        piece = file.read(end - begin)
        stop = len(piece)
        while (newline := piece.rfind(b"\n", 0, stop)) >= 0:
            yield b"".join((piece[newline + 1 : stop], *reversed(behind)))
            behind.clear()
            stop = newline
        behind.append(piece[:stop])
    yield b"".join(reversed(behind))
