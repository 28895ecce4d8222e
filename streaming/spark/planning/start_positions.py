"""The start of a binding whose state can't be used: from its saved restart points, as the planner decides.

They are in the folder of the organisation (`streaming/resume/restart_points.py`), not of a carrier: they apply
wherever the binding runs next.
"""

import json
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from streaming.adapters.contract import AdapterError, ReplayingAdapter
from streaming.definition.counts import counted
from streaming.planning.plan import NotRunnable
from streaming.resume.restart_points import (
    PlannedBeginning,
    RestartPoint,
    beginning_path,
    first_lanes_path,
    plan_beginning,
)
from streaming.spark.planning.adapter_queries import answer_within
from streaming.spark.planning.positions_by_time import begin_lanes, describe_beginning
from streaming.spark.query.binding import RunnableBinding, binding_of, journals_of
from streaming.spark.query.binding_life import BindingStanding, BindingState, CarriedBinding, LanePositions, new_binding
from streaming.spark.query.control import AddBinding
from streaming.spark.query.journals import journals_of_input
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.manifests import newest_manifest, read_manifest
from streaming.spark.query.restart_points import forget_points, keep_point, point_of, read_points
from streaming.spark.query.savepoints import SavepointHead
from streaming.spark.query.totals import BindingTotals
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, RunBeginning, SoughtBegin
from streaming.wire.messages import RunSpec

log = logging.getLogger(__name__)

ANOTHER_VERSION: Final = (
    "The query, its streams or its settings differ from those of the previous run, so its state can't be reused."
)
FLUSHED: Final = "At the end of the previous run all windows were closed, and the input has new rows since then."
ASKED: Final = "A start without the previous state was requested."
DISCARDED: Final = "The state of the previous run was discarded when it was stopped."
STATE_IS_GONE: Final = "The state of the previous run no longer exists."
NOT_CARRIED: Final = "The state of the previous run can't be carried over. {why}"
OTHER_PROGRAM: Final = (
    "Another version of Punctual wrote the state of the previous run, and this version can't read it. If that version "
    "was killed, results and quarantined rows of its last ten seconds may appear twice."
)
DAMAGED_BEFORE: Final = (
    "The checkpoint of the previous run was damaged, and was set aside. Results and quarantined rows of its last ten "
    "seconds may appear twice."
)
ANOTHER_ROUTING: Final = (
    "This version of the engine distributes rows among buckets differently from the one that wrote the run's state."
)
START_AGAIN: Final = (
    "Start the run again: open windows and joins are read again where the inputs still have their rows."
)
BEGUN_ANEW: Final = "The saved state uses {before} and can't be divided into {now}."
GONE: Final = (
    "The input {name} no longer has the rows that would be read again. Nothing was read, and nothing is lost. Start "
    "the run where the previous run stopped (open windows and joins are left behind), or from the beginning."
)
LEFT_BEHIND: Final = "The input {name} no longer has the rows that would be read again."
NOTHING_NEW: Final = (
    "There are no new rows: the last run read its inputs to the end. Nothing is read, and no result is emitted or "
    "delivered again. To repeat all results, start from the beginning."
)
UNKNOWN: Final = (
    "The run resumes where it had stopped reading, without the windows and joins that were open there. It is not known "
    "from when on results are complete, so all of them are marked as incomplete."
)


@dataclass(frozen=True)
class PriorBinding:
    """A binding before it starts without its state.

    `points`: its restart points, newest first. `journals`: the folder of its adapters' journals. `why`: the reason for
    the loss of its state. `positions` and `shape`: its progress, and the shape that it belongs to. `ended`: it has had
    CTI infinity. `tick`: the planning time of the batch in which it starts.
    """

    points: Sequence[RestartPoint]
    journals: str
    why: str
    positions: LanePositions = field(default_factory=dict)
    shape: str = ""
    ended: bool = False
    tick: int = 0


