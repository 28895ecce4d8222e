"""A change to another version without a pause: a shadow run reads alongside the current run, then takes over.

The shadow run is a binding of its own, `<binding>~next`, with its own state, clocks, results and quarantine. It reads
what the followed run has read and never further, so everything that it releases comes from replayed rows
(`streaming/resume/changeover.py`). The takeover is one step of one planning: the followed run has stopped in the
previous batch, and the manifest has its CTIs; the state of the shadow run continues under the name of the binding.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.resume.lane_positions import rows_left
from streaming.resume.restart_points import RestartPoint, beginning_path, first_lanes_path, plan_beginning
from streaming.spark.planning.start_positions import ANOTHER_VERSION, carry_journals, gone_input, points_of, write_start
from streaming.spark.query.binding import RunnableBinding, binding_of, journals_of
from streaming.spark.query.binding_life import BindingState, CarriedBinding
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.manifests import read_manifest
from streaming.spark.query.restart_points import lane_progress
from streaming.temporal.ticks import INFINITY, Tick, spell_instant
from streaming.wire.messages import BESIDE

ALONE: Final = "The run that the new version was catching up with is no longer carried here. Start the change again."
OUTDATED: Final = "The run that the new version was catching up with has ended. Start the change again."
ENDED_FIRST: Final = (
    "The previous run reached the end of its inputs and emitted everything before this version could take over. Start "
    "this version again to get all of its results."
)
TOO_SOON: Final = "The run has not finished a batch yet. Wait until it has, then change the version."
BY_THE_CLOCK: Final = (
    "An input of this query uses wall-clock time, so a replay gives different results. Stop the run, then start it "
    "with the new version."
)
OTHER_INPUTS: Final = "The new version has different inputs. Stop the run, then start it with the new version."
GONE: Final = (
    "The input {name} no longer has the rows that the new version must replay. Stop the run, then start it with the "
    "new version."
)
TOOK_OVER: Final = (
    "Took over from the previous run without a pause{at}. Windows that were open then are complete, and no result is "
    "repeated."
)


def followed_binding(item: CarriedBinding) -> str:
    """Return the name of the binding that the shadow run `item` follows."""
    return item.binding.removesuffix(BESIDE)


def is_outdated(carrier: CarrierFolder, item: CarriedBinding, other: CarriedBinding | None) -> bool:
    """Return True if the run that `item` follows has been replaced in its binding, which is now `other`."""
    return other is None or carrier.control.added(other.entry).spec.run != item.generation.beside


def start_shadow_run(
    carrier: CarrierFolder,
    binding: RunnableBinding,
    other: CarriedBinding | None,
    batch: int,
    fresh: Callable[[], CarriedBinding],
) -> tuple[CarriedBinding, str]:
    """Start a shadow run of `other` as it was after committed `batch`; return it with a message for its user.

    It starts where an ordinary start with its version would. Raises `AdapterError` if it cannot, `OSError`.
    """
    if other is None:
        raise AdapterError(ALONE)
    if binding.plan.together:
        raise AdapterError(BY_THE_CLOCK)
    points = points_of(carrier, other, batch)
    if not points:
        raise AdapterError(TOO_SOON)
    planned = plan_beginning(points, binding.facts, "oldest_open", None)
    if planned.beginning.how != "oldest_open" or not planned.kept:
        raise AdapterError(OTHER_INPUTS)
    item = fresh()
    gone = gone_input(binding, planned, carrier.settings.longest_delay_s)
    if gone is not None:
        raise AdapterError(GONE.format(name=gone))
    begun = write_start(carrier, binding, item, planned)
    run = carrier.control.added(other.entry).spec.run
    return replace(begun, generation=replace(begun.generation, beside=run), again=None), planned.beginning.sentence


def take_over(
    carrier: CarrierFolder, entry: int, other: CarriedBinding, beside: CarriedBinding | None, batch: int
) -> tuple[CarriedBinding, str] | None:
    """Return the run of control entry `entry`, which replaces `other` with the state of the shadow run `beside`.

    `other` stopped in `batch`. None if `beside` has no state that can continue: then the run starts as at any start
    with another version. Raises `AdapterError` if `other` has already emitted everything, `OSError`.
    """
    binding = binding_of(carrier, entry)
    spec, before = binding.added.spec, carrier.control.added(other.entry).spec
    if spec.takes_over is None or before.run == spec.run:
        return None
    if other.now.ended:
        raise AdapterError(ENDED_FIRST)
    if other.discarded or beside is None or beside.state is not BindingState.WAITING:
        return None
    points = points_of(carrier, other, batch)
    if not points or points[0].batch != batch:
        return None
    kept = binding_of(carrier, beside.entry)
    same = binding.facts.fits(beside.generation.shape) and kept.plan.spread == binding.plan.spread
    if kept.added.spec.run != spec.takes_over or beside.generation.beside != before.run or not same:
        return None
    beginning = plan_beginning(points, binding.facts, "oldest_open", ANOTHER_VERSION).beginning
    if beginning.how != "oldest_open":
        return None
    sentence = TOOK_OVER.format(at=_describe_ctis(points[0]))
    rows = _count_rows_left(carrier, points[0], beside, batch)
    thins = any(each.thins for each in points[0].inputs.values())
    marks = {"took_over": spec.takes_over, "rows_again": rows, "rows_at_most": thins and rows > 0}
    beginning = beginning.model_copy(update={"sentence": sentence, **marks})
    carry_journals(carrier, journals_of(carrier, before), journals_of(carrier, spec), list(spec.inputs))
    shared = carrier.shared_of(spec.organisation)
    first = shared.read(first_lanes_path(kept.added.spec.binding, kept.added.spec.run))
    if first is not None:  # the counts continue from there
        shared.write(first_lanes_path(spec.binding, spec.run), first)
    shared.write(beginning_path(spec.binding, spec.run), beginning.model_dump_json().encode())
    generation = replace(
        beside.generation,
        binding=other.binding,
        entry=entry,
        shape=binding.facts.shape,
        routing=binding.plan.routing,
        beside="",
        state=beside.key,
    )
    return beside.taking_over(generation, other.positions), sentence


def _count_rows_left(carrier: CarrierFolder, newest: RestartPoint, beside: CarriedBinding, batch: int) -> int:
    """Return how many rows of the followed run the shadow run `beside` still has to read after `batch`."""
    manifest, binding = read_manifest(carrier.folder, batch), binding_of(carrier, beside.entry)
    totals = None if manifest is None else manifest.bindings.get(beside.key)
    reached = {} if totals is None else lane_progress(totals, binding.first_lanes)
    return rows_left({name: each.lanes for name, each in newest.inputs.items()}, reached)


def _describe_ctis(point: RestartPoint) -> str:
    ctis = [each.cti for each in point.outputs.values() if each.cti is not None and each.cti != INFINITY]
    return f", at the CTI {spell_instant(Tick(min(ctis)))}" if ctis else ""
