"""Disk usage of a binding, and deletion of its committed rows of one kind; nothing else changes.

Batches that are committed later stay untouched, so a run may continue or start during a deletion. The engine reads
neither parts nor commits of a binding: positions and state are in its checkpoint, so a deletion doesn't affect a run.
"""

import fcntl
import re
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streaming.storage.blobs import BlobFolder, LocalFolder
from streaming.storage.by_run import places_of
from streaming.storage.results import (
    FOLDERS,
    Commit,
    CommitSpan,
    PartKind,
    ResultFolder,
    ResultPart,
    all_spans,
    blobs,
    commit_path,
    committed_spans,
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
"""Up to this many batches are read by their names; for more, listing the folder of commits is faster."""


@dataclass(frozen=True)
class StoredSizes:
    """The bytes in commits up to `batch`, after the batch that the caller named; commit files count as results."""

    batch: int
    results: int
    late: int


@dataclass(frozen=True)
class RemovedRows:
    """The deleted rows and files of the requested kind, and the bytes of each kind that became free."""

    rows: int
    parts: int
    results: int
    late: int


def stored_after(folder: ResultFolder, batch: int, newest: int | None = None) -> StoredSizes:
    """Return the bytes in commits after `batch`; `newest`, if set, is the last commit. Raises `OSError`."""
    folder = blobs(folder)
    sizes: dict[PartKind, int] = {"results": 0, "late": 0}
    last = batch
    for span in _after(folder, batch, newest):
        commit = read_span(folder, span)
        if commit is None:
            continue
        last = span.last
        if span.first > batch:
            sizes["results"] += folder.size(commit_path(span))
        for part in commit.parts:
            sizes[part.kind] += _part_size(folder, part, batch)
    return StoredSizes(last, sizes["results"], sizes["late"])


def remove(
    folder: ResultFolder, kind: PartKind, upto: int, run: str | None = None, *, beside: Path | None = None
) -> RemovedRows:
    """Delete the rows of `kind` of all commits up to batch `upto`; with `run`, only of the batches that it made.

    A commit stops listing a part before the part is deleted, so a reader never reads a shortened part. If the disk is
    too full to write the shorter commit, the longer one stays: readers treat a missing part as empty. A part with rows
    of other batches keeps those. Raises `OSError`; the caller may then retry.

    `beside` is the folder of the binding on this machine, where that is not `folder` itself.
    """
    beside = on_this_machine(blobs(folder), beside)
    if not blobs(folder).names("commits"):
        return RemovedRows(0, 0, 0, 0)
    with exclusive(beside):
        return _remove(blobs(folder), kind, _RowsToRemove(upto, run))


def on_this_machine(folder: BlobFolder, beside: Path | None) -> Path:
    """Return the folder on this machine of the binding whose rows are in `folder`: for its marks and its lock."""
    if beside is None and isinstance(folder, LocalFolder):
        return folder.path
    if beside is None:
        raise ValueError("rows on an object store need `beside`, the binding's folder on this machine")
    return beside


@dataclass(frozen=True)
class _RowsToRemove:
    """The batches whose rows are deleted: up to `upto` and, if `run` is set, made by it."""

    upto: int
    run: str | None

    def batch(self, commit: Commit, batch: int) -> bool:
        return batch <= self.upto and self.run in (None, run_of(commit, batch))

    def whole(self, commit: Commit) -> bool:
        """Return whether all batches of `commit` are deleted."""
        if self.run is None or commit.batch > self.upto:
            return commit.batch <= self.upto
        mine = [each for each in runs_of(commit) if each.run == self.run]
        return sum(each.last - each.first + 1 for each in mine) == commit.batch - span_of(commit).first + 1


def _remove(folder: BlobFolder, kind: PartKind, doomed: _RowsToRemove) -> RemovedRows:
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
            freed += sum(folder.size(part.path) for part in gone) - sum(part.bytes or 0 for part in kept)
            of_commits += _shorten(folder, commit, [*kept, *left], forget_totals=forget)
        for part in gone:
            folder.remove(part.path)
        listed.update(part.path for part in (*kept, *left))
        rows += sum(part.rows for part in gone) - sum(part.rows for part in kept)
        parts += len(gone)
    _remove_unlisted(folder, kind, doomed.upto, listed)
    if kind == "results":
        return RemovedRows(rows, parts, freed + of_commits, 0)
    return RemovedRows(rows, parts, of_commits, freed)


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold the lock against deletion and merging by other processes; `folder` is the binding's folder on this machine.

    Raises `OSError`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def sweep(folder: BlobFolder) -> None:
    """Delete the commits that a merged commit covers, with their parts."""
    found = all_spans(folder.names("commits"))
    counting = set(spans_of(span.name for span in found))
    for span in found:
        if span not in counting:
            commit = read_span(folder, span)
            for part in commit.parts if commit is not None else ():
                folder.remove(part.path)
            folder.remove(commit_path(span))


def _loses(folder: BlobFolder, commit: Commit, part: ResultPart, doomed: _RowsToRemove) -> bool:
    places = places_of(folder, commit, part)
    going = [place for place in places if doomed.batch(commit, place.batch)]
    return len(going) == len(places) or any(place.rows for place in going)


def _rest(folder: BlobFolder, commit: Commit, part: ResultPart, doomed: _RowsToRemove) -> ResultPart | None:
    """Write a part with the rows of `part` whose batches stay; None without such rows."""
    places = [place for place in part.merged if not doomed.batch(commit, place.batch)]
    if not places:
        return None
    content = folder.read(part.path)
    if content is None:
        return None
    lines = content.split(b"\n")[: part.rows]
    kept, end = [], 0
    for place in part.merged:
        begin, end = end, end + place.rows
        if place in places:
            kept += lines[begin:end]
    content = b"".join(line + b"\n" for line in kept)
    path = part_path(part.kind, commit.batch, f"m{places[0].batch}r{len(kept)}")  # a new name: no longer part had it
    _write_durably(folder, path, content)
    return ResultPart(kind=part.kind, path=path, rows=len(kept), bytes=len(content), merged=places)


def _remove_unlisted(folder: BlobFolder, kind: PartKind, upto: int, listed: Container[str]) -> None:
    """Delete the parts up to batch `upto` that no commit lists, including leftovers of a killed deletion."""
    for name in folder.names(FOLDERS[kind]):
        found = _BATCH_OF_PART.match(name)
        if found is not None and int(found[1]) <= upto and f"{FOLDERS[kind]}/{name}" not in listed:
            folder.remove(f"{FOLDERS[kind]}/{name}")


def _after(folder: BlobFolder, batch: int, newest: int | None) -> Iterable[CommitSpan]:
    if newest is not None and newest - batch <= _TRIED_ONE_BY_ONE:
        return [CommitSpan(number, number) for number in range(batch + 1, newest + 1)]
    return [span for span in committed_spans(folder) if span.last > batch]


def _shorten(folder: BlobFolder, commit: Commit, left: list[ResultPart], *, forget_totals: bool) -> int:
    """Shorten the commit to the parts `left`, or delete it if it would be empty; return the bytes freed."""
    name = commit_path(span_of(commit))
    before = folder.size(name)
    if not left and forget_totals:
        folder.remove(name)
        return before
    changes: dict[str, Any] = {"totals": {}, "runs": list(runs_of(commit))} if forget_totals else {}
    shorter = commit.model_copy(update={"parts": left, **changes})
    with suppress(OSError):
        folder.write(name, shorter.model_dump_json().encode())
    return before - folder.size(name)


def _write_durably(folder: BlobFolder, name: str, content: bytes) -> None:
    """Write so that a power cut can't undo it: the only other copy of these rows is deleted next."""
    if isinstance(folder, LocalFolder):
        write_atomically(folder.path / name, content)
    else:
        folder.write(name, content)


def _part_size(folder: BlobFolder, part: ResultPart, batch: int) -> int:
    """Return the bytes in a part that belong to batches after `batch`."""
    if part.merged:
        return sum(place.bytes for place in part.merged if place.batch > batch)
    return part.bytes if part.bytes is not None else folder.size(part.path)
