"""The carriers of an organisation on the disk: how large, how written, how far; and those that nobody reads any more.

`python -m streaming.runtime.checkpoints show|clean|backup|restore FOLDER [FILE]`; exit code 1 with a sentence where
nothing was done.
"""

import argparse
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from streaming.runtime.backup import BackupRefused, Tell, contents_of, held, restore, take
from streaming.spark.layout import LAYOUT, LAYOUT_FILE, SETTINGS_FILE
from streaming.wire.binding_homes import CARRIERS
from streaming.wire.folders import folder_at


@dataclass(frozen=True)
class CarrierOnDisk:
    """The carrier `name`: the layout that it was written in, its newest batch (None before the first), when that was.

    `bytes` are those of all its files. `left`: it was written by another version of the program and put aside.
    """

    name: str
    layout: str
    batch: int | None
    written_at: datetime | None
    bytes: int

    @property
    def left(self) -> bool:
        """Whether another carrier has taken its place."""
        return ".layout-" in self.name

    def __str__(self) -> str:
        """A line for a person."""
        when = "never" if self.written_at is None else f"{self.written_at:%Y-%m-%d %H:%M:%S} UTC"
        batch = "no batch" if self.batch is None else f"batch {self.batch:,}"
        readable = "" if self.layout == str(LAYOUT) else ", which this version does not read"
        return f"{self.name}: {self.bytes / 1e6:,.1f} MB, layout {self.layout}{readable}, {batch}, written {when}"


def carriers_in(folder: Path) -> list[CarrierOnDisk]:
    """All carriers of the organisation in `folder`, by name. Raises `BackupRefused`, `OSError`."""
    places = sorted((folder / CARRIERS).glob("*/")) if (folder / CARRIERS).is_dir() else []
    return [_on_disk(place) for place in places if (place / SETTINGS_FILE).exists()]


def clean(folder: Path, tell: Tell) -> None:
    """Delete the carriers that were put aside. Raises `BackupRefused`, `OSError`."""
    with held(folder):
        left = [each for each in carriers_in(folder) if each.left]
        for each in left:
            shutil.rmtree(folder / CARRIERS / each.name)
            tell(f"Deleted {each}.")
    if not left:
        tell("There is nothing to delete: every carrier is one that runs may go on with.")


def show(folder: Path, tell: Tell) -> None:
    """Say what there is. Raises `BackupRefused`, `OSError`."""
    found = carriers_in(folder)
    for each in found:
        tell(str(each))
    if not found:
        tell("There is no carrier yet: nothing has run.")


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
    """Do what the command line says; the exit code."""
    parser = argparse.ArgumentParser(prog="streaming.runtime.checkpoints")
    parser.add_argument("what", choices=["show", "clean", "backup", "restore"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path, nargs="?")
    asked = parser.parse_args(arguments)
    if (asked.file is None) != (asked.what in {"show", "clean"}):
        parser.error("backup and restore take a file, show and clean take none")
    try:
        if asked.file is None:
            (show if asked.what == "show" else clean)(asked.folder, tell)
        else:
            (take if asked.what == "backup" else restore)(asked.folder, asked.file, tell)
    except (BackupRefused, OSError) as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
