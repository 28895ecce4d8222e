"""A change to another version without a pause, in a carrier: a run reads beside another, and takes over.

The run beside is a binding of its own, `<binding>~next`, with state, clocks, results and quarantine of its own. It
reads what the other one has read, never further, so that all it releases is of rows that are read again
(`streaming/wire/changeover.py`). Taking over is one step of one planning: the other one has stopped in the batch
before, and its manifest says at which CTIs; the state of the run beside goes on under the name of the binding.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.spark.beginnings import ANOTHER_VERSION, carry_journals, gone_input, points_of, written
from streaming.spark.binding import RunnableBinding, binding_of, journals_of
from streaming.spark.binding_life import BindingState, CarriedBinding
from streaming.spark.layout import CarrierFolder
from streaming.spark.manifests import read_manifest
from streaming.spark.restart_points import lanes_kept
from streaming.temporal.ticks import INFINITY, Tick, spell_instant
from streaming.wire.kept import RestartPoint, beginning_path, first_lanes_path, plan_beginning
from streaming.wire.lanes_kept import rows_left
from streaming.wire.messages import BESIDE

ALONE: Final = (
    "The run beside which the new version was to catch up is not carried here any more. Start the change again."
)
OUTDATED: Final = "The run beside which the new version was catching up has ended. Start the change again."
ENDED_FIRST: Final = (
    "The run before came to the end of its inputs, and gave all, before this version could take over. Start it again "
    "to have all results of this version."
)
TOO_SOON: Final = "The run has not been through a batch yet. Wait until it has, then change the version."
BY_THE_CLOCK: Final = (
    "The time of an input moves by the clock on the wall, so that it is another one when it is read again. Change the "
    "version by a stop and a start."
)
OTHER_INPUTS: Final = "The inputs of the new version are others. Change the version by a stop and a start."
GONE: Final = (
    "The input {name} no longer has the rows that the new version would have to read again. Change the version by a "
    "stop and a start."
)
TOOK_OVER: Final = (
    "It took over from the run before without a pause{at}: what was open then is given whole, and nothing again "
    "that was given before."
)


def followed(item: CarriedBinding) -> str:
    """What the binding is called beside which `item` reads."""
    return item.binding.removesuffix(BESIDE)


def is_outdated(carrier: CarrierFolder, item: CarriedBinding, other: CarriedBinding | None) -> bool:
    """Whether the run beside which `item` reads is no longer that of its binding, which is `other` by now."""
    return other is None or carrier.control.added(other.entry).spec.run != item.generation.beside


def begun_beside(
    carrier: CarrierFolder,
    binding: RunnableBinding,
    other: CarriedBinding | None,
    batch: int,
    fresh: Callable[[], CarriedBinding],
) -> tuple[CarriedBinding, str]:
    """A run that begins to read beside `other` as it was after committed `batch`, and what its user has to know.

    It begins where a start with its version would. Raises `AdapterError` where it cannot, `OSError`.
    """
    if other is None:
        raise AdapterError(ALONE)
    if binding.plan.together:
        raise AdapterError(BY_THE_CLOCK)
    points = points_of(carrier, other, batch)
    if not points:
        raise AdapterError(TOO_SOON)
    planned = plan_beginning(points, binding.facts, "oldest_open", None)
    if planned.said.how != "oldest_open" or not planned.kept:
        raise AdapterError(OTHER_INPUTS)
    item = fresh()
    gone = gone_input(binding, planned, carrier.settings.held_up_at_most_s)
    if gone is not None:
        raise AdapterError(GONE.format(name=gone))
    begun = written(carrier, binding, item, planned)
    run = carrier.control.added(other.entry).spec.run
    return replace(begun, generation=replace(begun.generation, beside=run), again=None), planned.said.sentence


def taken_over(
    carrier: CarrierFolder, entry: int, other: CarriedBinding, beside: CarriedBinding | None, batch: int
) -> tuple[CarriedBinding, str] | None:
    """The run of control entry `entry` in the place of `other`, which stopped in `batch`, with the state of `beside`.

    None where that has none that could go on: then the run begins as at any start with another version.
    Raises `AdapterError` where the other one has given all, `OSError`.
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
    said = plan_beginning(points, binding.facts, "oldest_open", ANOTHER_VERSION).said
    if said.how != "oldest_open":
        return None
    sentence = TOOK_OVER.format(at=_words(points[0]))
    rows = _left(carrier, points[0], beside, batch)
    thins = any(each.thins for each in points[0].inputs.values())
    marks = {"took_over": spec.takes_over, "rows_again": rows, "rows_at_most": thins and rows > 0}
    said = said.model_copy(update={"sentence": sentence, **marks})
    carry_journals(carrier, journals_of(carrier, before), journals_of(carrier, spec), list(spec.inputs))
    shared = carrier.shared_of(spec.organisation)
    first = shared.read(first_lanes_path(kept.added.spec.binding, kept.added.spec.run))
    if first is not None:  # its counts go on from there
        shared.write(first_lanes_path(spec.binding, spec.run), first)
    shared.write(beginning_path(spec.binding, spec.run), said.model_dump_json().encode())
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


def _left(carrier: CarrierFolder, newest: RestartPoint, beside: CarriedBinding, batch: int) -> int:
    """How many rows of those that the run before has read the one beside it has still to read after `batch`."""
    manifest, binding = read_manifest(carrier.folder, batch), binding_of(carrier, beside.entry)
    totals = None if manifest is None else manifest.bindings.get(beside.key)
    reached = {} if totals is None else lanes_kept(totals, binding.first_lanes)
    return rows_left({name: each.lanes for name, each in newest.inputs.items()}, reached)


def _words(point: RestartPoint) -> str:
    ctis = [each.cti for each in point.outputs.values() if each.cti is not None and each.cti != INFINITY]
    return f", at the CTI {spell_instant(Tick(min(ctis)))}" if ctis else ""
