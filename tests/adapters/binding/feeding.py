"""A binding's folder of results, written as carriers write it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streaming.adapters.contract import InputAdapter
from streaming.adapters.registry import input_adapter
from streaming.definition.streams.stream import StreamDefinition
from streaming.storage.results import Commit, RunBatches
from streaming.temporal.ticks import INFINITY
from streaming.wire.messages import ResultRow
from streaming.wire.rows.arrived_rows import elements
from tests.wire.written import write_commit, write_part

BINDING = "0b5dd0de-93b7-4a0c-8f5c-6b5b8f7c1f00"
INTERVALS = StreamDefinition.model_validate({"shape": "interval", "fields": {"n": "long"}})


@dataclass
class Feeder:
    """The results of BINDING below `own`, an organisation's folder; batches are numbered consecutively."""

    own: Path
    number: int = 0
    restart: int | None = None
    given: list[object] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.own / "results" / BINDING

    def commit(
        self,
        rows: Sequence[ResultRow],
        cti: int | None = None,
        *,
        run: str = "first",
        other: Sequence[ResultRow] = (),
        beginning: dict[str, Any] | None = None,
    ) -> None:
        """Commit one batch: `rows` among those of an `other` output, and the CTI of the output after them."""
        mixed = [row for pair in zip(rows, other, strict=False) for row in pair]
        mixed += [*rows[len(other) :], *other[len(rows) :]]
        parts = [write_part(self.folder, "results", self.number, 0, mixed)] if mixed else []
        ctis = {} if cti is None else {"out": None if cti == INFINITY else cti}
        totals = {"at": self.number, "run": run, "output_ctis": ctis, "beginning": beginning}
        made = [RunBatches(run=run, first=self.number, last=self.number, restart=self.restart)]
        write_commit(self.folder, Commit(batch=self.number, parts=parts, totals=totals, runs=made))
        self.number += 1

    def reader(
        self, stream: StreamDefinition = INTERVALS, journal: str | None = "journal", **options: Any
    ) -> InputAdapter:
        """An adapter in a process of its own."""
        chosen = {"binding": BINDING, "output": "out", **options}
        return input_adapter("binding", chosen, stream, self.own / "files", self.own / journal if journal else None)


def row(n: int, start: int, end: int | None, output: str = "out", **attributes: Any) -> ResultRow:
    return ResultRow(output=output, start=start, end=end, payload={"n": n}, **attributes)


def read(adapter: InputAdapter, start: int, end: int) -> list[object]:
    return [element for chunk in adapter.read("0", start, end) for element in elements(chunk)]
