"""Stamps: what a step was done for, so that it is not done again while nothing changed.

A stamp is kept inside what the step made: whoever removes the result removes the stamp with it.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def digest(files: Iterable[Path], root: Path) -> str:
    """Return a digest of names (below `root`) and contents of `files`, whatever their order."""
    total = hashlib.sha256()
    for file in sorted(files):
        total.update(f"{file.relative_to(root)}\0".encode())
        total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


def is_current(stamp: Path, value: str) -> bool:
    """Tell whether `stamp` was written with `value`."""
    return stamp.exists() and stamp.read_text() == value


def write(stamp: Path, value: str) -> None:
    """Note that the step was done for `value`; only after it succeeded."""
    stamp.write_text(value)