def why_left(
    binding: RunnableBinding, known: CarriedBinding, before: AddBinding, *, of_any_version: bool = False
) -> str | None:
    """Return why `binding` can't use the state `known` of the run that `before` added; None: it can.

    `of_any_version`: accept state of another version.
    """
    spec, plan, facts = binding.added.spec, binding.plan, binding.facts
    ids = before.bucket_ids[: plan.buckets]
    anew = spec.drops_state and spec.run != before.spec.run
    reasons = (
        (known.discarded or (anew and spec.after_discard), DISCARDED),
        (not of_any_version and not facts.fits(known.generation.shape), ANOTHER_VERSION),
        (anew, ASKED),
        (bool(known.now.ended), FLUSHED),
        (ids != binding.bucket_ids, explain_division(len(ids), plan.buckets)),
        (known.generation.routing != plan.routing, ANOTHER_ROUTING),
    )
    return next((why for holds, why in reasons if holds), None)


def hand_on(carrier: CarrierFolder, before: RunSpec | SavepointHead, spec: RunSpec) -> None:
    """Give the run of `spec` the start position and row marks of the run `before`, whose state it continues."""
    if before.run == spec.run:
        return
    shared = carrier.shared_of(spec.organisation)
    for path in (beginning_path, first_lanes_path):
        content = shared.read(path(spec.binding, before.run))
        if content is not None:
            shared.write(path(spec.binding, spec.run), content)
    if isinstance(before, RunSpec):
        carry_journals(carrier, journals_of(carrier, before), journals_of(carrier, spec), list(spec.inputs))


def carry_journals(carrier: CarrierFolder, source: str, target: str, inputs: Sequence[str]) -> None:
    """Copy the journals of adapters from `source` to `target`. Raises `OSError`."""
    if source in ("", target):
        return
    for name in (each for of_input in inputs for each in journals_of_input(of_input)):
        for blob in carrier.folder.tags(f"{target}/{name}"):
            carrier.folder.remove(f"{target}/{name}/{blob}")
        for blob in sorted(carrier.folder.tags(f"{source}/{name}")):
            content = carrier.folder.read(f"{source}/{name}/{blob}")
            if content is not None:
                carrier.folder.write(f"{target}/{name}/{blob}", content)


def points_of(carrier: CarrierFolder, known: CarriedBinding, batch: int) -> list[RestartPoint]:
    """Return the points of a binding, newest first, with one for committed `batch`, after which it is `known`."""
    spec = carrier.control.added(known.entry).spec
    points = read_points(carrier.shared_of(spec.organisation), spec.binding)
    if known.now.ended or known.again is not None:
        return points
    manifest = read_manifest(carrier.folder, batch)
    totals = None if manifest is None else manifest.bindings.get(known.key)
    if totals is None:
        return points
    newest = point_of(binding_of(carrier, known.entry), totals, batch)
    return [newest, *(point for point in points if point.batch < batch)]


def keep_newest_points(carrier: CarrierFolder) -> None:
    """Write a restart point of every binding as of the newest manifest: a resting carrier may never resume.

    Another version of the program then starts exactly there. Raises `OSError`.
    """
    manifest, entries = newest_manifest(carrier.folder), carrier.control.newest_entries()
    if manifest is None:
        return
    for totals in manifest.bindings.values():
        entry = entries.get(totals.binding)
        try:
            if entry is not None:
                _keep_newest_point(carrier, entry, totals, manifest.batch)
        except Exception:  # a binding's fault ends here: it has an older point, the others the newest
            log.exception("Could not write a restart point for %s after batch %s.", totals.binding, manifest.batch)


def _keep_newest_point(carrier: CarrierFolder, entry: int, totals: BindingTotals, batch: int) -> None:
    spec = carrier.control.added(entry).spec
    if totals.cleared or totals.reads_again or spec.run != totals.run:
        return
    if spec.beside:
        return  # a shadow run shares the points of the run that it follows
    with suppress(NotRunnable):  # it failed because it can't be planned, and has no state
        point = point_of(binding_of(carrier, entry), totals, batch)
        keep_point(carrier.shared_of(spec.organisation), spec.binding, point)


