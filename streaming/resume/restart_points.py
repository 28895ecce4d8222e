"""Restart points: stored next to a binding's state, so that a run that can't reuse the state loses no window.

During a run, *restart points* are written: for each lane its read position, the end of its last event and its clock,
for each output its CTI. `plan_beginning` chooses among them, for the planner and for the web application.

    kept/<binding>/points/<batch>.json    a RestartPoint; about two for each power of two of batches that have passed
    kept/<binding>/begin/<run>.json       the RunBeginning, if the run has one
    kept/<binding>/begin/<run>.lanes.json the initial LaneStates of that run, by input and lane
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streaming.definition.counts import counted
from streaming.definition.graph import InputNode
from streaming.definition.release import Release, releases
from streaming.resume.lane_positions import LaneState, rows_between
from streaming.temporal.events import Shape
from streaming.temporal.ticks import INFINITY, Tick, spell_instant
from streaming.wire.beginning import BeginAt, KeptBegin, RunBeginning, drops
from streaming.wire.message import Message
from streaming.wire.messages import InputSpec, RunSpec
from streaming.wire.sealed import PLACEHOLDER, token_of

KEPT: Final = "kept"
"""The folder of an organisation with one subfolder for each binding."""
Positions = dict[str, dict[str, int]]


class InputState(Message):
    """An input and its lanes; its positions are valid for the digest `source`, its clocks for the digest `clock`.

    `thins`: rereading may yield fewer rows (`InputKind.thins`).
    """

    source: str
    clock: str
    lanes: dict[str, LaneState]
    thins: bool = False


class OutputState(Message):
    """An output: its CTI (null: none yet), the time `until` which all rows had been emitted, and its `Release`.

    `hop` is that of its windows, null where they aren't fixed.
    """

    cti: int | None
    until: int | None
    sameness: str
    forgets: bool
    hop: int | None


class RestartPoint(Message):
    """The state of a binding after `batch`. `shape` is the digest of query and inputs.

    `flushed`: the user then closed all windows; the outputs are those before the flush.
    """

    batch: int
    run: str
    shape: str
    flushed: bool
    inputs: dict[str, InputState]
    outputs: dict[str, OutputState]

    @property
    def positions(self) -> Positions:
        """The read position of every lane."""
        return {name: {lane: each.at for lane, each in kept.lanes.items()} for name, kept in self.inputs.items()}

    @property
    def reach(self) -> int | None:
        """The end of the last row so far; None where unknown."""
        lanes = [lane for kept in self.inputs.values() for lane in kept.lanes.values() if lane.at > 0]
        if any(lane.reach is None for lane in lanes):
            return None
        return max((lane.reach for lane in lanes if lane.reach is not None), default=None)


@dataclass(frozen=True)
class BindingFacts:
    """The parts of a specification that decide which state is reusable: its digest, those of inputs, its outputs."""

    shape: str
    named_shape: str
    sources: Mapping[str, str]
    clocks: Mapping[str, str]
    releases: Mapping[str, Release]

    def fits(self, shape: str) -> bool:
        """Return whether state stored under `shape` is its own; until 2026-11-23 the digest included names."""
        return shape in (self.shape, self.named_shape)


@dataclass(frozen=True)
class PlannedBeginning:
    """The start of a run: after `point` (None: from the first row) on the inputs `kept`, with its record `beginning`.

    Up to the positions `again`, if not None, it rereads rows.
    """

    beginning: RunBeginning
    point: RestartPoint | None
    kept: tuple[str, ...]
    again: Positions | None


def points_path(binding: str) -> str:
    """Return the folder of the restart points of a binding, relative to that of its organisation."""
    return f"{KEPT}/{binding}/points"


def beginning_path(binding: str, run: str) -> str:
    """Return the path of a run's RunBeginning, relative to the folder of its organisation."""
    return f"{KEPT}/{binding}/begin/{run}.json"


