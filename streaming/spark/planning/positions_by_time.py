"""Start positions that a user sets: now, a time, or positions. The state of the previous run is not used."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from streaming.adapters.contract import AdapterError, InputAdapter
from streaming.adapters.seeking import SeekingAdapter
from streaming.resume.restart_points import BindingFacts, RestartPoint, incomplete_words, left_behind
from streaming.spark.planning.adapter_queries import answer_within
from streaming.spark.query.binding import RunnableBinding
from streaming.spark.query.binding_life import LanePositions
from streaming.temporal.events import Shape
from streaming.temporal.ticks import INFINITY, Tick, spell_instant
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, RunBeginning, SoughtBegin

CANNOT = (
    "The input {name} can't start in the middle, because its source does not record when rows arrived. Start the run "
    "from the beginning, or use another source for this input."
)
NO_SUCH_INPUT = "There is no input {name}, so it can't have a start position. Remove it; the inputs are {there}."


@dataclass(frozen=True)
class StartPositions:
    """The start positions of all lanes, and the inputs that skip rows which they still have."""

    positions: LanePositions
    skipping: tuple[str, ...]


def begin_lanes(binding: RunnableBinding, place: SoughtBegin, tick: int, deadline_s: float) -> StartPositions:
    """Return the start of all lanes, as adapters resolve it at `tick`. Raises `AdapterError` if it does not exist."""
    _require_inputs(binding, place)
    every = {name: _seeking(name, adapter) for name, adapter in binding.adapters.items()}
    found = {
        name: answer_within(f"The input {name}", partial(each.begin_at, place, name, now=tick), deadline_s)
        for name, each in every.items()
    }
    return StartPositions(
        {name: dict(lanes.positions) for name, lanes in found.items()},
        tuple(name for name, lanes in found.items() if lanes.skips),
    )


def describe_beginning(
    binding: RunnableBinding, begun: StartPositions, points: Sequence[RestartPoint], place: SoughtBegin, tick: int
) -> RunBeginning:
    """Return the description of a start at `place`, planned at `tick`, with the restart `points` of previous runs.

    Skipped rows arrived before the place, or before now. It is assumed that no event arrives before it starts. If
    events may end after they arrive, the results to which skipped rows belong are not known.
    """
    skipping = begun.skipping
    before = points[0] if points else None
    lasting = {name for name, each in binding.added.spec.inputs.items() if each.stream.shape is not Shape.POINT}
    came = place.at if isinstance(place, BeginAtTime) else tick
    ends = [] if lasting & set(skipping) else [came + 1]
    read = _reaches(points, binding.facts, begun.positions) if isinstance(place, BeginAtPositions) else ()
    reach = min([*ends, *read], default=None)
    lacking = _lacking(binding.facts, reach) if skipping else {}
    opened = None if before is None else left_behind(before)
    sentences = [_place_words(place, tick, skipping)]
    if opened is not None:
        span = f"{spell_instant(Tick(opened[0]))} to {spell_instant(Tick(opened[1]))}"
        sentences.append(f"Windows and joins that were open, from {span}, are left behind.")
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
    """Return by output the time from which its rows are complete, if all skipped rows have ended by `reach`."""
    found: dict[str, int | None] = {}
    for name, release in facts.releases.items():
        whole = release.gap.whole
        if not release.forgets:
            found[name] = None if reach is None or whole is None else min(reach + whole, INFINITY)
    return found


def _reaches(points: Sequence[RestartPoint], facts: BindingFacts, positions: LanePositions) -> Iterator[int]:
    """Yield the latest end of all rows before `positions`, for each of `points` that had read that far."""
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
    again = "Results are repeated where rows are read again."
    if isinstance(place, BeginAtTime):
        return f"Reads rows that arrived at {spell_instant(Tick(place.at))} or later. {again}"
    if isinstance(place, BeginAtPositions):
        return f"Reads from the chosen positions. {again}"
    passed = "; earlier rows are not read" if skipping else ""
    return f"Reads rows that arrive after {spell_instant(Tick(tick))}{passed}."


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
