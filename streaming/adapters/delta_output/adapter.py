"""Delivers to a Delta Lake table: rows and the number of their batch in one commit of its log."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from deltalake.exceptions import DeltaError, TableNotFoundError

from streaming.adapters.contract import AdapterError, DeliveryBatch
from streaming.adapters.delta_output.options import DeltaOutputOptions
from streaming.adapters.delta_output.rows import DAY, DELETED, RESULT_ID, LakeRows, lake_schema
from streaming.adapters.places import DataFolder, why
from streaming.wire.arrow_types import fields_of


class DeltaOutput:
    """One output's rows in one table in a folder of the organisation."""

    def __init__(self, options: DeltaOutputOptions, identity: str, fields: Mapping[str, str], root: Path) -> None:
        """Raise `AdapterError` where path, key and fields do not go together."""
        self._options = options
        self._identity = identity
        self._fields = fields_of(fields)
        self._path = root.resolve() / DataFolder(root).inside(options.path)
        self._schema = lake_schema(self._fields, options)

    def delivered(self) -> int | None:
        """The number of the last batch whose rows are in the table; makes the table. Raises `AdapterError`."""
        with self._told():
            return self._table().transaction_version(self._identity)

    def deliver(self, batches: Sequence[DeliveryBatch]) -> None:
        """Put the rows of all batches into the table, with the number of the last. Raises `AdapterError`."""
        rows = LakeRows(self._fields, self._options, self._schema)
        for batch in batches:
            rows.take(batch)
        if not rows:
            return  # a number that is not stored is asked for again, and has no rows then either
        with self._told():
            table = self._table()
            last = table.transaction_version(self._identity)
            if last is not None and last >= batches[0].number:
                raise AdapterError("Another process delivers the same batches.", domain="external")
            self._write(table, rows.table(), batches[-1].number)

    def close(self) -> None:
        """Nothing is open between two calls."""

    def _table(self) -> DeltaTable:
        try:
            found = DeltaTable(self._path)
        except TableNotFoundError:
            self._path.mkdir(parents=True, exist_ok=True)
            by = [DAY] if self._options.by_day else None
            found = DeltaTable.create(self._path, self._schema, partition_by=by, mode="ignore")
        self._refuse_other(found)
        return found

    def _refuse_other(self, table: DeltaTable) -> None:
        there = {field.name: field.type for field in pa.schema(table.schema().to_arrow())}
        missing = [field.name for field in self._schema if field.name not in there]
        if missing:
            raise AdapterError(
                f"The table {self._options.path} is there and has no column {missing[0]}; it has "
                f"{', '.join(there)}. Name another folder, or remove the table."
            )

    def _write(self, table: DeltaTable, rows: pa.Table, last: int) -> None:
        commit = CommitProperties(app_transactions=[Transaction(self._identity, last)])
        if self._options.mode == "append":
            write_deltalake(table, rows, mode="append", commit_properties=commit)
            return
        (
            table.merge(rows, f"target.{RESULT_ID} = source.{RESULT_ID}", "source", "target", commit_properties=commit)
            .when_matched_delete(f"source.{DELETED} = true")
            .when_matched_update_all()
            .when_not_matched_insert_all(f"source.{DELETED} = false")
            .execute()
        )
        if self._table().transaction_version(self._identity) != last:  # a merge that changes nothing is no commit
            write_deltalake(table, rows.slice(0, 0), mode="append", commit_properties=commit)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (DeltaError, OSError) as error:
            said = why(error).splitlines()[0] if str(error) else type(error).__name__
            said = said.replace(str(self._path), self._options.path)
            raise AdapterError(
                f"The Delta table {self._options.path} cannot be written: {said}. See that its folder and its log are "
                "whole and that there is room.",
                domain="external",
            ) from None
