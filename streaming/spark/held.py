"""What a batch publishes of a run that reads beside another, and that in which it takes over (`changeover.py`)."""

from collections.abc import Iterable
from dataclasses import replace

from streaming.spark.binding import binding_of, first_lanes_of
from streaming.spark.layout import CarrierFolder
from streaming.spark.part_files import BindingSummary
from streaming.spark.restart_points import lanes_kept
from streaming.spark.totals import BindingTotals
from streaming.wire.beginning import RunBeginning
from streaming.wire.changeover import give_held, note_given
from streaming.wire.lanes_kept import rows_left
from streaming.wire.messages import BESIDE, RunSpec
from streaming.wire.results import ResultPart


def carried_on(carrier: CarrierFolder, totals: BindingTotals, spec: RunSpec) -> BindingTotals:
    """The totals of a generation under the name that its binding has by now: what is read from then on is new."""
    name = carrier.control.name_of(spec)
    if totals.binding == name:
        return totals
    inputs = {
        each: {lane: replace(said, again=False) for lane, said in lanes.items()}
        for each, lanes in totals.inputs.items()
    }
    return replace(totals, binding=name, inputs=inputs)


def rows_behind(
    carrier: CarrierFolder, spec: RunSpec, totals: BindingTotals, before: Iterable[BindingTotals]
) -> int | None:
    """How many rows a run beside another has still to read of those that the other had read before the batch."""
    if not spec.beside:
        return None
    name = carrier.control.name_of(spec).removesuffix(BESIDE)
    others = [each for each in before if each.binding == name and not each.cleared]
    if not others:
        return None
    shared = carrier.shared_of(spec.organisation)
    read, mine = first_lanes_of(shared, name, others[-1].run), first_lanes_of(shared, spec.binding, spec.run)
    return rows_left(lanes_kept(others[-1], read), lanes_kept(totals, mine))


def held_part(carrier: CarrierFolder, summary: BindingSummary, batch: int) -> ResultPart | None:
    """What counts of the rows that were held, if this is the batch in which their run takes over. Raises `OSError`."""
    beginning = _takeover(carrier, summary)
    if beginning is None:
        return None
    spec = carrier.control.added(summary.entry).spec
    shared, results = carrier.shared_of(spec.organisation), carrier.results_of(summary.entry)
    return give_held(shared, results, spec.binding, beginning, batch)


def note_taken_over(carrier: CarrierFolder, summary: BindingSummary, batch: int) -> None:
    """Note that what was held has been given, if this is the batch in which its run takes over. Raises `OSError`."""
    beginning = _takeover(carrier, summary)
    if beginning is not None and beginning.took_over is not None:
        spec = carrier.control.added(summary.entry).spec
        note_given(carrier.shared_of(spec.organisation), spec.binding, beginning.took_over, batch)


def _takeover(carrier: CarrierFolder, summary: BindingSummary) -> RunBeginning | None:
    """How a run begins that takes over, where it may do so in this batch: it begins, goes on or comes to its end."""
    if summary.change is None or summary.change.state == "failed":
        return None
    if carrier.control.added(summary.entry).spec.takes_over is None:
        return None
    return binding_of(carrier, summary.entry).beginning
