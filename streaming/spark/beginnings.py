"""How a binding begins whose state cannot go on: what it has kept beside, and what the planner makes of it.

The folder of the organisation holds it (`streaming/wire/kept.py`), not that of a carrier: it counts wherever the
binding runs next.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from streaming.adapters.contract import AdapterError, ReplayingAdapter
from streaming.definition.counts import counted
from streaming.planning.plan import NotRunnable
from streaming.spark.adapter_queries import asked_within
from streaming.spark.binding import RunnableBinding, binding_of, journals_of
from streaming.spark.binding_life import BindingState, CarriedBinding, LanePositions, begun_binding
from streaming.spark.control import AddBinding
from streaming.spark.layout import CarrierFolder
from streaming.spark.manifests import newest_manifest, read_manifest
from streaming.spark.restart_points import forget_points, keep_point, point_of, read_points
from streaming.spark.savepoints import SavepointHead
from streaming.spark.sought_beginnings import begin_lanes, said_of
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, RunBeginning, SoughtBegin
from streaming.wire.kept import (
    PlannedBeginning,
    RestartPoint,
    beginning_path,
    first_lanes_path,
    plan_beginning,
)
from streaming.wire.messages import RunSpec

ANOTHER_VERSION: Final = (
    "The query, its streams or its settings are not those of the run before, so that its state does not fit."
)
FLUSHED: Final = "When the run before ended, all windows were closed, and the input has more rows than it had then."
ASKED: Final = "It was asked to begin anew, without the state of the run before."
DISCARDED: Final = "The state of the run before was thrown away when it was stopped."
STATE_IS_GONE: Final = "Nothing was found of the state of the run before."
NOT_CARRIED: Final = "The state of the run before was to be carried over, and cannot be. {why}"
OTHER_PROGRAM: Final = (
    "Another version of Punctual wrote the state of the run before, and this one cannot read it. If that one was not "
    "closed but killed, results and quarantined rows of its last ten seconds may stand here twice."
)
ANOTHER_ROUTING: Final = (
    "This version of the engine divides rows among buckets in another way than the one that wrote what the run kept."
)
START_AGAIN: Final = "Start it again: what was open is read again where the inputs still have it."
BEGUN_ANEW: Final = "What the run had kept was for {before} and cannot be divided into {now}."
GONE: Final = (
    "The input {name} no longer has the rows that were to be read again. Nothing was read, and nothing is lost: start "
    "it again where the run before had read to, where what was open is left behind, or from the beginning."
)
LEFT_BEHIND: Final = "The input {name} no longer has the rows that would have to be read again."
UNKNOWN: Final = (
    "It goes on where it had read to, and windows and joins that were open there begin anew. It cannot be told from "
    "when on results are whole, so that every one is marked as incomplete."
)


@dataclass(frozen=True)
class PriorBinding:
    """What a binding was before it begins anew: its restart points, newest first, where its adapters journaled, `why`
    its state does not go on, and how far it had read under which shape. `ended`: it has had CTI infinity. `tick`: when
    the batch is planned in which it begins anew."""

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
    """Why `binding` does not go on with the state that is `known` of the run that was added `before`; None: it does.

    `of_any_version`: state of another one would do.
    """
    spec, plan, facts = binding.added.spec, binding.plan, binding.facts
    ids = before.bucket_ids[: plan.buckets]
    anew = spec.drops_state and spec.run != before.spec.run
    reasons = (
        (known.discarded or (anew and spec.after_discard), DISCARDED),
        (not of_any_version and not facts.fits(known.generation.shape), ANOTHER_VERSION),
        (anew, ASKED),
        (bool(known.now.ended), FLUSHED),
        (ids != binding.bucket_ids, begun_anew(len(ids), plan.buckets)),
        (known.generation.routing != plan.routing, ANOTHER_ROUTING),
    )
    return next((why for holds, why in reasons if holds), None)


def hand_on(carrier: CarrierFolder, before: RunSpec | SavepointHead, spec: RunSpec) -> None:
    """Let the run of `spec`, which goes on with the state of the run `before`, say of its rows what that said."""
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
    """Let adapters that journal in `target` find what they journaled in `source`. Raises `OSError`."""
    if source in ("", target):
        return
    for name in inputs:
        for blob in carrier.folder.tags(f"{target}/{name}"):
            carrier.folder.remove(f"{target}/{name}/{blob}")
        for blob in sorted(carrier.folder.tags(f"{source}/{name}")):
            content = carrier.folder.read(f"{source}/{name}/{blob}")
            if content is not None:
                carrier.folder.write(f"{target}/{name}/{blob}", content)


def points_of(carrier: CarrierFolder, known: CarriedBinding, batch: int) -> list[RestartPoint]:
    """The points of a binding, newest first, with one for committed `batch`, after which it is `known`."""
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
    """Keep a restart point of every binding as the newest manifest has it: a carrier rests that may never go on.

    Another version of the program then begins exactly there. Raises `OSError`.
    """
    manifest, entries = newest_manifest(carrier.folder), carrier.control.newest_entries()
    if manifest is None:
        return
    for totals in manifest.bindings.values():
        entry = entries.get(totals.binding)
        if totals.cleared or totals.reads_again or entry is None or carrier.control.added(entry).spec.run != totals.run:
            continue
        spec = carrier.control.added(entry).spec
        if spec.beside:
            continue  # what the run beside which it reads keeps is that of their binding
        with suppress(NotRunnable):  # it failed because it cannot be planned, and keeps nothing
            point = point_of(binding_of(carrier, entry), totals, manifest.batch)
            keep_point(carrier.shared_of(spec.organisation), spec.binding, point)


def begun(
    carrier: CarrierFolder, binding: RunnableBinding, before: PriorBinding, fresh: Callable[[], CarriedBinding]
) -> tuple[CarriedBinding, str | None]:
    """A new generation of `binding` after what it was `before`, and what its user has to know of that.

    `fresh` gives one at the beginning of its inputs, once adapters find what they journaled. Raises `AdapterError`
    where rows are gone that the user asks to be read again, `OSError`.
    """
    spec, wanted = binding.added.spec, binding.added.spec.begin
    if wanted == "carried_over":
        wanted = None  # there is no state that could be carried over
    if wanted == "now" or isinstance(wanted, BeginAtTime | BeginAtPositions):
        if not any(point.run == spec.run for point in before.points):
            return _sought(carrier, binding, before, fresh, wanted)
        wanted = None  # it had begun there before its state was lost: it goes on from what it kept itself
    if not before.points:
        return _without_points(carrier, binding, before, fresh)
    planned = plan_beginning(before.points, binding.facts, wanted, before.why)
    carry_journals(carrier, before.journals, journals_of(carrier, spec), planned.kept)
    item = fresh()
    if before.ended and wanted is None and _finished(binding, planned.kept, before.positions):
        forget_points(carrier.shared_of(spec.organisation), spec.binding)
        return item, None
    gone = gone_input(binding, planned, carrier.settings.held_up_at_most_s)
    if gone is not None:
        if wanted is not None:
            raise AdapterError(GONE.format(name=gone))
        why = f"{before.why} {LEFT_BEHIND.format(name=gone)}"
        planned = plan_beginning(before.points, binding.facts, "old_positions", why)
    return written(carrier, binding, item, planned), planned.said.sentence


def _sought(
    carrier: CarrierFolder,
    binding: RunnableBinding,
    before: PriorBinding,
    fresh: Callable[[], CarriedBinding],
    place: SoughtBegin,
) -> tuple[CarriedBinding, str | None]:
    """A generation that begins at `place`, with nothing of what was kept but, for positions, the journals."""
    spec, facts, shared = binding.added.spec, binding.facts, carrier.shared_of(binding.added.spec.organisation)
    if isinstance(place, BeginAtPositions):
        named = before.points[0].inputs if before.points else {}
        same = [name for name, each in named.items() if facts.sources.get(name) == each.source]
        whole = list(spec.inputs) if before.shape == facts.shape else []
        carry_journals(carrier, before.journals, journals_of(carrier, spec), same or whole)
    lanes = begin_lanes(binding, place, before.tick, carrier.settings.read_deadline_s)
    said = said_of(binding, lanes, before.points, place, before.tick)
    item = fresh()
    shared.write(beginning_path(spec.binding, spec.run), said.model_dump_json().encode())
    forget_points(shared, spec.binding)
    return begun_binding(item.generation, lanes.positions), said.sentence


def written(
    carrier: CarrierFolder, binding: RunnableBinding, item: CarriedBinding, planned: PlannedBeginning
) -> CarriedBinding:
    """`item` as it was planned, with all written down that its batches look up."""
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
        each = {lane: said if same else said.model_copy(update={"clock": None}) for lane, said in kept.lanes.items()}
        lanes[name] = {lane: said.model_dump(mode="json") for lane, said in each.items()}
    shared.write(first_lanes_path(spec.binding, spec.run), json.dumps(lanes).encode())
    shared.write(beginning_path(spec.binding, spec.run), planned.said.model_dump_json().encode())
    merged = {
        name: {**first, **(positions.get(name, {}) if name in planned.kept else {})}
        for name, first in item.positions.items()
    }
    state = BindingState.BEGINNING if lanes else BindingState.WAITING
    return begun_binding(item.generation, merged, state, again=planned.again)


def _without_points(
    carrier: CarrierFolder, binding: RunnableBinding, before: PriorBinding, fresh: Callable[[], CarriedBinding]
) -> tuple[CarriedBinding, str | None]:
    """What was kept by a program that knew no restart points, or nothing at all."""
    spec = binding.added.spec
    if before.shape != binding.facts.shape or spec.begin == "beginning":
        return fresh(), None
    carry_journals(carrier, before.journals, journals_of(carrier, spec), list(spec.inputs))
    item = fresh()
    if before.ended and _finished(binding, tuple(spec.inputs), before.positions):
        return item, None
    lacking = {name: None for name, release in binding.facts.releases.items() if not release.forgets}
    said = RunBeginning(
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
    carrier.shared_of(spec.organisation).write(beginning_path(spec.binding, spec.run), said.model_dump_json().encode())
    return begun_binding(item.generation, before.positions), said.sentence


def _finished(binding: RunnableBinding, kept: Sequence[str], positions: LanePositions) -> bool:
    """Whether all inputs are the same and have come to their end there."""
    every = binding.adapters
    return len(kept) == len(every) and all(each.finished(positions.get(name, {})) for name, each in every.items())


def gone_input(binding: RunnableBinding, planned: PlannedBeginning, deadline_s: float) -> str | None:
    """The first input that has no longer what is to be read again."""
    point = planned.point
    for name, lanes in (planned.again or {}).items():
        adapter = binding.adapters[name]
        before = {} if point is None else point.positions.get(name, {})
        if not isinstance(adapter, ReplayingAdapter):
            continue
        holds = adapter.holds
        spans = [(lane, before.get(lane, 0), at) for lane, at in lanes.items()]
        if not asked_within(f"The input {name}", lambda: all(holds(*span) for span in spans), deadline_s):  # noqa: B023
            return name
    return None


def begun_anew(before: int, now: int) -> str:
    """Why what was kept in `before` buckets is nothing to a run that has `now`."""
    return BEGUN_ANEW.format(before=_buckets(before), now=_buckets(now))


def _buckets(number: int) -> str:
    return "one bucket" if number == 1 else counted(number, "bucket")


def first_positions(binding: RunnableBinding, deadline_s: float) -> LanePositions:
    """The beginnings of all lanes, as adapters name them within `deadline_s`. Raises `AdapterError`."""
    return {
        name: dict.fromkeys(asked_within(f"The input {name}", adapter.lanes, deadline_s), 0)
        for name, adapter in binding.adapters.items()
    }
