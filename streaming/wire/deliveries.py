"""Messages about deliveries: what is to be brought where, how far each has come, and what may not be deleted yet.

An output of a binding has an identity for ever. How far its delivery has come stands beside the results, in
`deliveries/<identity>.json` (a `DeliveryMark`), so that whoever makes room deletes nothing that is still to be brought.
A binding that reads the results as its input has such a mark in `readers/`, named for the binding and its input node.
"""

import json
import os
import shutil
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError

from streaming.definition.streams import AdapterChoice
from streaming.definition.strict import Strict

MARKS: Final = "deliveries"
READERS: Final = "readers"
Identity = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")]


class DeliveryTarget(Strict):
    """One output of a binding: `node` is the output node of its query, with `fields` (name to type).

    `revision` is another one after every change of the settings, so that an output that waits for somebody to mend it
    is tried again. `waits` is why nothing may be brought there now, in a sentence; null: it may.
    """

    identity: Identity
    node: str
    fields: dict[str, str]
    adapter: AdapterChoice
    revision: int
    waits: str | None = None


class BindingDeliveries(Strict):
    """What is to be brought out of the folder `results`, inside the organisation's; level-triggered as a RunSpec.

    It is there as long as the binding has outputs, whether it runs or not.
    """

    binding: str
    results: str
    targets: list[DeliveryTarget]


class DeliveryObserved(Strict):
    """How far the delivery to one output has come, as its runner saw it last; times in ticks.

    `current`: all that is committed has arrived; `behind`: rows wait and are being brought; `retrying`: the last
    attempt failed, the next is at `retry_at`; `stopped`: it failed so that somebody has to change the settings.
    `delivered` is the number of the last batch that arrived, `delivered_at` when that batch was committed and `cti` the
    output's CTI after it: null where it is not known or, with `ended`, at the end of everything. `waiting_rows` waits
    since `waiting_since`; where `waiting_exact` is false, rows of other outputs may be among them. `lost_rows` were
    deleted before they could be brought. `refused_requests`: so many the target refused for good, whose rows are kept
    (`streaming.wire.refused_requests`) until somebody puts them aside. `message` is a sentence for the user, `domain`
    who must act.
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
    refused_requests: int = 0
    at: int

    @property
    def outstanding(self) -> bool:
        """Whether a runner has to be there for it: rows wait, and nobody else has to act first."""
        return self.waiting_rows > 0 and self.state != "stopped"


class DeliveryMark(Strict):
    """How far a delivery has come at least; None: nothing has arrived yet."""

    delivered: int | None
    lost_rows: int = 0


def refused_folder(results: Path, identity: str) -> Path:
    """Where the rows are that the target of a delivery refused."""
    return results / MARKS / f"{identity}.refused"


def mark_path(results: Path, identity: str, marks: str = MARKS) -> Path:
    """Where the mark of a delivery is, or, in READERS, that of a reader."""
    return results / marks / f"{identity}.json"


def write_mark(results: Path, identity: str, mark: DeliveryMark, marks: str = MARKS) -> None:
    """Write the mark, whole or not at all; one that a power cut takes back only keeps more. Raises `OSError`."""
    path = mark_path(results, identity, marks)
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    staged.write_text(mark.model_dump_json(), encoding="utf-8")
    staged.replace(path)


def read_mark(results: Path, identity: str, marks: str = MARKS) -> DeliveryMark | None:
    """The mark, None where there is none; one that cannot be read says that nothing has arrived."""
    try:
        return DeliveryMark.model_validate_json(mark_path(results, identity, marks).read_bytes())
    except FileNotFoundError:
        return None
    except (ValidationError, json.JSONDecodeError):
        return DeliveryMark(delivered=None)


def forget_mark(results: Path, identity: str) -> None:
    """There is no such output any more: its rows may go, and so may those that its target refused."""
    with suppress(FileNotFoundError, NotADirectoryError):
        mark_path(results, identity).unlink()
    shutil.rmtree(refused_folder(results, identity), ignore_errors=True)


def forget_others(results: Path, identities: Collection[str]) -> None:
    """Forget the marks of all outputs but `identities`."""
    for name in marks_in(results):
        if name not in identities:
            forget_mark(results, name)


def kept_from(results: Path) -> int | None:
    """The batch after which rows are still to be brought or read by somebody; None where nobody has to."""
    found: list[int] = []
    for marks in (MARKS, READERS):
        for name in marks_in(results, marks):
            mark = read_mark(results, name, marks)
            if mark is not None:
                found.append(-1 if mark.delivered is None else mark.delivered)
    return min(found, default=None)


def marks_in(results: Path, marks: str = MARKS) -> list[str]:
    """The identities that have a mark there."""
    with suppress(FileNotFoundError, NotADirectoryError):
        return sorted(path.name.removesuffix(".json") for path in (results / marks).glob("[!.]*.json"))
    return []


def reader_name(binding: str, node: str) -> str:
    """The name of the mark of the input `node` of `binding`."""
    return f"{binding}.{node}"


def advance_reader(results: Path, name: str, batch: int) -> None:
    """The reader has all up to `batch` for good. One that is forgotten stays so; a mark never goes back.

    Raises `OSError`.
    """
    mark = read_mark(results, name, READERS)
    if mark is not None and (mark.delivered is None or mark.delivered < batch):
        write_mark(results, name, DeliveryMark(delivered=batch), READERS)


def tend_readers(results: Path, names: Collection[str]) -> None:
    """Let the readers be `names` and no others; who is new has read nothing, so that all is kept. Raises `OSError`."""
    there = set(marks_in(results, READERS))
    for name in there - set(names):
        mark_path(results, name, READERS).unlink(missing_ok=True)
    for name in set(names) - there:
        write_mark(results, name, DeliveryMark(delivered=None), READERS)
