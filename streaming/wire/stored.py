"""How much a binding keeps on disk, and making room: committed rows of one kind are deleted, and nothing else changes.

A batch that is committed later is not touched, so a run may go on or start meanwhile. The engine reads neither parts
nor commits of a binding: positions and state are in its checkpoint, so that a run goes on after a deletion as before.
"""

import fcntl
import os
import re
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streaming.wire.by_run import places_of, size_of
from streaming.wire.results import (
    FOLDERS,
    Commit,
    CommitSpan,
    PartKind,
    ResultPart,
    all_spans,
    committed_spans,
    joined,
    part_path,
    read_span,
    run_of,
    runs_of,
    span_of,
    spans_of,
    write_atomically,
)

_BATCH_OF_PART = re.compile(r"part-(\d+)-")
_TRIED_ONE_BY_ONE = 64
"""Up to so many batches are looked for by their names; listing a folder of many commits costs more."""


@dataclass(frozen=True)
class StoredSizes:
    """What the commits after some batch up to `batch` hold, in bytes; the commits themselves count as results."""

    batch: int
    results: int
    late: int


@dataclass(frozen=True)
class RemovedRows:
    """What was deleted: rows and files of the kind that was asked for, and how many bytes of each kind became free."""

    rows: int
    parts: int
    results: int
    late: int


def stored_after(folder: Path, batch: int, newest: int | None = None) -> StoredSizes:
    """What the commits above `batch` hold; `newest`: there is none above it. Raises `OSError`."""
    sizes: dict[PartKind, int] = {"results": 0, "late": 0}
    last = batch
    for span in _after(folder, batch, newest):
        commit = read_span(folder, span)
        if commit is None:
            continue
        last = span.last
        if span.first > batch:
            sizes["results"] += size_of(_commit_path(folder, span))
        for part in commit.parts:
            sizes[part.kind] += _part_size(folder, part, batch)
    return StoredSizes(last, sizes["results"], sizes["late"])


def remove(folder: Path, kind: PartKind, upto: int, run: str | None = None) -> RemovedRows:
    """Delete the rows of `kind` of all commits up to batch `upto`; with `run`, of those batches alone that it made.

    A commit stops listing a part before the part goes, so that a reader finds what it is told of or nothing. Where the
    disk is too full for the shorter commit the longer one stays: readers take a part that is gone for no rows. Of a
    part that holds rows of other batches too, these stay. Raises `OSError`; it may then be asked again.
    """
    if not (folder / "commits").is_dir():
        return RemovedRows(0, 0, 0, 0)
    with exclusive(folder):
        return _remove(folder, kind, _RowsToRemove(upto, run))


@dataclass(frozen=True)
class _RowsToRemove:
    """The batches whose rows are to go: up to `upto`, and where `run` is said, made by it."""

    upto: int
    run: str | None

    def batch(self, commit: Commit, batch: int) -> bool:
        return batch <= self.upto and self.run in (None, run_of(commit, batch))

    def whole(self, commit: Commit) -> bool:
        """Whether all that `commit` stands for goes."""
        if self.run is None or commit.batch > self.upto:
            return commit.batch <= self.upto
        return [(each.run, each.first, each.last) for each in joined(runs_of(commit))] == [
            (self.run, span_of(commit).first, commit.batch)
        ]


