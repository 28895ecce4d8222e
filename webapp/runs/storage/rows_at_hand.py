"""Quarantine or results of a binding as a folder of this machine, for a limited process."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from streaming.storage.blobs import LocalFolder
from streaming.storage.newest_copied import copy_newest
from streaming.storage.results import PartKind
from webapp.runs.kept_folders import own_folder, rows_folder


@dataclass(frozen=True)
class RowsAtHand:
    """The folder of the rows; rows of batches before `complete_from` may be missing (-1: none is)."""

    folder: str
    complete_from: int


@contextmanager
def rows_at_hand(binding: UUID, kind: PartKind = "late") -> Iterator[RowsAtHand]:
    """Provide the rows of `kind` on this machine until the block ends; from an object store, copy the newest.

    Raises `OSError`.
    """
    rows = rows_folder(binding)
    if isinstance(rows, LocalFolder):
        yield RowsAtHand(str(rows.path), -1)
        return
    previews = own_folder() / ".previews"
    previews.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="rows-", dir=previews) as copied:
        yield RowsAtHand(copied, copy_newest(rows, kind, Path(copied)))
