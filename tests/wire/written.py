"""Parts and commits as a carrier writes them, row by row."""

from collections.abc import Sequence
from pathlib import Path

from streaming.definition.strict import Strict
from streaming.storage.results import Commit, PartKind, ResultPart, part_path, write_atomically


def write_part(folder: Path, kind: PartKind, batch: int, task: int | str, rows: Sequence[Strict]) -> ResultPart:
    """Write `rows` (ResultRow or LateEvent) as one part and describe it; it counts once a commit lists it."""
    path = part_path(kind, batch, task)
    content = b"".join(row.model_dump_json().encode() + b"\n" for row in rows)
    write_atomically(folder / path, content)
    return ResultPart(kind=kind, path=path, rows=len(rows), bytes=len(content))


def write_commit(folder: Path, commit: Commit) -> None:
    """Make the parts of a batch count, all at once. Writing a batch again replaces its commit."""
    write_atomically(folder / "commits" / f"{commit.batch}.json", commit.model_dump_json().encode())
