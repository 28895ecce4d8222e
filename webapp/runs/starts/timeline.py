"""The present content of a binding's inputs, its last run's read position, and the possible start positions."""

from collections.abc import Mapping
from typing import Final

from django.utils import timezone

from streaming.adapters.seeking import way_of
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.strict import Strict
from streaming.resume.restart_points import RestartPoint, concealed_spec, facts_of
from streaming.wire.beginning import BeginAt, BeginAtPositions, BeginAtTime, SoughtBegin, sought
from streaming.wire.messages import InputSpec, RunSpec
from webapp.accounts.limits.previews import previewing
from webapp.core.context import current_organisation
from webapp.core.errors import Faulty, TooMuchWork, fault
from webapp.core.server_paths import without_server_paths
from webapp.queries.models import QueryVersion
from webapp.runs.access import latest_run
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Binding
from webapp.runs.starts.asked_inputs import REFUSES_TICKS, UnknownInputs, gone_faults, known_answers, note_answer
from webapp.runs.starts.held_inputs import (
    InputHoldings,
    LaneHoldings,
    RowsAgainQuery,
    RowsAgainResponse,
    input_held,
)
from webapp.runs.starts.next_start import NO_VERSION, restart_points, spec_of_start, spec_of_version
from webapp.runs.starts.rows_again import rows_again

_ANOTHER: Final = "Start the run from the beginning, or give this input another source."
_MEND: Final = "Fix the source of this input, then try again."
_OTHERWISE: Final = "Choose another start position, or give this input another source."
NO_PLACE: Final = (
    "This input can't start in the middle: it has no positions that separate earlier rows from later ones."
)


class TimelineResponse(Strict):
    """The content of a binding's inputs at `at`, in ticks; `stopped_at`: when its last run ended, null without one."""

    at: int
    stopped_at: int | None
    inputs: list[InputHoldings]


def timeline(
    binding: Binding, since: int | None, only: str | None = None, version: QueryVersion | None = None
) -> TimelineResponse:
    """Return the timeline of `binding`, or of its input `only`, with the rows that arrived at `since` (ticks) or later.

    `version`: as if the binding had it. Raises `OverQuota`, `Busy`, `TooMuchWork`, and `Faulty` for an unknown input,
    or for a version whose inputs have no streams yet.
    """
    now, last = timezone.now(), latest_run(binding)
    spec = spec_of_version(binding, version)
    if spec is None:
        raise Faulty([fault(FaultCode.BAD_SHAPE, NO_VERSION, "Give the binding that version first.")])
    if only is not None and only not in spec.inputs:
        there = f"Use one of {', '.join(sorted(spec.inputs))}."
        raise Faulty([fault(FaultCode.BAD_SHAPE, f"The binding has no input {only}.", there)])
    names = sorted(spec.inputs) if only is None else [only]
    with previewing():
        again = rows_again(binding, spec)
        inputs = [_query_input(name, spec.inputs[name], since, again.get(name)) for name in names]
    for each in inputs:
        note_answer(spec, each, ticks_of(timezone.now()))
    inputs = _with_positions(binding, spec, inputs)
    ended = None if last is None or last.ended_at is None else ticks_of(last.ended_at)
    return TimelineResponse(at=ticks_of(now), stopped_at=ended, inputs=inputs)


