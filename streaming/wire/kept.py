"""What a binding keeps beside its state, so that a run whose state cannot go on may begin without losing a window.

While a run goes on, *restart points* are written: how far each lane had been read, how far its rows reach in time, its
clock, and the CTI of each output. `plan_beginning` chooses among them; planner and web application ask it alike.

    kept/<binding>/points/<batch>.json    a RestartPoint; about two for each power of two of batches that have passed
    kept/<binding>/begin/<run>.json       the RunBeginning of a run that has one
    kept/<binding>/begin/<run>.lanes.json what its lanes begin with: LaneKept by input and lane
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streaming.definition.counts import counted
from streaming.definition.graph import InputNode
from streaming.definition.release import Release, releases
from streaming.definition.strict import Strict
from streaming.temporal.events import Shape
from streaming.temporal.ticks import INFINITY, Tick, spell_instant
from streaming.wire.beginning import BeginAt, KeptBegin, RunBeginning, drops
from streaming.wire.lanes_kept import LaneKept, rows_between
from streaming.wire.messages import InputSpec, RunSpec
from streaming.wire.sealed import PLACEHOLDER, token_of

KEPT: Final = "kept"
"""The folder of an organisation in which each binding has one."""
Positions = dict[str, dict[str, int]]


class InputKept(Strict):
    """An input: digests of what its positions and its clocks mean something under, and its lanes.

    `thins`: rows that were read may be fewer when they are read again (`InputKind.thins`).
    """

    source: str
    clock: str
    lanes: dict[str, LaneKept]
    thins: bool = False


class OutputKept(Strict):
    """An output: its CTI (null: none yet), `until` when all had been given, and how it releases (`Release`).

    `hop` is that of its windows, null where they are not fixed.
    """

    cti: int | None
    until: int | None
    sameness: str
    forgets: bool
    hop: int | None


class RestartPoint(Strict):
    """A binding after `batch`. `shape` is the digest of query and inputs.

    `flushed`: its user had all windows closed then; the outputs are those of before.
    """

    batch: int
    run: str
    shape: str
    flushed: bool
    inputs: dict[str, InputKept]
    outputs: dict[str, OutputKept]

    @property
    def positions(self) -> Positions:
        """How far every lane had been read."""
        return {name: {lane: each.at for lane, each in kept.lanes.items()} for name, kept in self.inputs.items()}

    @property
    def reach(self) -> int | None:
        """When the last of all rows so far has ended; None where that is not known."""
        lanes = [lane for kept in self.inputs.values() for lane in kept.lanes.values() if lane.at > 0]
        if any(lane.reach is None for lane in lanes):
            return None
        return max((lane.reach for lane in lanes if lane.reach is not None), default=None)


@dataclass(frozen=True)
class BindingFacts:
    """What of a specification decides what may be kept: digests of it all and of each input, and its outputs."""

    shape: str
    named_shape: str
    sources: Mapping[str, str]
    clocks: Mapping[str, str]
    releases: Mapping[str, Release]

    def fits(self, shape: str) -> bool:
        """Whether what was kept under `shape` is its own; until 2026-11-23 that had the names in it."""
        return shape in (self.shape, self.named_shape)


@dataclass(frozen=True)
class PlannedBeginning:
    """Where a run begins: after `point` (None: at the beginning) on the inputs `kept`, and which rows count how.

    Up to `again`, where that is not None, it reads what was read before.
    """

    said: RunBeginning
    point: RestartPoint | None
    kept: tuple[str, ...]
    again: Positions | None


def points_path(binding: str) -> str:
    """The folder of the restart points of a binding, below that of its organisation."""
    return f"{KEPT}/{binding}/points"


def beginning_path(binding: str, run: str) -> str:
    """Where a run's beginning stands, below the folder of its organisation."""
    return f"{KEPT}/{binding}/begin/{run}.json"


def first_lanes_path(binding: str, run: str) -> str:
    """Where it stands what the lanes of a run that has a beginning begin with."""
    return f"{KEPT}/{binding}/begin/{run}.lanes.json"


