"""What the inputs of a binding hold now, where its last run had read to, and where it may be told to begin."""

from collections.abc import Mapping
from typing import Final

from django.utils import timezone

from streaming.adapters.seeking import way_of
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.strict import Strict
from streaming.wire.beginning import BeginAt, BeginAtPositions, BeginAtTime, sought
from streaming.wire.kept import RestartPoint, concealed_spec, facts_of
from streaming.wire.messages import InputSpec, RunSpec
from webapp.accounts.previews import previewing
from webapp.core.context import current_organisation
from webapp.core.errors import Faulty, TooMuchWork, fault
from webapp.core.server_paths import without_server_paths
from webapp.runs.access import latest_run
from webapp.runs.held_inputs import InputHeldShown, LaneHeldShown, input_held
from webapp.runs.models import Binding
from webapp.runs.next_start import restart_points, spec_of_start
from webapp.runs.starting import ticks_of

_ANOTHER: Final = "Start the run from the beginning, or give this input another source."
_MEND: Final = "Mend what the input points at, and try again."
_OTHERWISE: Final = "Begin in another way, or give this input another source."
NO_PLACE: Final = "This input cannot begin in the middle: nothing says which of its rows came before."


class TimelineShown(Strict):
    """What the inputs of a binding hold at `at`, in ticks; `stopped_at`: when its last run ended, null without one."""

    at: int
    stopped_at: int | None
    inputs: list[InputHeldShown]


def timeline(binding: Binding, since: int | None, only: str | None = None) -> TimelineShown:
    """Return the timeline of `binding`, or of its input `only`, with what came at `since` (ticks) or later.

    Raises `OverQuota`, `Busy`, `TooMuchWork`, and `Faulty` for an input that there is not.
    """
    now, last = timezone.now(), latest_run(binding)
    spec = spec_of_start(binding)
    if only is not None and only not in spec.inputs:
        there = f"Take one of {', '.join(sorted(spec.inputs))}."
        raise Faulty([fault(FaultCode.BAD_SHAPE, f"The binding has no input {only}.", there)])
    names = sorted(spec.inputs) if only is None else [only]
    with previewing():
        inputs = [_asked(name, spec.inputs[name], since, ticks_of(now)) for name in names]
    points = restart_points(binding)
    if points:
        inputs = [_stood(each, spec, points[0]) for each in inputs]
    ended = None if last is None or last.ended_at is None else ticks_of(last.ended_at)
    return TimelineShown(at=ticks_of(now), stopped_at=ended, inputs=inputs)


def place_faults(binding: Binding, begin: BeginAt | None) -> list[Fault]:
    """Return why a run of `binding` cannot begin at `begin`; nothing of what no adapter has to seek."""
    place = sought(begin)
    if place is None:
        return []
    now = ticks_of(timezone.now())
    if isinstance(place, BeginAtTime) and place.at > now:
        remedy = "Begin now, or choose a time that has come."
        return [_fault(None, "That time has not come yet.", remedy)]
    shown = timeline(binding, None).inputs
    if isinstance(place, BeginAtPositions) and (unknown := sorted(place.positions.keys() - {i.input for i in shown})):
        remedy = f"Take it out; the inputs are {', '.join(each.input for each in shown)}."
        return [_fault(None, f"There is no input {name} to begin at a position.", remedy) for name in unknown]
    found = [_fault(each.input, NO_PLACE, _ANOTHER) for each in shown if not each.seeks]
    found += [_fault(each.input, each.failure, _MEND) for each in shown if each.seeks and each.failure]
    way = way_of(place)
    found += [_fault(each.input, each.refused[way], _OTHERWISE) for each in shown if way in each.refused]
    if isinstance(place, BeginAtPositions):
        for each in shown:
            found += _misplaced(each, place.positions.get(each.input, {}))
    return found


def _asked(name: str, of: InputSpec, since: int | None, now: int) -> InputHeldShown:
    try:
        found = input_held(name, of, since, now)
    except TooMuchWork as refused:
        return InputHeldShown(input=name, seeks=True, time_means=None, failure=refused.message, lanes=[], refused={})
    if found.failure is None:
        return found
    return found.model_copy(update={"failure": without_server_paths(found.failure, current_organisation())})


def _stood(held: InputHeldShown, spec: RunSpec, point: RestartPoint) -> InputHeldShown:
    """`held` with where the last run had read to, if that was the same source."""
    kept = point.inputs.get(held.input)
    if kept is None or facts_of(concealed_spec(spec)).sources.get(held.input) != kept.source:
        return held
    there = {each.lane: each for each in held.lanes} or {lane: LaneHeldShown(lane=lane) for lane in kept.lanes}
    lanes = [
        each.model_copy(update={"stopped": kept.lanes[lane].at, "reach": kept.lanes[lane].reach})
        if lane in kept.lanes
        else each
        for lane, each in there.items()
    ]
    return held.model_copy(update={"lanes": lanes})


def _misplaced(held: InputHeldShown, wanted: Mapping[str, int]) -> list[Fault]:
    lanes = {each.lane: each for each in held.lanes}
    found = []
    for lane, at in wanted.items():
        if lane not in lanes:
            found.append(_fault(held.input, f"It has no lane {lane}.", f"It has {', '.join(lanes) or 'none'}."))
            continue
        first, end = lanes[lane].earliest or 0, lanes[lane].end
        last = (lanes[lane].stopped or 0) if end is None else end
        if not first <= at <= last:
            message = f"Lane {lane} can begin at {first} to {last}, not at {at}."
            found.append(_fault(held.input, message, "Choose a position between these."))
    return found


def _fault(node: str | None, message: str, remedy: str) -> Fault:
    shown = without_server_paths(message, current_organisation())
    return fault(FaultCode.BAD_ADAPTER, shown, remedy, node=node, field="begin")
