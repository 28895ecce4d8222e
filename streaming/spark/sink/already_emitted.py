"""Rows that an output must not repeat after a run started without its previous state."""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.definition.streams.stream import Historic
from streaming.spark.messages.carrier_messages import MessageKind
from streaming.spark.query.binding import RunnableBinding
from streaming.spark.query.history_input import historic_of
from streaming.spark.sink.row_lines import IncompleteRows, Mask
from streaming.wire.beginning import RunBeginning


def select_new_rows(
    binding: RunnableBinding, output: str, table: pa.Table, marks: Collection[str]
) -> tuple[pa.Table, IncompleteRows | None]:
    """Return the rows of `table` to emit, and which of them are incomplete (None: all are complete).

    `marks` apply to all rows of the batch: AGAIN while the run replays rows, CUT where its user closed all windows,
    HISTORIC where history alone gave them. Repeating a batch gives the same rows. Raises `OSError`.
    """
    if MessageKind.HISTORIC in marks and historic_of(binding.added.spec) is Historic.DISCARD:
        return table.slice(0, 0), None
    cut, beginning = MessageKind.CUT in marks, binding.beginning
    if beginning is not None:
        table = _not_twice(binding, beginning, output, table, _of_replay(marks))
    if cut:
        return table, IncompleteRows(np.ones(table.num_rows, np.bool_))
    if beginning is None:
        return table, None
    whole = None
    if output in beginning.incomplete_before:
        whole = _starting_before(table, beginning.incomplete_before[output])
        whole = whole if whole.any() else None
    lacks = beginning.lacking.get(output)
    columns = None if lacks is None or not lacks.columns else _starting_before(table, lacks.before)
    if lacks is None or columns is None or not columns.any():
        return table, None if whole is None else IncompleteRows(whole)
    return table, IncompleteRows(whole, columns, tuple(lacks.columns))


def historic_mark(binding: RunnableBinding, marks: Collection[str]) -> str | None:
    """Return the mark of rows that history alone gave (`ResultRow.historic`)."""
    if MessageKind.HISTORIC not in marks:
        return None
    return "delivered" if historic_of(binding.added.spec) is Historic.DELIVER else "stored"


def _of_replay(marks: Collection[str]) -> MessageKind | None:
    """Return the mark that counts for rows that are read again; CUT is stronger than AGAIN."""
    return next((each for each in (MessageKind.CUT, MessageKind.AGAIN) if each in marks), None)


def _not_twice(
    binding: RunnableBinding, beginning: RunBeginning, output: str, table: pa.Table, of_batch: MessageKind | None
) -> pa.Table:
    """Return `table` without the rows that the previous run has emitted."""
    alike = output in beginning.alike
    if alike and of_batch is MessageKind.AGAIN:
        return table.slice(0, 0)
    until = beginning.until.get(output)
    later = of_batch is None and (alike or binding.facts.releases[output].forgets)
    if until is None or later or beginning.how not in ("oldest_open", "carried_over"):
        return table
    new = _column(table, "@end") > until
    return table if new.all() else table.filter(pa.array(new))


def _starting_before(table: pa.Table, before: int | None) -> Mask:
    """Return which rows start before `before`; None: all."""
    return np.ones(table.num_rows, np.bool_) if before is None else _column(table, "@start") < before


def _column(table: pa.Table, name: str) -> npt.NDArray[np.int64]:
    found: npt.NDArray[np.int64] = table.column(name).to_numpy()
    return found