def place_faults(binding: Binding, begin: BeginAt | None) -> list[Fault]:
    """Return why a run of `binding` can't begin at `begin`, if that is a chosen place or makes it read rows again.

    No input is queried here, because any may take its time; the answers kept by `timeline` count. Raises
    `UnknownInputs`
    if an answer is missing, or is old and would refuse.
    """
    if begin == "oldest_open":
        return gone_faults(spec_of_start(binding))
    place = sought(begin)
    if place is None:
        return []
    now = ticks_of(timezone.now())
    if isinstance(place, BeginAtTime) and place.at > now:
        remedy = "Start now, or choose a time in the past."
        return [_fault(None, "That time is in the future.", remedy)]
    spec = spec_of_start(binding)
    if isinstance(place, BeginAtPositions) and (unknown := sorted(place.positions.keys() - spec.inputs.keys())):
        remedy = f"Remove it; the inputs are {', '.join(sorted(spec.inputs))}."
        return [_fault(None, f"The binding has no input {name}.", remedy) for name in unknown]
    answers = known_answers(spec)
    held = _with_positions(binding, spec, [each.held for each in answers.values()])
    found = {each.input: _place_faults_of(each, place) for each in held}
    unasked = [
        name
        for name in sorted(spec.inputs)
        if name not in answers or (found[name] and now - answers[name].at > REFUSES_TICKS)
    ]
    if unasked:
        raise UnknownInputs(unasked)
    return [each for name in sorted(found) for each in found[name]]


def _place_faults_of(held: InputHoldings, place: SoughtBegin) -> list[Fault]:
    """Return why an input with the content `held` can't begin at `place`."""
    if not held.seeks:
        return [_fault(held.input, NO_PLACE, _ANOTHER)]
    if held.failure:
        return [_fault(held.input, held.failure, _MEND)]
    refusal = held.refused.get(way_of(place))
    if refusal is not None:
        return [_fault(held.input, refusal, _OTHERWISE)]
    return _misplaced(held, place.positions.get(held.input, {})) if isinstance(place, BeginAtPositions) else []


def _query_input(name: str, of: InputSpec, since: int | None, again: RowsAgainQuery | None) -> InputHoldings:
    try:
        found = input_held(name, of, since, ticks_of(timezone.now()), again)
    except TooMuchWork as refused:
        unknown = None if again is None else RowsAgainResponse.unknown(refused.message)
        why = refused.message
        return InputHoldings(input=name, seeks=True, time_means=None, failure=why, lanes=[], refused={}, again=unknown)
    mine = current_organisation()
    failure = None if found.failure is None else without_server_paths(found.failure, mine)
    if found.again is not None:
        sentence = without_server_paths(found.again.sentence, mine)
        found = found.model_copy(update={"again": found.again.model_copy(update={"sentence": sentence})})
    return found.model_copy(update={"failure": failure})


def _with_positions(binding: Binding, spec: RunSpec, inputs: list[InputHoldings]) -> list[InputHoldings]:
    """Return `inputs` with the last run's read positions."""
    points = restart_points(binding)
    return [_with_position(each, spec, points[0]) for each in inputs] if points else inputs


def _with_position(held: InputHoldings, spec: RunSpec, point: RestartPoint) -> InputHoldings:
    """Return `held` with the last run's read position, if that run read the same source."""
    kept = point.inputs.get(held.input)
    if kept is None or facts_of(concealed_spec(spec)).sources.get(held.input) != kept.source:
        return held
    there = {each.lane: each for each in held.lanes} or {lane: LaneHoldings(lane=lane) for lane in kept.lanes}
    lanes = [
        each.model_copy(update={"stopped": kept.lanes[lane].at, "reach": kept.lanes[lane].reach})
        if lane in kept.lanes
        else each
        for lane, each in there.items()
    ]
    return held.model_copy(update={"lanes": lanes})


def _misplaced(held: InputHoldings, wanted: Mapping[str, int]) -> list[Fault]:
    lanes = {each.lane: each for each in held.lanes}
    found = []
    for lane, at in wanted.items():
        if lane not in lanes:
            found.append(_fault(held.input, f"It has no lane {lane}.", f"Its lanes are: {', '.join(lanes) or 'none'}."))
            continue
        first, end = lanes[lane].earliest or 0, lanes[lane].end
        last = (lanes[lane].stopped or 0) if end is None else end
        if not first <= at <= last:
            message = f"Lane {lane} can start at {first} to {last}, not at {at}."
            found.append(_fault(held.input, message, "Choose a position between these."))
    return found


def _fault(node: str | None, message: str, remedy: str) -> Fault:
    shown = without_server_paths(message, current_organisation())
    return fault(FaultCode.BAD_ADAPTER, shown, remedy, node=node, field="begin")
