"""Which rows of an output are given: where a run began without the state of the one before, and those of repairs."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.spark.binding import RunnableBinding
from streaming.spark.binding_life import CarriedBinding
from streaming.spark.control import RepairBinding
from streaming.spark.layout import CarrierFolder
from streaming.spark.offset import BindingTurn
from streaming.spark.row_lines import IncompleteRows, Mask
from streaming.wire.beginning import RunBeginning
from streaming.wire.repairs import read_given, rows_path

AGAIN = "again"
CUT = "cut"


def given(binding: RunnableBinding, output: str, table: pa.Table, said: str) -> tuple[pa.Table, IncompleteRows | None]:
    """The rows of `table` that are given, and which of them are incomplete; None: none is.

    `said` is what holds for all of them: AGAIN while their run reads rows again, CUT where its user had all windows
    closed. The same rows of the same batch, the same answer. Raises `OSError`.
    """
    beginning = binding.beginning
    if beginning is not None:
        table = _not_twice(binding, beginning, output, table, said)
    if said == CUT:
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


def repair_turns(carrier: CarrierFolder, item: CarriedBinding | None, command: RepairBinding) -> Iterator[BindingTurn]:
    """The turn of a binding that gives the rows of a repair, once.

    None where its run is not carried: it is told again when it goes on, and where it has ended others give them. Raises
    `OSError`.
    """
    spec = None if item is None else carrier.control.added(item.entry).spec
    if item is None or spec is None or spec.run != command.run:
        return
    shared = carrier.shared_of(spec.organisation)
    given = read_given(shared, spec.binding, command.repair) is not None
    if not given and shared.size(rows_path(spec.binding, command.repair)):
        yield BindingTurn(item.binding, item.key, item.entry, repair=command.repair)


def _not_twice(binding: RunnableBinding, said: RunBeginning, output: str, table: pa.Table, of_batch: str) -> pa.Table:
    """Without what the run before has given."""
    alike = output in said.alike
    if alike and of_batch == AGAIN:
        return table.slice(0, 0)
    until = said.until.get(output)
    later = of_batch == "" and (alike or binding.facts.releases[output].forgets)
    if until is None or later or said.how not in ("oldest_open", "carried_over"):
        return table
    new = _column(table, "@end") > until
    return table if new.all() else table.filter(pa.array(new))


def _starting_before(table: pa.Table, before: int | None) -> Mask:
    """Which rows start before `before`; None: any."""
    return np.ones(table.num_rows, np.bool_) if before is None else _column(table, "@start") < before


def _column(table: pa.Table, name: str) -> npt.NDArray[np.int64]:
    found: npt.NDArray[np.int64] = table.column(name).to_numpy()
    return found
