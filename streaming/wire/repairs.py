"""Repairs of results: the rows that one gives, until they are in a batch, and the mark that they are.

    kept/<binding>/repairs/<id>.jsonl       ResultRows, one a line: retractions, and what stands in their place
    kept/<binding>/repairs/<id>.given.json  the batch that has them; written after its commit

Whoever gives them may be killed at any moment and does it again: the same batch, the same part, the same bytes.
"""

import json

from streaming.wire.kept import KEPT
from streaming.wire.results import ResultPart, part_path
from streaming.wire.storage import BlobFolder


def rows_path(binding: str, repair: str) -> str:
    """Where the rows of a repair lie, below the folder of its organisation."""
    return f"{KEPT}/{binding}/repairs/{repair}.jsonl"


def given_path(binding: str, repair: str) -> str:
    """Where it stands which batch has given them."""
    return f"{KEPT}/{binding}/repairs/{repair}.given.json"


def give_rows(shared: BlobFolder, results: BlobFolder, binding: str, repair: str, batch: int) -> ResultPart:
    """Write the rows as a part of `batch`, which counts once a commit lists it. Raises `OSError`."""
    content = shared.read(rows_path(binding, repair))
    if content is None:
        raise FileNotFoundError(f"the rows of the repair {repair} are gone")
    path = part_path("results", batch, f"repair-{repair}")
    results.write(path, content)
    return ResultPart(kind="results", path=path, rows=content.count(b"\n"), bytes=len(content))


def write_given(shared: BlobFolder, binding: str, repair: str, batch: int) -> None:
    """Note that `batch` has given them. Raises `OSError`."""
    shared.write(given_path(binding, repair), json.dumps({"batch": batch}).encode())


def read_given(shared: BlobFolder, binding: str, repair: str) -> int | None:
    """The batch that has given them; None: none has. Raises `OSError`."""
    content = shared.read(given_path(binding, repair))
    return None if content is None else int(json.loads(content)["batch"])
