"""How much a binding keeps on disk, and making room: committed rows of one kind are deleted, and nothing else changes.

A batch that is committed later is not touched, so a run may go on or start meanwhile. The engine reads neither parts
nor commits of a binding: positions and state are in its checkpoint, so that a run goes on after a deletion as before.
"""

import fcntl
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from streaming.wire.results import (
    FOLDERS,
    Commit,
    Part,
    PartKind,
    Span,
    all_spans,
    committed_spans,
    part_path,
    read_span,
    span_of,
    spans_of,
    write_atomically,
)

_BATCH_OF_PART = re.compile(r"part-(\d+)-")
_TRIED_ONE_BY_ONE = 64
"""Up to so many batches are looked for by their names; listing a folder of many commits costs more."""


@dataclass(frozen=True)
class Stored:
    """What the commits after some batch up to `batch` hold, in bytes; the commits themselves count as results."""

    batch: int
    results: int
    late: int


@dataclass(frozen=True)
class Removed:
    """What was deleted: rows and files of the kind that was asked for, and how many bytes of each kind became free."""

    rows: int
    parts: int
    results: int
    late: int


def stored_after(folder: Path, batch: int, newest: int | None = None) -> Stored:
    """What the commits above `batch` hold; `newest`: there is none above it. Raises `OSError`."""
    sizes: dict[PartKind, int] = {"results": 0, "late": 0}
    last = batch
    for span in _after(folder, batch, newest):
        commit = read_span(folder, span)
        if commit is None:
            continue
        last = span.last
        if span.first > batch:
            sizes["results"] += _size(_commit_path(folder, span))
        for part in commit.parts:
            sizes[part.kind] += _part_size(folder, part, batch)
    return Stored(last, sizes["results"], sizes["late"])


def remove(folder: Path, kind: PartKind, upto: int) -> Removed:
    """Delete the rows of `kind` of all commits up to batch `upto`. Raises `OSError`; it may then be asked again.

    A commit stops listing a part before the part goes, so that a reader finds what it is told of or nothing. Where the
    disk is too full for the shorter commit the longer one stays: readers take a part that is gone for no rows. Of a
    commit that stands for later batches too, the rows of these stay.
    """
    if not (folder / "commits").is_dir():
        return Removed(0, 0, 0, 0)
    with exclusive(folder):
        return _remove(folder, kind, upto)


def _remove(folder: Path, kind: PartKind, upto: int) -> Removed:
    rows = parts = freed = of_commits = 0
    sweep(folder)
    for span in committed_spans(folder):
        commit = read_span(folder, span) if span.first <= upto else None
        if commit is None:
            continue
        gone = [part for part in commit.parts if part.kind == kind]
        left = [part for part in commit.parts if part.kind != kind]
        kept = [later for part in gone if (later := _later(folder, span, part, upto)) is not None]
        whole = span.last <= upto
        if gone or (kind == "results" and commit.totals and whole):
            freed += sum(_size(folder / part.path) for part in gone) - sum(part.bytes or 0 for part in kept)
            of_commits += _shorten(folder, commit, [*kept, *left], forget_totals=kind == "results" and whole)
        for part in gone:
            (folder / part.path).unlink(missing_ok=True)
        rows += sum(part.rows for part in gone) - sum(part.rows for part in kept)
        parts += len(gone)
    _remove_unlisted(folder / FOLDERS[kind], upto)
    if kind == "results":
        return Removed(rows, parts, freed + of_commits, 0)
    return Removed(rows, parts, of_commits, freed)


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


def _later(folder: Path, span: Span, part: Part, upto: int) -> Part | None:
    """A part with what `part` has of batches after `upto`, None where that is nothing."""
    places = [place for place in part.merged if place.batch > upto]
    if not places:
        return None
    rows = sum(place.rows for place in places)
    try:
        lines = (folder / part.path).read_bytes().split(b"\n")[: part.rows][-rows:] if rows else []
    except FileNotFoundError:
        return None
    content = b"".join(line + b"\n" for line in lines)
    path = part_path(part.kind, span.last, f"m{places[0].batch}")
    if path != part.path:
        write_atomically(folder / path, content)
    return Part(kind=part.kind, path=path, rows=rows, bytes=len(content), merged=places)


def _remove_unlisted(folder: Path, upto: int) -> None:
    """Delete the parts up to batch `upto`, which no commit lists any more: also what a killed deletion left."""
    try:
        paths = list(folder.iterdir())
    except FileNotFoundError:
        return
    for path in paths:
        found = _BATCH_OF_PART.match(path.name)
        if found is not None and int(found[1]) <= upto:
            path.unlink(missing_ok=True)


def _after(folder: Path, batch: int, newest: int | None) -> Iterable[Span]:
    if newest is not None and newest - batch <= _TRIED_ONE_BY_ONE:
        return [Span(number, number) for number in range(batch + 1, newest + 1)]
    return [span for span in committed_spans(folder) if span.last > batch]


def _shorten(folder: Path, commit: Commit, left: list[Part], *, forget_totals: bool) -> int:
    """Let the commit list only `left`, or delete it where it would say nothing; how many bytes that freed."""
    path = _commit_path(folder, span_of(commit))
    before = _size(path)
    if not left and forget_totals:
        path.unlink(missing_ok=True)
        return before
    shorter = commit.model_copy(update={"parts": left, "totals": {} if forget_totals else commit.totals})
    staged = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        staged.write_text(shorter.model_dump_json(), encoding="utf-8")
        staged.replace(path)
    except OSError:
        staged.unlink(missing_ok=True)
    return before - _size(path)


def _commit_path(folder: Path, span: Span) -> Path:
    return folder / "commits" / span.name


def _part_size(folder: Path, part: Part, batch: int) -> int:
    """What a part holds of batches after `batch`."""
    if part.merged:
        return sum(place.bytes for place in part.merged if place.batch > batch)
    return part.bytes if part.bytes is not None else _size(folder / part.path)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
