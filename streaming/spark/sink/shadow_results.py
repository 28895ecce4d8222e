"""Results that a batch publishes for a shadow run, and for the run in which it takes over (`changeover.py`)."""

from collections.abc import Iterable
from dataclasses import replace

from streaming.resume.changeover import give_held, note_given
from streaming.resume.lane_positions import rows_left
from streaming.spark.query.binding import binding_of, first_lanes_of
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.restart_points import lane_progress
from streaming.spark.query.totals import BindingTotals
from streaming.spark.sink.part_files import BindingSummary
from streaming.storage.results import ResultPart
from streaming.wire.beginning import RunBeginning
from streaming.wire.messages import BESIDE, RunSpec


def adopt_totals(carrier: CarrierFolder, totals: BindingTotals, spec: RunSpec) -> BindingTotals:
    """Return the totals of a generation under the current name of its binding; later rows are no longer replayed.

    The restarts of the binding are those of the run that it followed.
    """
    name = carrier.control.name_of(spec)
    if totals.binding == name:
        return totals
    inputs = {
        each: {lane: replace(report, again=False) for lane, report in lanes.items()}
        for each, lanes in totals.inputs.items()
    }
    return replace(totals, binding=name, inputs=inputs, restart=None)


def rows_behind(
    carrier: CarrierFolder, spec: RunSpec, totals: BindingTotals, before: Iterable[BindingTotals]
) -> int | None:
    """Return how many rows a shadow run still has to read of those that the followed run had read before the batch."""
    if not spec.beside:
        return None
    name = carrier.control.name_of(spec).removesuffix(BESIDE)
    others = [each for each in before if each.binding == name and not each.cleared]
    if not others:
        return None
    shared = carrier.shared_of(spec.organisation)
    read, mine = first_lanes_of(shared, name, others[-1].run), first_lanes_of(shared, spec.binding, spec.run)
    return rows_left(lane_progress(others[-1], read), lane_progress(totals, mine))


def held_part(carrier: CarrierFolder, summary: BindingSummary, batch: int) -> ResultPart | None:
    """Return the held rows that count, if the run takes over in this batch; else None. Raises `OSError`."""
    beginning = _takeover(carrier, summary)
    if beginning is None:
        return None
    spec = carrier.control.added(summary.entry).spec
    shared, results = carrier.shared_of(spec.organisation), carrier.results_of(summary.entry)
    return give_held(shared, results, spec.binding, beginning, batch)


def note_taken_over(carrier: CarrierFolder, summary: BindingSummary, batch: int) -> None:
    """Record that held rows have been emitted, if the run takes over in this batch. Raises `OSError`."""
    beginning = _takeover(carrier, summary)
    if beginning is not None and beginning.took_over is not None:
        spec = carrier.control.added(summary.entry).spec
        note_given(carrier.shared_of(spec.organisation), spec.binding, beginning.took_over, batch)


def _takeover(carrier: CarrierFolder, summary: BindingSummary) -> RunBeginning | None:
    """Return the start of a run that may take over in this batch: one that starts, resumes or ends in it."""
    if summary.change is None or summary.change.state == "failed":
        return None
    if carrier.control.added(summary.entry).spec.takes_over is None:
        return None
    return binding_of(carrier, summary.entry).beginning
