"""Messages of the log become what each transaction did to rows, and that becomes lines."""

from collections.abc import Callable
from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.file.split import MAX_RECORD_BYTES
from streaming.adapters.postgresql_changes.lines import about_of
from streaming.adapters.postgresql_changes.messages import (
    ChangeMessage,
    RelationShape,
    RowChange,
    TableTruncation,
    TransactionBegin,
    TransactionCommit,
)
from streaming.adapters.postgresql_changes.open_rows import OpenRows
from streaming.adapters.postgresql_changes.table import PublishedTable
from streaming.adapters.postgresql_changes.values import RowForm

Told = Callable[[TransactionBegin], bool]
"""Whether a transaction is known already."""
NOT_KNOWN: Final = '"_not_known":'
"""What a row becomes of which a large value is neither told nor known: no JSON, so that it is malformed."""


class TransactionReader:
    """Applies the messages of one look to `rows`. A column that a row has not is absent from it."""

    def __init__(self, table: PublishedTable, rows: OpenRows, told: Told, shown: str) -> None:
        self._table = table
        self._rows = rows
        self._told = told
        self._shown = shown
        self._form: RowForm | None = None
        self._begin: TransactionBegin | None = None
        self._about = {"insert": "", "update": ""}

    def take(self, message: ChangeMessage | None) -> tuple[TransactionBegin, int] | None:
        """Apply a message; at the end of a transaction that was not told before: its begin, and where the log goes on.

        Raises `AdapterError`.
        """
        if isinstance(message, TransactionBegin):
            self._begin = None if self._told(message) else message
            if self._begin is not None:
                self._about = {each: about_of(each, message.committed, message.lsn) for each in self._about}
        elif isinstance(message, TransactionCommit):
            begin, self._begin = self._begin, None
            return None if begin is None else (begin, message.end)
        elif isinstance(message, RelationShape):
            self._shape(message)
        elif self._begin is not None:
            self._change(message)
        return None

    def _shape(self, shape: RelationShape) -> None:
        if shape.relation != self._table.oid:
            return
        try:
            self._form = RowForm(shape, self._table.key, self._table.own_types)
        except LookupError as error:
            self._form = None
            if self._begin is None:
                return
            raise AdapterError(
                f"The column {error} of {self._shown}, which is of its key, was not there when rows were changed. "
                "Start the binding again from the beginning."
            ) from None

    def _change(self, message: ChangeMessage | None) -> None:
        if isinstance(message, TableTruncation):
            if self._table.oid in message.relations:
                self._rows.clear()
        elif isinstance(message, RowChange) and message.relation == self._table.oid and self._form is not None:
            self._row(message, self._form)

    def _row(self, change: RowChange, form: RowForm) -> None:
        if change.new is None:
            if change.old is not None:
                self._rows.remove(form.key_of(change.old))
            return
        key = form.key_of(change.new)
        former = key if change.old is None else form.key_of(change.old)
        updates = change.old is not None or self._rows.row_of(key) is not None
        row = form.row_of(change.new, self._rows.row_of(former) if updates else None)
        if former != key:
            self._rows.remove(former)
        self._rows.put(key, self._about["update" if updates else "insert"], held(NOT_KNOWN if row is None else row))


def held(row: str) -> str:
    """The row as it is held: one that is longer than a record may be is cut off, and so malformed."""
    return row if len(row) <= MAX_RECORD_BYTES else row[: MAX_RECORD_BYTES + 1]