def start_without_state(
    carrier: CarrierFolder, binding: RunnableBinding, before: PriorBinding, fresh: Callable[[], CarriedBinding]
) -> tuple[CarriedBinding, str | None]:
    """Return a new generation of `binding` that follows `before`, with a message for its user.

    `fresh` makes one at the start of its inputs, after the journals of adapters are in place. Raises `AdapterError`
    if the user wants rows to be read again that are gone, `OSError`.
    """
    spec, wanted = binding.added.spec, binding.added.spec.begin
    if wanted == "carried_over":
        wanted = None  # there is no state that could be carried over
    if wanted == "now" or isinstance(wanted, BeginAtTime | BeginAtPositions):
        if not any(point.run == spec.run for point in before.points):
            return _start_at_place(carrier, binding, before, fresh, wanted)
        wanted = None  # it had started there before its state was lost: it resumes from its own points
    if not before.points:
        return _start_without_points(carrier, binding, before, fresh)
    planned = plan_beginning(before.points, binding.facts, wanted, before.why)
    carry_journals(carrier, before.journals, journals_of(carrier, spec), planned.kept)
    item = fresh()
    if wanted in (None, "oldest_open") and _nothing_new(binding, planned.kept, before):
        return _with_ended_inputs(item, before.points[0].positions), NOTHING_NEW
    gone = gone_input(binding, planned, carrier.settings.longest_delay_s)
    if gone is not None:
        if wanted is not None:
            raise AdapterError(GONE.format(name=gone))
        why = f"{before.why} {LEFT_BEHIND.format(name=gone)}"
        planned = plan_beginning(before.points, binding.facts, "old_positions", why)
    return write_start(carrier, binding, item, planned), planned.beginning.sentence


def _start_at_place(
    carrier: CarrierFolder,
    binding: RunnableBinding,
    before: PriorBinding,
    fresh: Callable[[], CarriedBinding],
    place: SoughtBegin,
) -> tuple[CarriedBinding, str | None]:
    """Return a generation that starts at `place`; from saved files it uses only journals, and only for positions."""
    spec, facts, shared = binding.added.spec, binding.facts, carrier.shared_of(binding.added.spec.organisation)
    if isinstance(place, BeginAtPositions):
        named = before.points[0].inputs if before.points else {}
        same = [name for name, each in named.items() if facts.sources.get(name) == each.source]
        whole = list(spec.inputs) if before.shape == facts.shape else []
        carry_journals(carrier, before.journals, journals_of(carrier, spec), same or whole)
    lanes = begin_lanes(binding, place, before.tick, carrier.settings.read_deadline_s)
    beginning = describe_beginning(binding, lanes, before.points, place, before.tick)
    beginning = beginning.model_copy(update={"positions": {name: dict(each) for name, each in lanes.positions.items()}})
    item = fresh()
    shared.write(beginning_path(spec.binding, spec.run), beginning.model_dump_json().encode())
    forget_points(shared, spec.binding)
    return new_binding(item.generation, lanes.positions), beginning.sentence


def write_start(
    carrier: CarrierFolder, binding: RunnableBinding, item: CarriedBinding, planned: PlannedBeginning
) -> CarriedBinding:
    """Return `item` as planned, after writing everything that its batches read."""
    spec, point = binding.added.spec, planned.point
    shared = carrier.shared_of(spec.organisation)
    if planned.again is None and not planned.kept:
        forget_points(carrier.shared_of(spec.organisation), spec.binding)
    positions: LanePositions = {} if point is None else point.positions
    lanes: dict[str, dict[str, Any]] = {}
    for name, kept in () if point is None else point.inputs.items():
        if name not in planned.kept:
            continue
        same = kept.clock == binding.facts.clocks[name]
        each = {lane: state if same else state.model_copy(update={"clock": None}) for lane, state in kept.lanes.items()}
        lanes[name] = {lane: state.model_dump(mode="json") for lane, state in each.items()}
    shared.write(first_lanes_path(spec.binding, spec.run), json.dumps(lanes).encode())
    began = {name: dict(positions.get(name, {})) for name in planned.kept}
    beginning = planned.beginning.model_copy(update={"positions": began})
    shared.write(beginning_path(spec.binding, spec.run), beginning.model_dump_json().encode())
    merged = {
        name: {**first, **(positions.get(name, {}) if name in planned.kept else {})}
        for name, first in item.positions.items()
    }
    state = BindingState.BEGINNING if lanes else BindingState.WAITING
    return new_binding(item.generation, merged, state, again=planned.again)


