"""Delivers to a Delta Lake table: rows and their batch number in one commit of its log."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from deltalake import Schema as DeltaSchema
from deltalake.exceptions import DeltaError, TableNotFoundError
from deltalake.schema import PrimitiveType

from streaming.adapters.contract import AdapterError, DeliveryBatch
from streaming.adapters.delta_output.options import DeltaOutputOptions
from streaming.adapters.delta_output.rows import DAY, DELETED, INCOMPLETE, RESULT_ID, DeltaBatch, lake_schema
from streaming.adapters.places import DataFolder, why
from streaming.wire.rows.arrow_types import fields_of


class DeltaOutput:
    """One output's rows in one table in a folder of the organisation."""

    def __init__(self, options: DeltaOutputOptions, identity: str, fields: Mapping[str, str], root: Path) -> None:
        """Raise `AdapterError` if path, key and fields do not fit together."""
        self._options = options
        self._identity = identity
        self._fields = fields_of(fields)
        self._path = root.resolve() / DataFolder(root).inside(options.path)
        self._schema = lake_schema(self._fields, options)

    def delivered(self) -> int | None:
        """Return the number of the last batch whose rows are in the table; creates the table. Raises `AdapterError`."""
        with self._reporting_errors():
            return self._table().transaction_version(self._identity)

    def deliver(self, batches: Sequence[DeliveryBatch]) -> None:
        """Write the rows of all batches to the table, with the number of the last. Raises `AdapterError`."""
        rows = DeltaBatch(self._fields, self._options, self._schema)
        for batch in batches:
            rows.take(batch)
        if not rows:
            return  # an unstored number is delivered again, and has no rows then either
        with self._reporting_errors():
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
        """Refuse a table that can't hold our rows; a table that we created gains the columns that it lacks."""
        there = {field.name: field.type for field in table.schema().fields}
        ours = {field.name: field.type for field in DeltaSchema.from_arrow(self._schema).fields}
        missing = [name for name in ours if name not in there]
        if missing and (DAY in missing or not {RESULT_ID, INCOMPLETE, DELETED} <= there.keys()):
            raise AdapterError(
                f"The table {self._options.path} already exists and has no column {missing[0]}; its columns are "
                f"{', '.join(there)}. Choose another folder, or remove the table."
            )
        for name in ours.keys() & there.keys():
            if ours[name] != there[name]:
                raise AdapterError(
                    f"The column {name} of the table {self._options.path} is "
                    f"{_type_name(there[name])}, but the results "
                    f"have {_type_name(ours[name])}. Choose another folder for this version of the "
                    "query, or rename the "
                    "field in the query."
                )

    def _write(self, table: DeltaTable, rows: pa.Table, last: int) -> None:
        commit = CommitProperties(app_transactions=[Transaction(self._identity, last)])
        if self._options.mode == "append":
            write_deltalake(table, rows, mode="append", schema_mode="merge", commit_properties=commit)
            return
        same = f"target.{RESULT_ID} = source.{RESULT_ID}"
        (
            table.merge(rows, same, "source", "target", merge_schema=True, commit_properties=commit)
            .when_matched_delete(f"source.{DELETED} = true")
            .when_matched_update_all()
            .when_not_matched_insert_all(f"source.{DELETED} = false")
            .execute()
        )
        if self._table().transaction_version(self._identity) != last:  # a merge without changes makes no commit
            write_deltalake(table, rows.slice(0, 0), mode="append", schema_mode="merge", commit_properties=commit)

    @contextmanager
    def _reporting_errors(self) -> Iterator[None]:
        try:
            yield
        except (DeltaError, OSError) as error:
            message = why(error).splitlines()[0] if str(error) else type(error).__name__
            message = message.replace(str(self._path), self._options.path)
            raise AdapterError(
                f"The Delta table {self._options.path} can't be written: {message}. Check that its "
                "folder and its log are "
                "complete and that there is free space.",
                domain="external",
            ) from None


def _type_name(of: Any) -> str:
    """The name of a Delta Lake type as people write it."""
    return of.type if isinstance(of, PrimitiveType) else str(of.type)
