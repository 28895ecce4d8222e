"""The progress of a carrier, read by another process from its folder while it runs."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Journal:
    """The progress of a carrier, read from its folder: numbers of batches.

    `planned`: in Spark's offset log. `fed`: lane clocks written. `written`: a part is in its place. `published`: in the
    carrier's manifest. `committed`: Spark won't run it again.
    """

    planned: int
    fed: int
    written: int
    published: int
    committed: int


def journal(folder: Path, binding: str) -> Journal:
    """Return the progress of `binding` in the carrier of the organisation's `folder`."""
    carrier = folder / "carriers" / "main"
    spark = carrier / "spark"
    offsets, commits = numbers(spark / "offsets"), numbers(spark / "commits")
    parts = (folder / "results" / binding).glob("*/part-*.jsonl")
    return Journal(
        planned=planned_by(spark / "offsets" / str(offsets[-1])) if offsets else 0,
        fed=max((number for lanes in (carrier / "lanes").glob("*") for number in numbers(lanes)), default=0),
        written=max((int(path.name.split("-")[1]) for path in parts), default=0),
        published=max(numbers(carrier / "commits"), default=0),
        committed=planned_by(spark / "offsets" / str(commits[-1])) if commits else 0,
    )


def numbers(folder: Path) -> list[int]:
    """Return the numbers at the start of file names in `folder`, ascending."""
    names = (path.name.partition(".")[0] for path in folder.glob("[0-9]*"))
    return sorted(int(name) for name in names if name.isdigit())


def planned_by(offset: Path) -> int:
    """Return the batch that Spark's offset file plans; 0 while it is being written or after it was removed."""
    try:
        return int(json.loads(offset.read_text().splitlines()[-1])["n"])
    except (FileNotFoundError, IndexError, ValueError, TypeError):
        return 0
