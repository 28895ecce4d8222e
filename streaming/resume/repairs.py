"""Repairs of results: the rows of a repair until a batch contains them, and the mark of that batch.

    kept/<binding>/repairs/<id>.jsonl       ResultRows, one a line: retractions, and the rows that replace them
    kept/<binding>/repairs/<id>.given.json  the batch that contains them; written after its commit

A process that is killed while it adds the rows repeats it: the same batch, the same part, the same bytes.
"""

import json

from streaming.resume.restart_points import KEPT
from streaming.storage.blobs import BlobFolder
from streaming.storage.results import ResultPart, part_path


def rows_path(binding: str, repair: str) -> str:
    """Return the path of a repair's rows, relative to the folder of its organisation."""
    return f"{KEPT}/{binding}/repairs/{repair}.jsonl"


def given_path(binding: str, repair: str) -> str:
    """Return the path of the mark of the batch that contains the rows of a repair."""
    return f"{KEPT}/{binding}/repairs/{repair}.given.json"


def give_rows(shared: BlobFolder, results: BlobFolder, binding: str, repair: str, batch: int) -> ResultPart:
    """Write the rows of a repair as a part of `batch`; it counts once a commit lists it. Raises `OSError`."""
    content = shared.read(rows_path(binding, repair))
    if content is None:
        raise FileNotFoundError(f"the rows of the repair {repair} are gone")
    path = part_path("results", batch, f"repair-{repair}")
    results.write(path, content)
    return ResultPart(kind="results", path=path, rows=content.count(b"\n"), bytes=len(content))


def write_given(shared: BlobFolder, binding: str, repair: str, batch: int) -> None:
    """Mark that `batch` contains the rows of a repair. Raises `OSError`."""
    shared.write(given_path(binding, repair), json.dumps({"batch": batch}).encode())


def read_given(shared: BlobFolder, binding: str, repair: str) -> int | None:
    """Return the batch that contains the rows of a repair, None if no batch does yet. Raises `OSError`."""
    content = shared.read(given_path(binding, repair))
    return None if content is None else int(json.loads(content)["batch"])
