"""How much a binding keeps on disk, and making room: committed rows of one kind are deleted, and nothing else changes.

A batch that is committed later is not touched, so a run may go on or start meanwhile. The engine reads neither parts
nor commits of a binding: positions and state are in its checkpoint, so that a run goes on after a deletion as before.
"""

import fcntl
import re
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streaming.wire.by_run import places_of
from streaming.wire.results import (
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
    joined,
    part_path,
    read_span,
    run_of,
    runs_of,
    span_of,
    spans_of,
    write_atomically,
)
from streaming.wire.storage import BlobFolder, LocalFolder

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


def stored_after(folder: ResultFolder, batch: int, newest: int | None = None) -> StoredSizes:
    """What the commits above `batch` hold; `newest`: there is none above it. Raises `OSError`."""
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
    """Delete the rows of `kind` of all commits up to batch `upto`; with `run`, of those batches alone that it made.

    A commit stops listing a part before the part goes, so that a reader finds what it is told of or nothing. Where the
    disk is too full for the shorter commit the longer one stays: readers take a part that is gone for no rows. Of a
    part that holds rows of other batches too, these stay. Raises `OSError`; it may then be asked again.

    `beside` is the folder of the binding on this machine, where that is not `folder` itself.
    """
    beside = on_this_machine(blobs(folder), beside)
    if not blobs(folder).names("commits"):
        return RemovedRows(0, 0, 0, 0)
    with exclusive(beside):
        return _remove(blobs(folder), kind, _RowsToRemove(upto, run))


def on_this_machine(folder: BlobFolder, beside: Path | None) -> Path:
    """Where what is not on an object store lies of the binding whose rows are in `folder`: its marks, its lock."""
    if beside is None and isinstance(folder, LocalFolder):
        return folder.path
    if beside is None:
        raise ValueError("of rows on an object store it has to be said what lies on this machine")
    return beside


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
    """While inside, no other process deletes or merges what a binding keeps, whose folder on this machine is `folder`.

    Raises `OSError`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def sweep(folder: BlobFolder) -> None:
    """Delete the commits that another one stands for, with their parts."""
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
    """A part with what `part` has of batches that stay, None where that is nothing."""
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
    path = part_path(part.kind, commit.batch, f"m{places[0].batch}r{len(kept)}")  # a name that no longer part had
    _write_durably(folder, path, content)
    return ResultPart(kind=part.kind, path=path, rows=len(kept), bytes=len(content), merged=places)


def _remove_unlisted(folder: BlobFolder, kind: PartKind, upto: int, listed: Container[str]) -> None:
    """Delete the parts up to batch `upto` that no commit lists any more: also what a killed deletion left."""
    for name in folder.names(FOLDERS[kind]):
        found = _BATCH_OF_PART.match(name)
        if found is not None and int(found[1]) <= upto and f"{FOLDERS[kind]}/{name}" not in listed:
            folder.remove(f"{FOLDERS[kind]}/{name}")


def _after(folder: BlobFolder, batch: int, newest: int | None) -> Iterable[CommitSpan]:
    if newest is not None and newest - batch <= _TRIED_ONE_BY_ONE:
        return [CommitSpan(number, number) for number in range(batch + 1, newest + 1)]
    return [span for span in committed_spans(folder) if span.last > batch]


def _shorten(folder: BlobFolder, commit: Commit, left: list[ResultPart], *, forget_totals: bool) -> int:
    """Let the commit list only `left`, or delete it where it would say nothing; how many bytes that freed."""
    name = commit_path(span_of(commit))
    before = folder.size(name)
    if not left and forget_totals:
        folder.remove(name)
        return before
    said: dict[str, Any] = {"totals": {}, "runs": list(runs_of(commit))} if forget_totals else {}
    shorter = commit.model_copy(update={"parts": left, **said})
    with suppress(OSError):
        folder.write(name, shorter.model_dump_json().encode())
    return before - folder.size(name)


def _write_durably(folder: BlobFolder, name: str, content: bytes) -> None:
    """What was written is there after a power cut too: the only other copy of these rows goes next."""
    if isinstance(folder, LocalFolder):
        write_atomically(folder.path / name, content)
    else:
        folder.write(name, content)


def _part_size(folder: BlobFolder, part: ResultPart, batch: int) -> int:
    """What a part holds of batches after `batch`."""
    if part.merged:
        return sum(place.bytes for place in part.merged if place.batch > batch)
    return part.bytes if part.bytes is not None else folder.size(part.path)
