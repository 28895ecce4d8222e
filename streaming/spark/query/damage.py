"""Damaged files of a carrier, reported with the ways to recover before a query starts from them.

Otherwise a cut or missing file would end the query with an internal error of Spark, or make it start from an older
batch.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from streaming.spark.errors import DamagedCheckpoint
from streaming.storage.blobs import BlobFolder, LocalFolder, numbers_of

_OFFSETS: Final = "offsets"
_COMMITS: Final = "commits"
_VERSION: Final = "v1"


@contextmanager
def naming(folder: BlobFolder, file: str) -> Iterator[None]:
    """Raise `DamagedCheckpoint` for what can't be read as the content of `file` in the carrier's `folder`."""
    try:
        yield
    except (ValueError, TypeError, AttributeError, LookupError, OSError) as error:
        raise DamagedCheckpoint(_name_of(folder), file, "can't be read") from error


def missing(folder: BlobFolder, file: str) -> DamagedCheckpoint:
    """Return the error for a `file` of the carrier's `folder` that others refer to."""
    return DamagedCheckpoint(_name_of(folder), file, "is missing")


def require_whole(folder: BlobFolder, checkpoint: Path) -> None:
    """Check that Spark's log of batches, its state and our manifests fit together. Raises `DamagedCheckpoint`.

    Spark writes the offset of a batch, then we write its manifest, then Spark its state and its commit. They are listed
    in reverse, so that a batch that ends during the check is no damage. A query that starts without work gives Spark's
    batch 0 an offset without a batch of ours, so each offset names our batch: its number doesn't.
    """
    commits = _numbers(checkpoint / _COMMITS)
    manifests = folder.numbers("commits")
    offsets = _numbers(checkpoint / _OFFSETS)
    if not commits and not manifests:
        return
    newest = commits[-1] if commits else 0
    for number in [each for each in (newest - 1, newest) if each >= min(offsets, default=newest)]:
        if number not in offsets:
            raise missing(folder, f"spark/{_OFFSETS}/{number}")
    last = offsets[-1]
    batches = {number: _batch_of(folder, checkpoint, number) for number in {*offsets[-2:], *commits[-1:]}}
    if manifests and manifests[-1] > batches[last]:
        raise missing(folder, f"spark/{_OFFSETS}/{last + 1}")
    if last > 0 and last - 1 not in commits:
        raise missing(folder, f"spark/{_COMMITS}/{last - 1}")
    for number in commits[-2:]:
        _lines(folder, checkpoint, f"{_COMMITS}/{number}")
    if commits and batches[newest] not in {0, *manifests}:
        raise missing(folder, f"commits/{batches[newest]}.json")
    _require_state(folder, checkpoint, commits[-1] + 1 if commits else 0)


def newest_offset(checkpoint: Path) -> dict[str, Any] | None:
    """Return our part of the newest offset in Spark's log; None before the first. Raises `OSError`, `ValueError`."""
    numbers = _numbers(checkpoint / _OFFSETS)
    if not numbers:
        return None
    content: dict[str, Any] = json.loads((checkpoint / _OFFSETS / str(numbers[-1])).read_text().splitlines()[-1])
    return content


def in_flight(checkpoint: Path) -> bool:
    """Return whether Spark has planned a batch in `checkpoint` and has not committed it. Raises `OSError`."""
    offsets, commits = _numbers(checkpoint / _OFFSETS), _numbers(checkpoint / _COMMITS)
    return offsets[-1:] > commits[-1:]


def _batch_of(folder: BlobFolder, checkpoint: Path, number: int) -> int:
    """Return our batch in Spark's offset `number`; 0: none."""
    name = f"{_OFFSETS}/{number}"
    lines = _lines(folder, checkpoint, name)
    with naming(folder, f"spark/{name}"):
        return int(lines[-1]["n"])


def _require_state(folder: BlobFolder, checkpoint: Path, version: int) -> None:
    """Check that each partition has the files from which Spark makes its state of `version`."""
    for place in sorted(checkpoint.glob("state/[0-9]*/[0-9]*")) if version else ():
        snapshots = [each for each in numbers_of(path.name for path in place.glob("*.zip")) if each <= version]
        changes = numbers_of(path.name for path in place.glob("*.changelog"))
        for number in range((snapshots[-1] if snapshots else 0) + 1, version + 1):
            if number not in changes:
                name = (place / f"{number}.changelog").relative_to(checkpoint)
                raise missing(folder, f"spark/{name}")


def _lines(folder: BlobFolder, checkpoint: Path, name: str) -> list[Any]:
    """Return the values in a file of Spark's log: a version, then on each line JSON, or "-" for a missing source."""
    with naming(folder, f"spark/{name}"):
        version, *lines = (checkpoint / name).read_text(encoding="utf-8").splitlines()
        if version != _VERSION or not lines:
            raise ValueError(version)
        return [None if line == "-" else json.loads(line) for line in lines]


def _numbers(folder: Path) -> list[int]:
    return numbers_of(path.name for path in folder.glob("[0-9]*")) if folder.is_dir() else []


def _name_of(folder: BlobFolder) -> str:
    return folder.path.name if isinstance(folder, LocalFolder) else "the carrier"
