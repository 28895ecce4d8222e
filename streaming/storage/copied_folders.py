"""A mark that distinguishes a folder from its copies, which nobody has examined."""

from pathlib import Path
from typing import Final

PLACE: Final = "place"


def mark_place(folder: Path, fixed: str) -> None:
    """Mark `folder` as examined; `fixed`: a file in it that is never replaced. Raises `OSError`."""
    staged = folder / f".{PLACE}.staged"
    staged.write_text(_place_of(folder, fixed))
    staged.replace(folder / PLACE)


def is_marked(folder: Path, fixed: str) -> bool | None:
    """Return whether `folder` is the folder that was marked; None if it was never marked. Raises `OSError`."""
    try:
        return (folder / PLACE).read_text() == _place_of(folder, fixed)
    except FileNotFoundError:
        return None


def _place_of(folder: Path, fixed: str) -> str:
    return f"{folder.stat().st_ino} {(folder / fixed).stat().st_ino}"
