"""How a binding begins where its user says: from now, at a time, at positions; what the run before kept is left."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from streaming.adapters.contract import AdapterError, InputAdapter
from streaming.adapters.seeking import SeekingAdapter
from streaming.spark.adapter_queries import asked_within
from streaming.spark.binding import RunnableBinding
from streaming.spark.binding_life import LanePositions
from streaming.temporal.events import Shape
from streaming.temporal.ticks import INFINITY, Tick, spell_instant
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, RunBeginning, SoughtBegin
from streaming.wire.kept import BindingFacts, RestartPoint, incomplete_words, left_open

CANNOT = (
    "The input {name} cannot begin in the middle: nothing says which of its rows came before. Start the run from the "
    "beginning, or give this input another source."
)
NO_SUCH_INPUT = "There is no input {name} to begin at a position. Take it out; the inputs are {there}."


@dataclass(frozen=True)
class BegunBinding:
    """Where all lanes begin, and the inputs that pass over rows which they still have."""

    positions: LanePositions
    skipping: tuple[str, ...]


def begin_lanes(binding: RunnableBinding, place: SoughtBegin, tick: int, deadline_s: float) -> BegunBinding:
    """Where all lanes begin, as adapters find it at `tick`. Raises `AdapterError` where there is no such place."""
    _require_inputs(binding, place)
    every = {name: _seeking(name, adapter) for name, adapter in binding.adapters.items()}
    found = {
        name: asked_within(f"The input {name}", partial(each.begin_at, place, name, now=tick), deadline_s)
        for name, each in every.items()
    }
    return BegunBinding(
        {name: dict(lanes.positions) for name, lanes in found.items()},
        tuple(name for name, lanes in found.items() if lanes.skips),
    )


def said_of(
    binding: RunnableBinding, begun: BegunBinding, points: Sequence[RestartPoint], place: SoughtBegin, tick: int
) -> RunBeginning:
    """What is said of a run that is planned at `tick`, begins at `place`, and has the restart `points` of runs before.

    Rows that are passed over came before the place, or before now. It is taken that no event comes before it starts;
    where events may end after they came, it is not known which results those that are passed over belong to.
    """
    skipping = begun.skipping
    before = points[0] if points else None
    lasting = {name for name, each in binding.added.spec.inputs.items() if each.stream.shape is not Shape.POINT}
    came = place.at if isinstance(place, BeginAtTime) else tick
    ends = [] if lasting & set(skipping) else [came + 1]
    read = _reaches(points, binding.facts, begun.positions) if isinstance(place, BeginAtPositions) else ()
    reach = min([*ends, *read], default=None)
    lacking = _lacking(binding.facts, reach) if skipping else {}
    opened = None if before is None else left_open(before)
    sentences = [_place_words(place, tick, skipping)]
    if opened is not None:
        span = f"{spell_instant(Tick(opened[0]))} to {spell_instant(Tick(opened[1]))}"
        sentences.append(f"What was open, of the time {span}, is left behind.")
    if lacking:
        sentences.append(incomplete_words(lacking))
    return RunBeginning(
        how=place,
        after="" if before is None else before.run,
        incomplete_before=lacking,
        until={},
        alike=[],
        open_from=None if opened is None else opened[0],
        open_until=None if opened is None else opened[1],
        rows_again=0,
        sentence=" ".join(sentences),
    )


def _lacking(facts: BindingFacts, reach: int | None) -> dict[str, int | None]:
    """By output, from when on its rows lack nothing, where all that is not read has ended by `reach`."""
    found: dict[str, int | None] = {}
    for name, release in facts.releases.items():
        whole = release.gap.whole
        if not release.forgets:
            found[name] = None if reach is None or whole is None else min(reach + whole, INFINITY)
    return found


def _reaches(points: Sequence[RestartPoint], facts: BindingFacts, positions: LanePositions) -> Iterator[int]:
    """When all that lies before `positions` had ended at the latest, where it had been read up to one of `points`."""
    for point in points:
        same = all(name in point.inputs and point.inputs[name].source == facts.sources[name] for name in positions)
        read = same and all(
            lane in point.inputs[name].lanes and point.inputs[name].lanes[lane].at >= at
            for name, lanes in positions.items()
            for lane, at in lanes.items()
        )
        if read and point.reach is not None:
            yield point.reach


def _place_words(place: SoughtBegin, tick: int, skipping: tuple[str, ...]) -> str:
    again = "Rows that were given before are given again where it reads their inputs again."
    if isinstance(place, BeginAtTime):
        return f"It reads what came at {spell_instant(Tick(place.at))} or later. {again}"
    if isinstance(place, BeginAtPositions):
        return f"It reads from the positions that were chosen. {again}"
    passed = "; what had come before is not read" if skipping else ""
    return f"It reads what comes after {spell_instant(Tick(tick))}{passed}."


def _require_inputs(binding: RunnableBinding, place: SoughtBegin) -> None:
    if not isinstance(place, BeginAtPositions):
        return
    for name in place.positions:
        if name not in binding.adapters:
            raise AdapterError(NO_SUCH_INPUT.format(name=name, there=", ".join(binding.adapters)))


def _seeking(name: str, adapter: InputAdapter) -> SeekingAdapter:
    if not isinstance(adapter, SeekingAdapter):
        raise AdapterError(CANNOT.format(name=name))
    return adapter
