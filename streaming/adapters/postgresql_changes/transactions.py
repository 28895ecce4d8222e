"""Converts messages of the log to the net effect of each transaction on rows, and that to lines."""

from collections.abc import Callable

from streaming.adapters.contract import AdapterError
from streaming.adapters.postgresql_changes.messages import (
    ChangeMessage,
    RelationShape,
    RowChange,
    TableTruncation,
    TransactionBegin,
    TransactionCommit,
)
from streaming.adapters.postgresql_changes.table import PublishedTable
from streaming.adapters.postgresql_changes.values import RowForm
from streaming.adapters.row_lifetimes.lines import about_of, lsn_text
from streaming.adapters.row_lifetimes.open_rows import OpenRows

IsKnown = Callable[[TransactionBegin], bool]
"""Returns True if a transaction is already stored."""


class TransactionReader:
    """Applies the messages of one poll to `rows`. A column that a row lacks is absent from it."""

    def __init__(self, table: PublishedTable, rows: OpenRows, is_known: IsKnown, shown: str) -> None:
        self._table = table
        self._rows = rows
        self._is_known = is_known
        self._shown = shown
        self._form: RowForm | None = None
        self._begin: TransactionBegin | None = None
        self._about = {"insert": "", "update": ""}

    def take(self, message: ChangeMessage | None) -> tuple[TransactionBegin, int] | None:
        """Apply a message; at the end of a new transaction return its begin, and the position where the log
        continues.
        """
        if isinstance(message, TransactionBegin):
            self._begin = None if self._is_known(message) else message
            if self._begin is not None:
                self._about = {each: about_of(each, message.committed, lsn_text(message.lsn)) for each in self._about}
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
                f"The column {error} of {self._shown}, which is part of its key, did not exist when rows were changed. "
                "Start the binding from the beginning."
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
        self._rows.put(key, self._about["update" if updates else "insert"], row)