def shape_of(spec: RunSpec) -> str:
    """A digest of what state and positions depend on: a binding continues only under the same one.

    What query and streams are called is not in it, only which inputs read the same stream.
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
    """The digest with the names of query and streams: of places where a run keeps what no other should find."""
    inputs: Mapping[str, InputSpec] = spec.inputs
    parts = [spec.query.model_dump_json(), *(f"{name}={inputs[name].model_dump_json()}" for name in sorted(inputs))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def journals_place(spec: RunSpec, name: str) -> str:
    """Where the adapters of a binding, called `name` there, journal below a carrier's folder; `spec` is concealed.

    One that is told where to begin, whatever was kept, finds nothing of what was journaled before.
    """
    anew = f"-{spec.run}" if drops(spec.begin) else ""
    return f"journals/{name}-{named_shape_of(spec)[:12]}{anew}"


def concealed_spec(spec: RunSpec) -> RunSpec:
    """`spec` with placeholders for secrets, as runners write it down: what is digested."""
    inputs = {}
    for name, each in spec.inputs.items():
        options = {key: PLACEHOLDER if token_of(value) else value for key, value in each.adapter.options.items()}
        inputs[name] = each.model_copy(update={"adapter": each.adapter.model_copy(update={"options": options})})
    return spec.model_copy(update={"inputs": inputs})


def facts_of(spec: RunSpec) -> BindingFacts:
    """The facts of a specification without secrets, whose graph was checked."""
    sources = {name: _digest([each.adapter.model_dump(mode="json"), each.stream.lanes]) for name, each in _inputs(spec)}
    clocks = {name: _clock_digest(each) for name, each in _inputs(spec)}
    edges = frozenset(name for name, each in _inputs(spec) if each.stream.shape is Shape.EDGE)
    nodes = [node.id for node in spec.query.nodes if isinstance(node, InputNode)]
    moving = {node: clocks.get(node, "") for node in nodes}
    return BindingFacts(shape_of(spec), named_shape_of(spec), sources, clocks, releases(spec.query, moving, edges))


def plan_beginning(
    points: Sequence[RestartPoint], facts: BindingFacts, wanted: KeptBegin | None, why: str | None
) -> PlannedBeginning:
    """How a run with `facts` begins after what `points` say, newest first and at least one, without their state.

    `wanted` None: at the oldest open window where its inputs are the same, else where it had read to. `why` is a
    sentence that says what became of the state; None: whoever asks says that, and of which time is what was open.
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
        if not (release.forgets and _alike(newest, name, release))  # else it has given all that was read
    }
    needed = {name: _oldest(newest, name, release) for name, release in waiting.items()}
    if not needed:
        return _begun(newest, newest, facts, kept, why)
    for point in points:
        sources = {name: each.source for name, each in point.inputs.items()}
        if all(sources.get(name) == facts.sources[name] for name in kept) and _whole_after(point, facts, needed):
            return _begun(point, newest, facts, kept, why)
    return _begun(None, newest, facts, kept, why)


def _at_old_positions(
    newest: RestartPoint, facts: BindingFacts, kept: tuple[str, ...], why: str | None
) -> PlannedBeginning:
    lacking = _lacking(newest, facts)
    opened = left_open(newest)
    went = "It goes on where it had read to"
    if opened is not None:
        went += f"; what was open then{_of_time(opened, why)} is left behind"
    lacks = incomplete_words(lacking) if lacking else None
    said = _said("old_positions", newest, [why, f"{went}.", lacks]).model_copy(update={"incomplete_before": lacking})
    return PlannedBeginning(said, newest, kept, None)


def _from_the_beginning(newest: RestartPoint, why: str | None) -> PlannedBeginning:
    opened = left_open(newest)
    words = [
        why,
        "It reads its inputs from the beginning; "
        "rows that were given before are given again where they are still there.",
    ]
    if opened is not None:
        words.append(f"What was open{_of_time(opened, why)} is left behind where the inputs have it no more.")
    return PlannedBeginning(_said("beginning", newest, words), None, (), None)


def _begun(
    point: RestartPoint | None, newest: RestartPoint, facts: BindingFacts, kept: tuple[str, ...], why: str | None
) -> PlannedBeginning:
    """After `point`, reading again what came between it and `newest`."""
    alike = tuple(name for name, release in facts.releases.items() if _alike(newest, name, release))
    until = {name: _given(newest, name) for name in facts.releases}
    again = newest.positions if point is not newest else None
    rows, at_most = _rows_between(point, newest, kept)
    opened = left_open(newest)
    words = [why]
    if again is None:
        words.append("It goes on where it had read to; nothing was open then, so that nothing is lost.")
    else:
        what = "" if opened is None else f"What was open{_of_time(opened, why)} is given whole: "
        where = "from the beginning of its inputs" if point is None else "from before that"
        many = f"{'at most ' if at_most else ''}{counted(rows, 'row')}"
        reads = f"{'it' if what else 'It'} reads again {where}, {many}"
        words.append(f"{what}{reads}, and gives nothing again that was given before.")
    known = {name: moment for name, moment in until.items() if moment is not None}
    marks: dict[str, Any] = {"until": known, "alike": list(alike)}
    if again is not None:
        marks |= {"rows_again": rows, "rows_at_most": at_most}
    said = _said("oldest_open", newest, words).model_copy(update=marks)
    return PlannedBeginning(said, point, kept, again)


