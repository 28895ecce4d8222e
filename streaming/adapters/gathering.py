"""Moving into `files/` what lay beside it until 2026-11-22, when adapters read all of an organisation's folder."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from streaming.adapters.places import FILES
from streaming.wire.result_location import NOTE

OWN: Final = frozenset(
    {FILES, "carriers", "kept", "logs", "results", NOTE, "savepoints", ".previews"}
    | {f"runner.{kind}" for kind in ("json", "staged", "lock")}
)
"""What the platform keeps in the folder of an organisation; the runtime's README says what each is.

A name that is missing here loses what stands under it at the next start: it would be moved to where runs do not look.
"""


@dataclass(frozen=True)
class GatheredNames:
    """The names of what was moved, and of what was left: a link, or a name that `files/` has already."""

    moved: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def sentences(self, organisation: str) -> list[str]:
        """What to tell whoever runs the installation."""
        told = []
        if self.moved:
            told.append(f"Moved the data of organisation {organisation} into its folder files/: {_names(self.moved)}.")
        if self.left:
            told.append(
                f"Not moved into files/ of organisation {organisation}: {_names(self.left)}. Each is a link, or files/ "
                "has one of that name; adapters read there alone, so move it by hand."
            )
        return told


def gather(own: Path) -> GatheredNames:
    """Move what is not the platform's in the folder `own` of an organisation; safe to repeat. Raises `OSError`."""
    if not own.is_dir():
        return GatheredNames()
    moved, left = [], []
    for entry in sorted(own.iterdir()):
        if entry.name in OWN:
            continue
        target = own / FILES / entry.name
        if entry.is_symlink() or target.exists():
            left.append(entry.name)
            continue
        target.parent.mkdir(exist_ok=True)
        with suppress(FileNotFoundError):  # another process moves the same
            entry.rename(target)
            moved.append(entry.name)
    return GatheredNames(tuple(moved), tuple(left))


def _names(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:10])
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10} more"
