"""The turns of a carrier that emit the rows of repairs."""

from collections.abc import Iterator

from streaming.resume.repairs import read_given, rows_path
from streaming.spark.query.binding_life import CarriedBinding
from streaming.spark.query.control import RepairBinding
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.offset import BindingTurn


def repair_turns(carrier: CarrierFolder, item: CarriedBinding | None, command: RepairBinding) -> Iterator[BindingTurn]:
    """Yield the turn that emits the rows of a repair, once.

    Yields nothing while the run is not carried: the command is repeated when the run resumes, and after the end of the
    run another process emits the rows. Raises `OSError`.
    """
    spec = None if item is None else carrier.control.added(item.entry).spec
    if item is None or spec is None or spec.run != command.run:
        return
    shared = carrier.shared_of(spec.organisation)
    given = read_given(shared, spec.binding, command.repair) is not None
    if not given and shared.size(rows_path(spec.binding, command.repair)):
        yield BindingTurn(item.binding, item.key, item.entry, repair=command.repair)
