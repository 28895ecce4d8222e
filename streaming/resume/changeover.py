"""A change of a running binding to another version without a pause: rows of the new run until it takes over.

The new run reads in parallel with the old one, from the position where a start with its version would begin, and never
ahead of the old run. So everything that it emits until then comes from rows that are read again. When the old run has
stopped, its CTIs decide which of these rows count, as at any start that rereads (`streaming/resume/restart_points.py`).

    `kept/<binding>/beside/<run>/`           results and quarantine of the parallel run; no output receives them
    `kept/<binding>/beside/<run>.given.json` the batch of the binding's results that contains the rows that count

A process that is killed while it adds the rows repeats it: the same batch, the same part, the same bytes.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from streaming.resume.restart_points import KEPT
from streaming.storage.blobs import BlobFolder
from streaming.storage.results import ResultPart, committed_spans, part_path, read_span
from streaming.wire.beginning import RunBeginning

_BESIDE: Final = "beside"


def held_folder(binding: str, run: str) -> str:
    """Return the path of the rows of a run that reads in parallel, relative to the folder of its organisation."""
    return f"{KEPT}/{binding}/{_BESIDE}/{run}"


def give_held(
    shared: BlobFolder, results: BlobFolder, binding: str, beginning: RunBeginning, batch: int
) -> ResultPart | None:
    """Write the held rows of the run `beginning.took_over` that count as a part of `batch`; None if no row counts.

    The part counts once a commit lists it. Returns None if an earlier batch already contains the rows. Raises
    `OSError`.
    """
    run = beginning.took_over
    if run is None or _read_batch(shared, binding, run) not in (None, batch):
        return None
    rows = [line for line in _held(shared.within(held_folder(binding, run))) if counts(json.loads(line), beginning)]
    if not rows:
        return None
    content = b"".join(line + b"\n" for line in rows)
    path = part_path("results", batch, f"change-{run}")
    results.write(path, content)
    return ResultPart(kind="results", path=path, rows=len(rows), bytes=len(content))


def counts(row: dict[str, Any], beginning: RunBeginning) -> bool:
    """Return whether a row emitted while rereading counts (`streaming/spark/sink/already_emitted.py`)."""
    output = row["output"]
    if output in beginning.alike:
        return False
    until = beginning.until.get(output)
    return until is None or row["end"] is None or row["end"] > until


def note_given(shared: BlobFolder, binding: str, run: str, batch: int) -> None:
    """Mark that `batch` contains the held rows of `run`, unless an earlier one does. Raises `OSError`."""
    shared.create(_mark(binding, run), json.dumps({"batch": batch}).encode())


def forget_held(shared: BlobFolder, binding: str, run: str) -> None:
    """Delete the held rows of `run`; the mark of their batch stays with the binding's state. Raises `OSError`."""
    shared.clear(held_folder(binding, run))


def _read_batch(shared: BlobFolder, binding: str, run: str) -> int | None:
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
