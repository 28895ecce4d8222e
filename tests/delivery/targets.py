"""A target that stores rows and the number of the last batch in one step, and can fail before or after it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streaming.adapters.contract import AdapterError, DeliveryBatch
from streaming.definition.streams.stream import AdapterChoice
from streaming.storage.results import Commit, ResultPart, RunBatches
from streaming.wire.deliveries import DeliveryTarget
from streaming.wire.messages import ResultRow
from tests.wire.written import write_commit, write_part

TARGET = DeliveryTarget(
    identity="one", node="out", fields={"n": "long"}, adapter=AdapterChoice(kind="fake", options={}), revision=1
)


@dataclass
class Shelf:
    """The arrived rows and the number of the last batch, changed together."""

    rows: list[int] = field(default_factory=list)
    number: int | None = None
    ctis: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    opened: int = 0
    calls: int = 0


class ShelfAdapter:
    """Fails at the point of the shelf's next fault: asked, before, after; with `user` permanently."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        shelf.opened += 1

    def delivered(self) -> int | None:
        self._fail("asked")
        return self._shelf.number

    def deliver(self, batches: Sequence[DeliveryBatch]) -> None:
        self._shelf.calls += 1
        self._fail("before")
        numbers = [batch.number for batch in batches]
        assert numbers == sorted(set(numbers))
        assert self._shelf.number is None or numbers[0] > self._shelf.number
        self._shelf.rows += [row["payload"]["n"] for batch in batches for row in batch.rows]
        self._shelf.ctis += [batch.cti for batch in batches if batch.cti is not None]
        self._shelf.number = numbers[-1]
        self._fail("after")

    def close(self) -> None:
        self._shelf.opened -= 1

    def _fail(self, where: str) -> None:
        if not self._shelf.faults:
            return
        fault = self._shelf.faults.pop(0)
        if fault == where:
            raise AdapterError(f"It broke: {where}.", domain="external")
        if fault == "user":
            raise AdapterError("The password is wrong. Give another one.")
        if fault == "bug":
            raise ZeroDivisionError


def commit(
    folder: Path, number: int, tasks: Sequence[Sequence[int]], *, node: str = "out", cti: int | None = None
) -> Commit:
    """Commit a batch with rows of the output `node`, by task the numbers in `tasks`."""
    parts: list[ResultPart] = []
    for task, numbers in enumerate(tasks):
        rows = [ResultRow(output=node, start=n, end=None, payload={"n": n}) for n in numbers]
        parts.append(write_part(folder, "results", number, task, rows))
    totals: dict[str, Any] = {"at": number * 1_000_000, "output_ctis": {} if cti is None else {node: cti}}
    made = Commit(batch=number, parts=parts, totals=totals, runs=[RunBatches(run="r", first=number, last=number)])
    write_commit(folder, made)
    return made
