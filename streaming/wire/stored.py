"""How much a binding keeps on disk, and making room: committed rows of one kind are deleted, and nothing else changes.

A batch that is committed later is not touched, so a run may go on or start meanwhile. The engine reads neither parts
nor commits of a binding: positions and state are in its checkpoint, so that a run goes on after a deletion as before.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from streaming.wire.results import FOLDERS, Commit, Part, PartKind, committed_batches, read_commit

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
    for number in _after(folder, batch, newest):
        commit = read_commit(folder, number)
        if commit is None:
            continue
        last = number
        sizes["results"] += _size(_commit_path(folder, number))
        for part in commit.parts:
            sizes[part.kind] += _part_size(folder, part)
    return Stored(last, sizes["results"], sizes["late"])


def remove(folder: Path, kind: PartKind, upto: int) -> Removed:
    """Delete the rows of `kind` of all commits up to batch `upto`. Raises `OSError`; it may then be asked again.

    A commit stops listing a part before the part goes, so that a reader finds what it is told of or nothing. Where the
    disk is too full for the shorter commit the longer one stays: readers take a part that is gone for no rows.
    """
    rows = parts = freed = of_commits = 0
    for number in committed_batches(folder):
        commit = read_commit(folder, number) if number <= upto else None
        if commit is None:
            continue
        gone = [part for part in commit.parts if part.kind == kind]
        left = [part for part in commit.parts if part.kind != kind]
        if gone or (kind == "results" and commit.totals):
            freed += sum(_size(folder / part.path) for part in gone)
            of_commits += _shorten(folder, commit, left, forget_totals=kind == "results")
        for part in gone:
            (folder / part.path).unlink(missing_ok=True)
        rows, parts = rows + sum(part.rows for part in gone), parts + len(gone)
    _remove_unlisted(folder / FOLDERS[kind], upto)
    if kind == "results":
        return Removed(rows, parts, freed + of_commits, 0)
    return Removed(rows, parts, of_commits, freed)


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


def _after(folder: Path, batch: int, newest: int | None) -> Iterable[int]:
    if newest is not None and newest - batch <= _TRIED_ONE_BY_ONE:
        return range(batch + 1, newest + 1)
    return [number for number in committed_batches(folder) if number > batch]


def _shorten(folder: Path, commit: Commit, left: list[Part], *, forget_totals: bool) -> int:
    """Let the commit list only `left`, or delete it where it would say nothing; how many bytes that freed."""
    path = _commit_path(folder, commit.batch)
    before = _size(path)
    if not left and forget_totals:
        path.unlink(missing_ok=True)
        return before
    shorter = Commit(batch=commit.batch, parts=left, totals={} if forget_totals else commit.totals)
    staged = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        staged.write_text(shorter.model_dump_json(), encoding="utf-8")
        staged.replace(path)
    except OSError:
        staged.unlink(missing_ok=True)
    return before - _size(path)


def _commit_path(folder: Path, batch: int) -> Path:
    return folder / "commits" / f"{batch}.json"


def _part_size(folder: Path, part: Part) -> int:
    return part.bytes if part.bytes is not None else _size(folder / part.path)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
