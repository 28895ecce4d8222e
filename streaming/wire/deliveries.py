"""Messages about deliveries: their targets, their progress, and the rows that may not be deleted yet.

An output of a binding has a permanent identity. The progress of its delivery is next to the results, in
`deliveries/<identity>.json` (a `DeliveryMark`), so that retention never deletes undelivered rows. A binding that reads
the results as its input has such a mark in `readers/`, named after the binding and its input node.
"""

import json
import os
import shutil
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError

from streaming.definition.streams.stream import AdapterChoice
from streaming.wire.message import Message

MARKS: Final = "deliveries"
READERS: Final = "readers"
Identity = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")]


class DeliveryTarget(Message):
    """One output of a binding: `node` is the output node of its query, with `fields` (name to type).

    `revision` changes with the settings, so that a delivery that stopped because of them is retried. `waits` is the
    reason, in a sentence, why rows can't be delivered now; null: they can.
    """

    identity: Identity
    node: str
    fields: dict[str, str]
    adapter: AdapterChoice
    revision: int
    waits: str | None = None


class BindingDeliveries(Message):
    """The deliveries out of the folder `results`, inside the organisation's; level-triggered like a RunSpec.

    It exists as long as the binding has outputs, whether it runs or not.
    """

    binding: str
    results: str
    targets: list[DeliveryTarget]


class DeliveryObserved(Message):
    """The progress of the delivery to one output, as its runner reported it last; times in ticks.

    `current`: every committed row has arrived; `behind`: waiting rows are being delivered; `retrying`: the last attempt
    failed, the next is at `retry_at`; `stopped`: it failed, and somebody has to change the settings. `delivered` is the
    number of the last batch that arrived, `delivered_at` the time of its commit and `cti` the output's CTI after it:
    null where unknown or, with `ended`, infinite. `waiting_rows` rows have been waiting since `waiting_since`; where
    `waiting_exact` is false, rows of other outputs may be among them. `lost_rows` were deleted before they could be
    delivered. `refused_requests`: the number of requests that the target refused for good; their rows are stored
    (`streaming.storage.refused_requests`) until somebody puts them aside. `message` is a sentence for the user,
    `domain` says who must act; no attempt has succeeded since `failing_since`.
    """

    kind: Literal["delivery"] = "delivery"
    binding: str
    identity: Identity
    revision: int
    state: Literal["current", "behind", "retrying", "stopped"]
    delivered: int | None
    delivered_at: int | None
    cti: int | None
    ended: bool
    waiting_rows: int
    waiting_exact: bool
    waiting_since: int | None
    lost_rows: int
    domain: Literal["user", "external", "internal"] | None
    message: str | None
    retry_at: int | None
    failing_since: int | None = None
    refused_requests: int = 0
    at: int

    @property
    def outstanding(self) -> bool:
        """True if it needs a runner: rows wait, and nobody has to act first."""
        return self.waiting_rows > 0 and self.state != "stopped"


class DeliveryMark(Message):
    """The last batch of a delivery that is known to have arrived; None: no batch yet."""

    delivered: int | None
    lost_rows: int = 0


def refused_folder(results: Path, identity: str) -> Path:
    """Return the folder of the rows that the target of a delivery refused."""
    return results / MARKS / f"{identity}.refused"


def mark_path(results: Path, identity: str, marks: str = MARKS) -> Path:
    """Return the path of the mark of a delivery or, with READERS, of a reader."""
    return results / marks / f"{identity}.json"


def write_mark(results: Path, identity: str, mark: DeliveryMark, marks: str = MARKS) -> None:
    """Write the mark, whole or not at all; if a power cut undoes it, more rows are stored. Raises `OSError`."""
    path = mark_path(results, identity, marks)
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    staged.write_text(mark.model_dump_json(), encoding="utf-8")
    staged.replace(path)


def read_mark(results: Path, identity: str, marks: str = MARKS) -> DeliveryMark | None:
    """Return the mark, None where it is missing; a damaged one counts as if no batch had arrived."""
    try:
        return DeliveryMark.model_validate_json(mark_path(results, identity, marks).read_bytes())
    except FileNotFoundError:
        return None
    except (ValidationError, json.JSONDecodeError):
        return DeliveryMark(delivered=None)


def forget_mark(results: Path, identity: str) -> None:
    """Delete the mark of a removed output, and the rows that its target refused: retention may delete its rows."""
    with suppress(FileNotFoundError, NotADirectoryError):
        mark_path(results, identity).unlink()
    shutil.rmtree(refused_folder(results, identity), ignore_errors=True)


def forget_others(results: Path, identities: Collection[str]) -> None:
    """Forget the marks of all outputs but `identities`."""
    for name in marks_in(results):
        if name not in identities:
            forget_mark(results, name)


def kept_from(results: Path) -> int | None:
    """Return the batch after which rows still have to be delivered or read; None without deliveries and readers."""
    marked: list[int] = []
    for marks in (MARKS, READERS):
        for name in marks_in(results, marks):
            mark = read_mark(results, name, marks)
            if mark is not None:
                marked.append(-1 if mark.delivered is None else mark.delivered)
    return min(marked, default=None)


def marks_in(results: Path, marks: str = MARKS) -> list[str]:
    """Return the identities that have a mark there, sorted."""
    with suppress(FileNotFoundError, NotADirectoryError):
        return sorted(path.name.removesuffix(".json") for path in (results / marks).glob("[!.]*.json"))
    return []


def reader_name(binding: str, node: str) -> str:
    """Return the name of the mark of the input `node` of `binding`."""
    return f"{binding}.{node}"


def advance_reader(results: Path, name: str, batch: int) -> None:
    """Mark that the reader has every row up to `batch` for good. A deleted mark stays deleted; a mark never falls.

    Raises `OSError`.
    """
    mark = read_mark(results, name, READERS)
    if mark is not None and (mark.delivered is None or mark.delivered < batch):
        write_mark(results, name, DeliveryMark(delivered=batch), READERS)


def tend_readers(results: Path, names: Collection[str]) -> None:
    """Delete the marks of readers not in `names`; add new readers with no batch read, so every row is kept.

    Raises `OSError`.
    """
    existing = set(marks_in(results, READERS))
    for name in existing - set(names):
        mark_path(results, name, READERS).unlink(missing_ok=True)
    for name in set(names) - existing:
        write_mark(results, name, DeliveryMark(delivered=None), READERS)
