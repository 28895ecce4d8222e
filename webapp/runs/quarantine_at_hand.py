"""The quarantine of a binding as a folder of this machine, for a limited process."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from streaming.wire.newest_copied import copy_newest
from streaming.wire.storage import LocalFolder
from webapp.runs.kept_folders import own_folder, rows_folder


@dataclass(frozen=True)
class QuarantineAtHand:
    """Where the rows lie; those of batches before `complete_from` may be missing (-1: none is)."""

    folder: str
    complete_from: int


@contextmanager
def quarantine_at_hand(binding: UUID) -> Iterator[QuarantineAtHand]:
    """Have the quarantine on this machine until the block ends: of one on an object store the newest, copied.

    Raises `OSError`.
    """
    rows = rows_folder(binding)
    if isinstance(rows, LocalFolder):
        yield QuarantineAtHand(str(rows.path), -1)
        return
    previews = own_folder() / ".previews"
    previews.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="quarantine-", dir=previews) as copied:
        yield QuarantineAtHand(copied, copy_newest(rows, "late", Path(copied)))
