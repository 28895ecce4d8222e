"""Rows that a target refused for good, beside the results: `deliveries/<identity>.letters/<batch>.<part>.jsonl`.

The first line says why, each other one is a row.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from streaming.definition.strict import Strict
from streaming.wire.deliveries import letters_folder
from streaming.wire.results import write_atomically

MOST_LETTERS: Final = 100
"""With so many of one output the delivery waits until somebody has put them aside."""


class StoredDeadLetter(Strict):
    """`row_count` rows of the batch `number`, of its request `part`, were refused at `at` (ticks), and why."""

    number: int
    part: int
    at: int
    reason: str
    row_count: int


def write_letter(results: Path, identity: str, letter: StoredDeadLetter, rows: Sequence[Mapping[str, Any]]) -> None:
    """Keep a letter, whole or not at all; one that was refused again replaces what was kept. Raises `OSError`."""
    lines = [letter.model_dump_json(), *(json.dumps(dict(row), ensure_ascii=False) for row in rows)]
    write_atomically(_path(results, identity, letter.number, letter.part), "\n".join(lines).encode())


def count_letters(results: Path, identity: str) -> int:
    """How many letters are kept."""
    return len(_paths(results, identity))


def stored_letters(results: Path, identity: str) -> Sequence[StoredDeadLetter]:
    """All letters, those of the newest batches first; one that cannot be read says so in its reason."""
    found = []
    for path in reversed(_paths(results, identity)):
        with suppress(FileNotFoundError), path.open("rb") as file:
            found.append(_header(path, file.readline()))
    return found


def letter_rows(results: Path, identity: str, number: int, part: int) -> Sequence[Mapping[str, Any]] | None:
    """The rows of one letter as results write them; None: there is no such letter."""
    try:
        lines = _path(results, identity, number, part).read_bytes().split(b"\n")
    except FileNotFoundError:
        return None
    return [json.loads(line) for line in lines[1:]]


def forget_letters(results: Path, identity: str, letters: Sequence[StoredDeadLetter]) -> None:
    """Delete these letters; what has come since stays. Raises `OSError`."""
    for each in letters:
        _path(results, identity, each.number, each.part).unlink(missing_ok=True)


def _path(results: Path, identity: str, number: int, part: int) -> Path:
    return letters_folder(results, identity) / f"{number:020}.{part:010}.jsonl"


def _paths(results: Path, identity: str) -> Sequence[Path]:
    return sorted(letters_folder(results, identity).glob("[!.]*.jsonl"))


def _header(path: Path, line: bytes) -> StoredDeadLetter:
    try:
        return StoredDeadLetter.model_validate_json(line)
    except ValidationError:
        number, part, _ = path.name.split(".")
        reason = "What was written of it cannot be read any more."
        return StoredDeadLetter(number=int(number), part=int(part), at=0, reason=reason, row_count=0)
