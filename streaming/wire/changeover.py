"""A change of a running binding to another version without a pause: what the new run holds until it takes over.

The new run reads beside the old one, from where a start with its version would begin, and never further than that has
read. So whatever it releases meanwhile is of rows that are read again, and what of it counts is decided as at any such
start (`streaming/wire/kept.py`): when the old run has stopped, by the CTIs that it had come to.

    kept/<binding>/beside/<run>/          results and quarantine of the run that reads beside; nobody is given them
    kept/<binding>/beside/<run>.given.json the batch of the binding's results that has those that count

Whoever gives them may be killed at any moment and does it again: the same batch, the same part, the same bytes.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from streaming.wire.beginning import RunBeginning
from streaming.wire.kept import KEPT
from streaming.wire.results import ResultPart, committed_spans, part_path, read_span
from streaming.wire.storage import BlobFolder

_BESIDE: Final = "beside"


def held_folder(binding: str, run: str) -> str:
    """Where the rows of a run lie that reads beside another, below the folder of its organisation."""
    return f"{KEPT}/{binding}/{_BESIDE}/{run}"


def give_held(
    shared: BlobFolder, results: BlobFolder, binding: str, beginning: RunBeginning, batch: int
) -> ResultPart | None:
    """Write what counts of the rows that the run `beginning.took_over` holds as a part of `batch`; None: nothing does.

    It counts once a commit lists it. Once they have been given in an earlier batch there is nothing to give. Raises
    `OSError`.
    """
    run = beginning.took_over
    if run is None or _given(shared, binding, run) not in (None, batch):
        return None
    rows = [line for line in _held(shared.within(held_folder(binding, run))) if counts(json.loads(line), beginning)]
    if not rows:
        return None
    content = b"".join(line + b"\n" for line in rows)
    path = part_path("results", batch, f"change-{run}")
    results.write(path, content)
    return ResultPart(kind="results", path=path, rows=len(rows), bytes=len(content))


def counts(row: dict[str, Any], beginning: RunBeginning) -> bool:
    """Whether a row that was released while rows were read again counts (`streaming/spark/given_rows.py`)."""
    output = row["output"]
    if output in beginning.alike:
        return False
    until = beginning.until.get(output)
    return until is None or row["end"] is None or row["end"] > until


def note_given(shared: BlobFolder, binding: str, run: str, batch: int) -> None:
    """Note that `batch` has what counts of the rows that `run` held, unless an earlier one has. Raises `OSError`."""
    shared.create(_mark(binding, run), json.dumps({"batch": batch}).encode())


def forget_held(shared: BlobFolder, binding: str, run: str) -> None:
    """Remove what `run` held; the mark that it was given stays, with what is kept of the binding. Raises `OSError`."""
    shared.clear(held_folder(binding, run))


def _given(shared: BlobFolder, binding: str, run: str) -> int | None:
    content = shared.read(_mark(binding, run))
    return None if content is None else int(json.loads(content)["batch"])


def _mark(binding: str, run: str) -> str:
    return f"{held_folder(binding, run)}.given.json"


def _held(folder: BlobFolder) -> Iterator[bytes]:
    for span in committed_spans(folder):
        commit = read_span(folder, span)
        for part in [] if commit is None else commit.parts:
            if part.kind == "results":
                yield from (folder.read(part.path) or b"").splitlines()
