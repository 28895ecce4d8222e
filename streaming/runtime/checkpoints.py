"""The carriers of an organisation on disk: their size, layout and last batch; and old ones that no run uses.

`python -m streaming.runtime.checkpoints show|clean|backup|restore|set-aside FOLDER [FILE or CARRIER]`; exit code 1 with
a message if nothing was done.
"""

import argparse
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from streaming.runtime.backup import held, restore, take
from streaming.spark.query.layout import DAMAGED, LAYOUT, LAYOUT_FILE, SETTINGS_FILE, is_aside, put_aside
from streaming.storage.archive import BackupRefused, Tell, contents_of
from streaming.storage.folders import folder_at
from streaming.wire.binding_homes import CARRIERS

NO_CARRIER: Final = (
    "{folder} has no carrier {name} that a run uses. List the carriers with `show` and name one of them."
)


@dataclass(frozen=True)
class CarrierOnDisk:
    """The carrier `name`: its layout, its newest batch (None before the first), and the time of that batch.

    `bytes` is the size of all its files. `left`: it was set aside, as damaged or written by another version.
    """

    name: str
    layout: str
    batch: int | None
    written_at: datetime | None
    bytes: int

    @property
    def left(self) -> bool:
        """True if another carrier has replaced it."""
        return is_aside(self.name)

    def __str__(self) -> str:
        """Return a line for a person."""
        when = "never" if self.written_at is None else f"{self.written_at:%Y-%m-%d %H:%M:%S} UTC"
        batch = "no batch" if self.batch is None else f"batch {self.batch:,}"
        readable = "" if self.layout == str(LAYOUT) else ", which this version does not read"
        return f"{self.name}: {self.bytes / 1e6:,.1f} MB, layout {self.layout}{readable}, {batch}, written {when}"


def carriers_in(folder: Path) -> list[CarrierOnDisk]:
    """Return all carriers of the organisation in `folder`, sorted by name. Raises `BackupRefused`, `OSError`."""
    places = sorted((folder / CARRIERS).glob("*/")) if (folder / CARRIERS).is_dir() else []
    return [_on_disk(place) for place in places if (place / SETTINGS_FILE).exists()]


def clean(folder: Path, tell: Tell) -> None:
    """Delete the carriers that were set aside. Raises `BackupRefused`, `OSError`."""
    with held(folder):
        left = [each for each in carriers_in(folder) if each.left]
        for each in left:
            shutil.rmtree(folder / CARRIERS / each.name)
            tell(f"Deleted {each}.")
    if not left:
        tell("Nothing to delete: runs may still use every carrier.")


def set_aside(folder: Path, name: str, tell: Tell) -> None:
    """Set the carrier `name` aside, so that its runs start without its state. Raises `BackupRefused`, `OSError`."""
    with held(folder):
        place = folder / CARRIERS / name
        if name != place.name or is_aside(name) or not (place / SETTINGS_FILE).exists():
            raise BackupRefused(NO_CARRIER.format(name=name, folder=folder))
        aside = put_aside(place, DAMAGED)
    tell(f"Set carrier {name} aside as {aside}. Its runs resume from their restart points when you start them again.")


def show(folder: Path, tell: Tell) -> None:
    """Print all carriers. Raises `BackupRefused`, `OSError`."""
    carriers = carriers_in(folder)
    for each in carriers:
        tell(str(each))
    if not carriers:
        tell("No carrier yet: no run has started.")


def _take(folder: Path, file: str, tell: Tell) -> None:
    take(folder, Path(file), tell)


def _restore(folder: Path, file: str, tell: Tell) -> None:
    restore(folder, Path(file), tell)


_WITH_TARGET: Final[Mapping[str, Callable[[Path, str, Tell], None]]] = {
    "backup": _take,
    "restore": _restore,
    "set-aside": set_aside,
}


def _on_disk(place: Path) -> CarrierOnDisk:
    layout, batches = place / LAYOUT_FILE, folder_at(str(place)).numbers("commits")
    newest = place / "commits" / f"{batches[-1]}.json" if batches else None
    return CarrierOnDisk(
        name=place.name,
        layout=layout.read_text().strip() if layout.exists() else "unknown",
        batch=batches[-1] if batches else None,
        written_at=None if newest is None else datetime.fromtimestamp(newest.stat().st_mtime, UTC),
        bytes=sum((place / path).stat().st_size for path in contents_of(place)[1]),
    )


def main(arguments: Sequence[str], tell: Tell = print) -> int:
    """Run the command in `arguments`; return the exit code."""
    parser = argparse.ArgumentParser(prog="streaming.runtime.checkpoints")
    parser.add_argument("what", choices=["show", "clean", *_WITH_TARGET])
    parser.add_argument("folder", type=Path)
    parser.add_argument("target", metavar="file or carrier", nargs="?")
    options = parser.parse_args(arguments)
    if (options.target is None) != (options.what in {"show", "clean"}):
        parser.error("backup and restore take a file, set-aside the name of a carrier, show and clean nothing")
    try:
        if options.target is None:
            (show if options.what == "show" else clean)(options.folder, tell)
        else:
            _WITH_TARGET[options.what](options.folder, options.target, tell)
    except (BackupRefused, OSError) as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
