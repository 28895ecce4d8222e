"""Messages about deliveries: what is to be brought where, how far each has come, and what may not be deleted yet.

An output of a binding has an identity for ever. How far its delivery has come stands beside the results, in
`deliveries/<identity>.json` (a `DeliveryMark`), so that whoever makes room deletes nothing that is still to be brought.
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
Identity = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")]


class DeliveryTarget(Strict):
    """One output of a binding: `node` is the output node of its query, with `fields` (name to type).

    `revision` is another one after every change of the settings, so that an output that waits for somebody to mend it
    is tried again.
    """

    identity: Identity
    node: str
    fields: dict[str, str]
    adapter: AdapterChoice
    revision: int


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


def mark_path(results: Path, identity: str) -> Path:
    """Where the mark of a delivery is."""
    return results / MARKS / f"{identity}.json"


def write_mark(results: Path, identity: str, mark: DeliveryMark) -> None:
    """Write the mark, whole or not at all; one that a power cut takes back only keeps more. Raises `OSError`."""
    path = mark_path(results, identity)
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    staged.write_text(mark.model_dump_json(), encoding="utf-8")
    staged.replace(path)


def read_mark(results: Path, identity: str) -> DeliveryMark | None:
    """The mark, None where there is none; one that cannot be read says that nothing has arrived."""
    try:
        return DeliveryMark.model_validate_json(mark_path(results, identity).read_bytes())
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
    with suppress(FileNotFoundError, NotADirectoryError):
        for path in (results / MARKS).glob("[!.]*.json"):
            if (identity := path.name.removesuffix(".json")) not in identities:
                forget_mark(results, identity)


def kept_from(results: Path) -> int | None:
    """The batch after which rows are still to be brought by one of the deliveries; None where there is none of them."""
    found: list[int] = []
    with suppress(FileNotFoundError, NotADirectoryError):
        for path in (results / MARKS).glob("[!.]*.json"):
            mark = read_mark(results, path.name.removesuffix(".json"))
            if mark is not None:
                found.append(-1 if mark.delivered is None else mark.delivered)
    return min(found, default=None)