def _remove(folder: Path, kind: PartKind, doomed: _RowsToRemove) -> RemovedRows:
    rows = parts = freed = of_commits = 0
    listed: set[str] = set()
    sweep(folder)
    for span in committed_spans(folder):
        commit = read_span(folder, span) if span.first <= doomed.upto else None
        if commit is None:
            continue
        gone = [part for part in commit.parts if part.kind == kind and _loses(folder, commit, part, doomed)]
        left = [part for part in commit.parts if part not in gone]
        kept = [rest for part in gone if (rest := _rest(folder, commit, part, doomed)) is not None]
        forget = kind == "results" and doomed.whole(commit)
        if gone or (forget and commit.totals):
            freed += sum(size_of(folder / part.path) for part in gone) - sum(part.bytes or 0 for part in kept)
            of_commits += _shorten(folder, commit, [*kept, *left], forget_totals=forget)
        for part in gone:
            (folder / part.path).unlink(missing_ok=True)
        listed.update(part.path for part in (*kept, *left))
        rows += sum(part.rows for part in gone) - sum(part.rows for part in kept)
        parts += len(gone)
    _remove_unlisted(folder, kind, doomed.upto, listed)
    if kind == "results":
        return RemovedRows(rows, parts, freed + of_commits, 0)
    return RemovedRows(rows, parts, of_commits, freed)


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """While inside, no other process deletes or merges what the binding of `folder` keeps. Raises `OSError`."""
    with (folder / ".lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def sweep(folder: Path) -> None:
    """Delete the commits that another one stands for, with their parts."""
    found = all_spans(path.name for path in (folder / "commits").iterdir())
    counting = set(spans_of(span.name for span in found))
    for span in found:
        if span not in counting:
            commit = read_span(folder, span)
            for part in commit.parts if commit is not None else ():
                (folder / part.path).unlink(missing_ok=True)
            _commit_path(folder, span).unlink(missing_ok=True)


def _loses(folder: Path, commit: Commit, part: ResultPart, doomed: _RowsToRemove) -> bool:
    places = places_of(folder, commit, part)
    going = [place for place in places if doomed.batch(commit, place.batch)]
    return len(going) == len(places) or any(place.rows for place in going)


def _rest(folder: Path, commit: Commit, part: ResultPart, doomed: _RowsToRemove) -> ResultPart | None:
    """A part with what `part` has of batches that stay, None where that is nothing."""
    places = [place for place in part.merged if not doomed.batch(commit, place.batch)]
    if not places:
        return None
    try:
        lines = (folder / part.path).read_bytes().split(b"\n")[: part.rows]
    except FileNotFoundError:
        return None
    kept, end = [], 0
    for place in part.merged:
        begin, end = end, end + place.rows
        if place in places:
            kept += lines[begin:end]
    content = b"".join(line + b"\n" for line in kept)
    path = part_path(part.kind, commit.batch, f"m{places[0].batch}r{len(kept)}")  # a name that no longer part had
    write_atomically(folder / path, content)
    return ResultPart(kind=part.kind, path=path, rows=len(kept), bytes=len(content), merged=places)


def _remove_unlisted(folder: Path, kind: PartKind, upto: int, listed: Container[str]) -> None:
    """Delete the parts up to batch `upto` that no commit lists any more: also what a killed deletion left."""
    try:
        paths = list((folder / FOLDERS[kind]).iterdir())
    except FileNotFoundError:
        return
    for path in paths:
        found = _BATCH_OF_PART.match(path.name)
        if found is not None and int(found[1]) <= upto and f"{FOLDERS[kind]}/{path.name}" not in listed:
            path.unlink(missing_ok=True)


def _after(folder: Path, batch: int, newest: int | None) -> Iterable[CommitSpan]:
    if newest is not None and newest - batch <= _TRIED_ONE_BY_ONE:
        return [CommitSpan(number, number) for number in range(batch + 1, newest + 1)]
    return [span for span in committed_spans(folder) if span.last > batch]


def _shorten(folder: Path, commit: Commit, left: list[ResultPart], *, forget_totals: bool) -> int:
    """Let the commit list only `left`, or delete it where it would say nothing; how many bytes that freed."""
    path = _commit_path(folder, span_of(commit))
    before = size_of(path)
    if not left and forget_totals:
        path.unlink(missing_ok=True)
        return before
    said: dict[str, Any] = {"totals": {}, "runs": list(runs_of(commit))} if forget_totals else {}
    shorter = commit.model_copy(update={"parts": left, **said})
    staged = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        staged.write_text(shorter.model_dump_json(), encoding="utf-8")
        staged.replace(path)
    except OSError:
        staged.unlink(missing_ok=True)
    return before - size_of(path)


def _commit_path(folder: Path, span: CommitSpan) -> Path:
    return folder / "commits" / span.name


def _part_size(folder: Path, part: ResultPart, batch: int) -> int:
    """What a part holds of batches after `batch`."""
    if part.merged:
        return sum(place.bytes for place in part.merged if place.batch > batch)
    return part.bytes if part.bytes is not None else size_of(folder / part.path)