def _said(how: BeginAt, newest: RestartPoint, words: Iterable[str | None]) -> RunBeginning:
    """As one that gives whole rows alone and reads nothing again."""
    opened = left_open(newest)
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


def _digest(said: object) -> str:
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _clock_digest(each: InputSpec) -> str:
    stream = each.stream
    said = stream.model_dump(mode="json", include={"shape", "event_time", "rowtime", "lanes"})
    return _digest([said, (each.advance or stream.advance).model_dump(mode="json")])


def _alike(newest: RestartPoint, name: str, release: Release) -> bool:
    known = newest.outputs.get(name)
    return known is not None and known.sameness == release.sameness and not newest.flushed


def _given(newest: RestartPoint, name: str) -> int | None:
    """Until when the run before had given all; for an output that it had not, until when all of its had."""
    known = newest.outputs.get(name)
    if known is not None:
        return known.until
    ends = [each.until for each in newest.outputs.values()]
    return None if None in ends else min((each for each in ends if each is not None), default=None)


def _oldest(newest: RestartPoint, name: str, release: Release) -> int | None:
    """The earliest start of a row that has yet to be given; None where nothing was given so far."""
    if _alike(newest, name, release):
        return newest.outputs[name].cti
    given = _given(newest, name)
    return None if given is None else release.oldest_after(given)


def _whole_after(point: RestartPoint, facts: BindingFacts, needed: Mapping[str, int | None]) -> bool:
    """Whether rows of every output that start at `needed` lack nothing if all is read that came after `point`."""
    if not any(lane.at for each in point.inputs.values() for lane in each.lanes.values()):
        return True
    for name, oldest in needed.items():
        gap = facts.releases[name].gap
        if point.reach is None or gap.whole is None or oldest is None or point.reach + gap.whole > oldest:
            return False
    return True


def _lacking(newest: RestartPoint, facts: BindingFacts) -> dict[str, int | None]:
    """By output, from when on its rows are whole if what came before `newest` is not read."""
    if not any(lane.at for each in newest.inputs.values() for lane in each.lanes.values()):
        return {}
    found: dict[str, int | None] = {}
    for name, release in facts.releases.items():
        if not release.forgets:
            found[name] = whole_from(newest, release)
    return found


def whole_from(point: RestartPoint, release: Release) -> int | None:
    """From when on rows of an output lack nothing if all is read that came after `point`; None: not known."""
    whole = release.gap.whole
    return None if point.reach is None or whole is None else min(point.reach + whole, INFINITY)


def left_open(newest: RestartPoint) -> tuple[int, int] | None:
    """The time of what was open; None where nothing was, or nothing of it can be said."""
    reach = newest.reach
    spans = []
    for each in newest.outputs.values():
        if each.forgets or each.cti is None or reach is None or each.cti >= reach:
            continue
        end = reach if each.hop is None or reach == INFINITY else each.cti - (each.cti - reach) // each.hop * each.hop
        spans.append((each.cti, end))
    return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else None


def open_windows(newest: RestartPoint) -> int | None:
    """How many windows may be open, each with all of its groups; None where windows are not fixed, or it is not known.

    Some of them may hold no row.
    """
    reach, found = newest.reach, 0
    for each in newest.outputs.values():
        if each.forgets:
            continue
        if each.hop is None or each.cti is None or reach in (None, INFINITY):
            return None
        found += max(0, -((each.cti - reach) // each.hop))
    return found


def _rows_between(point: RestartPoint | None, newest: RestartPoint, kept: Iterable[str]) -> tuple[int, bool]:
    """How many rows the inputs `kept` gave from `point` (None: from where they began) to `newest`.

    True: there may be fewer of them, because some are gone by now, or because only positions are known of a lane.
    """
    names = set(kept)
    first = {} if point is None else {name: each.lanes for name, each in point.inputs.items()}
    last = {name: each.lanes for name, each in newest.inputs.items() if name in names}
    rows, exact = rows_between(first, last)
    return rows, not exact or any(newest.inputs[name].thins for name in names)


def _of_time(opened: tuple[int, int], why: str | None) -> str:
    start, end = opened
    return "" if why is None else f", of the time {spell_instant(Tick(start))} to {spell_instant(Tick(end))},"


def incomplete_words(lacking: Mapping[str, int | None]) -> str:
    """From when on results are whole, as a sentence."""
    moments = list(lacking.values())
    known = [each for each in moments if each is not None]
    if len(known) < len(moments):
        return (
            "It cannot be told from when on results are whole, because what was read before may matter to any later "
            "row: every one is marked as incomplete."
        )
    whole = spell_instant(Tick(max(known)))
    return f"Results that start before {whole} are marked as incomplete; from then on they are whole."
