"""Delta tables for the tests, written as other programs write them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

from streaming.adapters.contract import InputAdapter
from streaming.adapters.registry import input_adapter
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn

STREAM = StreamDefinition(
    fields={"n": "long", "k": "string"}, event_time=EventTime(start=TimeColumn(column="ts", unit="us"))
)


@dataclass
class Lake:
    """A table `lake` in the `files/` of an organisation."""

    own: Path

    @property
    def path(self) -> Path:
        return self.own / "files" / "lake"

    @property
    def log(self) -> Path:
        return self.path / "_delta_log"

    @property
    def table(self) -> DeltaTable:
        return DeltaTable(self.path)

    def append(self, numbers: range | list[int], *, by: list[str] | None = None, **columns: list[Any]) -> None:
        """Write one version with rows of these numbers."""
        numbers = list(numbers)
        data = {"ts": [each * 10 for each in numbers], "n": numbers, "k": [f"k{each % 2}" for each in numbers]}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_deltalake(self.path, pa.table({**data, **columns}), mode="append", partition_by=by, schema_mode="merge")

    def compact(self) -> None:
        self.table.optimize.compact()

    def vacuum(self) -> None:
        self.table.vacuum(0, dry_run=False, enforce_retention_duration=False)

    def reader(
        self, journal: str | None = "journal", stream: StreamDefinition = STREAM, **options: Any
    ) -> InputAdapter:
        """An adapter in a process of its own."""
        settings = {"path": "lake", **options}
        return input_adapter("delta", settings, stream, self.own / "files", self.own / journal if journal else None)
