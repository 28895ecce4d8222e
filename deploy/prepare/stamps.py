"""Stamps: the input of a step, so that the step is skipped while nothing has changed.

A stamp is stored inside the result of its step, so removing the result removes the stamp too.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def digest(files: Iterable[Path], root: Path) -> str:
    """Return a digest of names (below `root`) and contents of `files`, independent of their order."""
    total = hashlib.sha256()
    for file in sorted(files):
        total.update(f"{file.relative_to(root)}\0".encode())
        total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


def is_current(stamp: Path, value: str) -> bool:
    """Return whether `stamp` was written with `value`."""
    return stamp.exists() and stamp.read_text() == value


def write(stamp: Path, value: str) -> None:
    """Record that the step was done for `value`; only after it succeeded."""
    stamp.write_text(value)