def _start_without_points(
    carrier: CarrierFolder, binding: RunnableBinding, before: PriorBinding, fresh: Callable[[], CarriedBinding]
) -> tuple[CarriedBinding, str | None]:
    """Start from the state of a program that had no restart points, or from no state at all."""
    spec = binding.added.spec
    if before.shape != binding.facts.shape or spec.begin == "beginning":
        return fresh(), None
    carry_journals(carrier, before.journals, journals_of(carrier, spec), list(spec.inputs))
    item = fresh()
    if before.ended and _all_finished(binding, tuple(spec.inputs), before.positions):
        return item, None
    lacking = {name: None for name, release in binding.facts.releases.items() if not release.forgets}
    beginning = RunBeginning(
        how="old_positions",
        after="",
        incomplete_before=lacking,
        until={},
        alike=[],
        open_from=None,
        open_until=None,
        rows_again=0,
        sentence=f"{before.why} {UNKNOWN}",
    )
    carrier.shared_of(spec.organisation).write(
        beginning_path(spec.binding, spec.run), beginning.model_dump_json().encode()
    )
    return new_binding(item.generation, before.positions), beginning.sentence


def _nothing_new(binding: RunnableBinding, kept: Sequence[str], before: PriorBinding) -> bool:
    """Return True if the previous run, with the same query and inputs, read and emitted all that the inputs have."""
    newest = before.points[0]
    return newest.flushed and binding.facts.fits(newest.shape) and _all_finished(binding, kept, newest.positions)


def _with_ended_inputs(item: CarriedBinding, positions: LanePositions) -> CarriedBinding:
    """Return the binding with all inputs at their end, so that its first batch is its last."""
    return replace(item, now=BindingStanding(positions, tuple(item.positions)))


def _all_finished(binding: RunnableBinding, kept: Sequence[str], positions: LanePositions) -> bool:
    """Return True if all inputs are the same and end at these positions."""
    every = binding.adapters
    return len(kept) == len(every) and all(each.finished(positions.get(name, {})) for name, each in every.items())


def gone_input(binding: RunnableBinding, planned: PlannedBeginning, deadline_s: float) -> str | None:
    """Return the first input that no longer has the rows to be read again."""
    point = planned.point
    for name, lanes in (planned.again or {}).items():
        adapter = binding.adapters[name]
        before = {} if point is None else point.positions.get(name, {})
        if not isinstance(adapter, ReplayingAdapter):
            continue
        holds = adapter.holds
        spans = [(lane, before.get(lane, 0), at) for lane, at in lanes.items()]
        if not answer_within(f"The input {name}", lambda: all(holds(*span) for span in spans), deadline_s):  # noqa: B023
            return name
    return None


def explain_division(before: int, now: int) -> str:
    """Return why state in `before` buckets can't be used by a run with `now` buckets."""
    return BEGUN_ANEW.format(before=_buckets(before), now=_buckets(now))


def _buckets(number: int) -> str:
    return "one bucket" if number == 1 else counted(number, "bucket")


def first_positions(binding: RunnableBinding, deadline_s: float) -> LanePositions:
    """Return the starts of all lanes, as adapters name them within `deadline_s`. Raises `AdapterError`."""
    return {
        name: dict.fromkeys(answer_within(f"The input {name}", adapter.lanes, deadline_s), 0)
        for name, adapter in binding.adapters.items()
    }