def first_lanes_path(binding: str, run: str) -> str:
    """Return the path of the initial lanes of a run with a RunBeginning."""
    return f"{KEPT}/{binding}/begin/{run}.lanes.json"


def shape_of(spec: RunSpec) -> str:
    """Return a digest of everything that state and positions depend on: a binding continues only with the same one.

    It contains no names of query and streams, only which inputs read the same stream.
    """
    streams: dict[str, int] = {}
    nodes = [
        node.model_copy(update={"stream": f"s{streams.setdefault(node.stream, len(streams))}"})
        if isinstance(node, InputNode)
        else node
        for node in spec.query.nodes
    ]
    return named_shape_of(spec.model_copy(update={"query": spec.query.model_copy(update={"name": "", "nodes": nodes})}))


def named_shape_of(spec: RunSpec) -> str:
    """Return the digest with the names of query and streams: for paths that no other run should find."""
    inputs: Mapping[str, InputSpec] = spec.inputs
    parts = [spec.query.model_dump_json(), *(f"{name}={inputs[name].model_dump_json()}" for name in sorted(inputs))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def journals_place(spec: RunSpec, name: str) -> str:
    """Return the folder, inside a carrier's, for journals of the adapters of a binding with the name `name` there.

    `spec` is concealed. A run that starts without saved state gets a new folder, so it doesn't read earlier journals.
    """
    suffix = f"-{spec.run}" if drops(spec.begin) else ""
    return f"journals/{name}-{named_shape_of(spec)[:12]}{suffix}"


def concealed_spec(spec: RunSpec) -> RunSpec:
    """Return `spec` with placeholders for secrets, the form that runners store and that digests use."""
    inputs = {}
    for name, each in spec.inputs.items():
        options = {key: PLACEHOLDER if token_of(value) else value for key, value in each.adapter.options.items()}
        inputs[name] = each.model_copy(update={"adapter": each.adapter.model_copy(update={"options": options})})
    return spec.model_copy(update={"inputs": inputs})


def facts_of(spec: RunSpec) -> BindingFacts:
    """Return the facts of a specification without secrets and with a valid graph."""
    sources = {name: _digest(each.source) for name, each in _inputs(spec)}
    clocks = {name: _clock_digest(each) for name, each in _inputs(spec)}
    edges = frozenset(name for name, each in _inputs(spec) if each.stream.shape is Shape.EDGE)
    nodes = [node.id for node in spec.query.nodes if isinstance(node, InputNode)]
    moving = {node: clocks.get(node, "") for node in nodes}
    return BindingFacts(shape_of(spec), named_shape_of(spec), sources, clocks, releases(spec.query, moving, edges))


def plan_beginning(
    points: Sequence[RestartPoint], facts: BindingFacts, wanted: KeptBegin | None, why: str | None
) -> PlannedBeginning:
    """Plan the start of a run with `facts` without state, by `points`: newest first, at least one.

    `wanted` None: at the oldest open window if the inputs are unchanged, else where the previous run stopped reading.
    `why` is a sentence about the lost state; None if the caller shows that and the time span of open windows itself.
    """
    newest = points[0]
    kept = tuple(name for name, each in newest.inputs.items() if facts.sources.get(name) == each.source)
    if wanted == "beginning" or not kept:
        return _from_the_beginning(newest, why)
    whole = set(kept) == set(facts.sources)
    if whole and wanted != "old_positions":
        return _read_again(points, facts, kept, why)
    return _at_old_positions(newest, facts, kept, why)


def _read_again(
    points: Sequence[RestartPoint], facts: BindingFacts, kept: tuple[str, ...], why: str | None
) -> PlannedBeginning:
    newest = points[0]
    waiting = {
        name: release
        for name, release in facts.releases.items()
        if not (release.forgets and _alike(newest, name, release))  # else it has emitted all rows that were read
    }
    needed = {name: _oldest(newest, name, release) for name, release in waiting.items()}
    if not needed:
        return _plan_rereading(newest, newest, facts, kept, why)
    for point in points:
        sources = {name: each.source for name, each in point.inputs.items()}
        if all(sources.get(name) == facts.sources[name] for name in kept) and _whole_after(point, facts, needed):
            return _plan_rereading(point, newest, facts, kept, why)
    return _plan_rereading(None, newest, facts, kept, why)


def _at_old_positions(
    newest: RestartPoint, facts: BindingFacts, kept: tuple[str, ...], why: str | None
) -> PlannedBeginning:
    lacking = _lacking(newest, facts)
    opened = left_behind(newest)
    words = [why, "Resumes where the last run stopped reading."]
    if opened is not None:
        words.append(f"The content of windows that were open then{_of_time(opened, why)} is lost.")
    if lacking:
        words.append(incomplete_words(lacking))
    beginning = _make_beginning("old_positions", newest, words).model_copy(update={"incomplete_before": lacking})
    return PlannedBeginning(beginning, newest, kept, None)


def _from_the_beginning(newest: RestartPoint, why: str | None) -> PlannedBeginning:
    opened = left_behind(newest)
    words = [
        why,
        "Reads its inputs from the start; earlier results are emitted again if their rows are still available.",
    ]
    if opened is not None:
        words.append(f"Open windows{_of_time(opened, why)} lose rows that the inputs no longer have.")
    return PlannedBeginning(_make_beginning("beginning", newest, words), None, (), None)


def _plan_rereading(
    point: RestartPoint | None, newest: RestartPoint, facts: BindingFacts, kept: tuple[str, ...], why: str | None
) -> PlannedBeginning:
    """Start after `point` and reread the rows between it and `newest`."""
    alike = tuple(name for name, release in facts.releases.items() if _alike(newest, name, release))
    until = {name: _emitted_until(newest, name) for name in facts.releases}
    again = newest.positions if point is not newest else None
    rows, at_most = _rows_between(point, newest, kept)
    opened = left_open(newest)
    words = [why]
    if again is None:
        words.append("Resumes where the last run stopped reading. No window was open, so nothing is lost.")
    else:
        if opened is not None:
            words.append(f"Windows that were open{_of_time(opened, why)} will be complete.")
        where = "from the start of its inputs" if point is None else "from an earlier position"
        many = f"{'at most ' if at_most else ''}{counted(rows, 'row')}"
        words.append(f"Reads {many} again, {where}, and repeats no result.")
    known = {name: moment for name, moment in until.items() if moment is not None}
    marks: dict[str, Any] = {"until": known, "alike": list(alike)}
    if again is not None:
        marks |= {"rows_again": rows, "rows_at_most": at_most}
    beginning = _make_beginning("oldest_open", newest, words).model_copy(update=marks)
    return PlannedBeginning(beginning, point, kept, again)


def _make_beginning(how: BeginAt, newest: RestartPoint, words: Iterable[str | None]) -> RunBeginning:
    """Return a RunBeginning without incomplete rows and without rereading."""
    opened = left_open(newest) if how == "oldest_open" else left_behind(newest)
    return RunBeginning(
        how=how,
        after=newest.run,
        incomplete_before={},
        until={},
        alike=[],
        open_from=None if opened is None else opened[0],
        open_until=None if opened is None else opened[1],
        rows_again=0,
        sentence=" ".join(each for each in words if each),
    )


def _inputs(spec: RunSpec) -> list[tuple[str, InputSpec]]:
    return sorted(spec.inputs.items())


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _clock_digest(each: InputSpec) -> str:
    stream = each.stream
    settings = stream.model_dump(mode="json", include={"shape", "event_time", "rowtime", "lanes"})
    return _digest([settings, (each.advance or stream.advance).model_dump(mode="json")])


def _alike(newest: RestartPoint, name: str, release: Release) -> bool:
    known = newest.outputs.get(name)
    return known is not None and known.sameness == release.sameness and not newest.flushed


def _emitted_until(newest: RestartPoint, name: str) -> int | None:
    """Return the time until which the previous run had emitted all rows; for a new output, the minimum of others."""
    known = newest.outputs.get(name)
    if known is not None:
        return known.until
    ends = [each.until for each in newest.outputs.values()]
    return None if None in ends else min((each for each in ends if each is not None), default=None)


def _oldest(newest: RestartPoint, name: str, release: Release) -> int | None:
    """Return the earliest start of a row that isn't emitted yet; None where nothing was emitted so far."""
    if _alike(newest, name, release):
        return newest.outputs[name].cti
    until = _emitted_until(newest, name)
    return None if until is None else release.oldest_after(until)


def _whole_after(point: RestartPoint, facts: BindingFacts, needed: Mapping[str, int | None]) -> bool:
    """Return whether rows of every output that start at `needed` are complete when reading starts after `point`."""
    if not any(lane.at for each in point.inputs.values() for lane in each.lanes.values()):
        return True
    for name, oldest in needed.items():
        gap = facts.releases[name].gap
        if point.reach is None or gap.whole is None or oldest is None or point.reach + gap.whole > oldest:
            return False
    return True


def _lacking(newest: RestartPoint, facts: BindingFacts) -> dict[str, int | None]:
    """Return by output the time from which its rows are complete if rows before `newest` aren't read."""
    if not any(lane.at for each in newest.inputs.values() for lane in each.lanes.values()):
        return {}
    return {name: whole_from(newest, each) for name, each in facts.releases.items() if not each.forgets}


def whole_from(point: RestartPoint, release: Release) -> int | None:
    """Return the time from which rows of an output are complete when reading starts after `point`; None: unknown."""
    whole = release.gap.whole
    return None if point.reach is None or whole is None else min(point.reach + whole, INFINITY)


def left_open(newest: RestartPoint) -> tuple[int, int] | None:
    """Return the time span of open windows; None where no window was open, or it is unknown."""
    reach = newest.reach
    spans = []
    for each in newest.outputs.values():
        if each.forgets or each.cti is None or reach is None or each.cti >= reach:
            continue
        end = reach if each.hop is None or reach == INFINITY else each.cti - (each.cti - reach) // each.hop * each.hop
        spans.append((each.cti, end))
    return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else None


def left_behind(newest: RestartPoint) -> tuple[int, int] | None:
    """Return the time span that a run without rereading loses: None where all windows were closed and emitted."""
    return None if newest.flushed else left_open(newest)


def open_windows(newest: RestartPoint) -> int | None:
    """Return how many windows may be open, each with all its groups; None where windows aren't fixed, or if unknown.

    Some of them may be empty.
    """
    reach, count = newest.reach, 0
    for each in newest.outputs.values():
        if each.forgets:
            continue
        if each.hop is None or each.cti is None or reach in (None, INFINITY):
            return None
        count += max(0, -((each.cti - reach) // each.hop))
    return count


def _rows_between(point: RestartPoint | None, newest: RestartPoint, kept: Iterable[str]) -> tuple[int, bool]:
    """Return how many rows the inputs `kept` yielded from `point` (None: from their first row) to `newest`.

    The flag is True if there may be fewer: some are deleted by now, or only positions of a lane are known.
    """
    names = set(kept)
    first = {} if point is None else {name: each.lanes for name, each in point.inputs.items()}
    last = {name: each.lanes for name, each in newest.inputs.items() if name in names}
    rows, exact = rows_between(first, last)
    return rows, not exact or any(newest.inputs[name].thins for name in names)


def _of_time(opened: tuple[int, int], why: str | None) -> str:
    start, end = opened
    return "" if why is None else f" ({spell_instant(Tick(start))} to {spell_instant(Tick(end))})"


def incomplete_words(lacking: Mapping[str, int | None]) -> str:
    """Return a sentence about the time from which results are complete."""
    if None in lacking.values():
        return "Any later result may depend on rows that were read before, so every result is marked as incomplete."
    whole = spell_instant(Tick(max(each for each in lacking.values() if each is not None)))
    return f"Results that start before {whole} are marked as incomplete; later results are complete."
