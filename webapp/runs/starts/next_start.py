"""The effect of a binding's next start on the state of its last run, computed before anybody starts or stops it."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from django.utils import timezone
from pydantic import ValidationError

from streaming.definition.graph import QueryGraph
from streaming.definition.versions.state_differences import NodeDifference, state_differences
from streaming.resume.restart_points import (
    BindingFacts,
    RestartPoint,
    concealed_spec,
    facts_of,
    open_windows,
    plan_beginning,
    points_path,
)
from streaming.wire.beginning import KEPT_BEGINS, BeginAt, KeptBegin, RunBeginning, sought
from streaming.wire.messages import RunSpec
from webapp.core.errors import Conflict
from webapp.queries.models import QueryVersion
from webapp.runs.access import bound_inputs, latest_run
from webapp.runs.bindings.changing import chosen_for
from webapp.runs.kept_folders import shared_folder
from webapp.runs.models import Binding, Run
from webapp.runs.outputs.bound_outputs import output_names
from webapp.runs.starts.carrying import CarriedState, carrying, kept_run
from webapp.runs.starts.discarding import state_is_dropped
from webapp.runs.starts.services import spec_from
from webapp.runs.starts.shown_starts import mark_of
from webapp.runs.states import Observed

FIRST: Final = "This is its first start: it reads its inputs from the beginning."
GOES_ON: Final = "Resumes where the last run stopped. Open windows are kept; no result is lost or repeated."
GOES_ON_DEDICATED: Final = (
    "Moves to another streaming query and resumes where the last run stopped. Open windows are kept if their state "
    "can be divided among the cores; if not, their rows are read again."
)
AT_THE_END: Final = "The last run read its inputs to the end and emitted every result."
NEW_ALONE: Final = (
    "Reads only new rows. If no rows are new, the run ends at once, and no result is emitted or delivered again. If "
    "there are new rows, windows that were open at the end are read again too, and their complete results are emitted "
    "again."
)
DELIVERED_AGAIN: Final = "Repeated results are delivered again to: {outputs}."
SOUGHT: Final = {
    "now": "Reads only rows that arrive from now on. Open windows are discarded; existing results stay.",
    "time": "Reads rows that arrived at that time or later. Results of rows that are read again are repeated.",
    "positions": "Reads from these positions. Results of rows that are read again are repeated.",
}
OTHER: Final = "The query, its streams or its settings differ from the last run's, so its saved state can't be reused."
OTHER_VERSION: Final = "The version of the query differs from the last run's."
ASKED: Final = "The state of the last run is discarded."
DISCARDED: Final = "The state of the last run was discarded when it was stopped."
POSITION_ALONE: Final = (
    "Only its read position is still known. Windows, joins and counts start empty there, and the discarded state is "
    "not rebuilt."
)
FLUSHED: Final = "The last run closed all windows when it was stopped, before they were complete."
NO_POINTS: Final = "The last run's state is unknown, because it had not committed anything."
_AFTER_DISCARD: Final[tuple[KeptBegin, ...]] = ("beginning", "old_positions")
NO_VERSION: Final = "This version has other inputs. Choose their streams; it then reads them from the beginning."


@dataclass(frozen=True)
class StartOption:
    """A start position: its sentence, and the rows that it reads again (`rows_at_most`: or fewer).

    `incomplete`: some results will be marked, namely those before `whole_from` or, if that is None, any.
    """

    begin: KeptBegin
    sentence: str
    rows_again: int
    rows_at_most: bool
    incomplete: bool
    whole_from: int | None


@dataclass(frozen=True)
class NextStart:
    """The effect of a start; times in ticks.

    `goes_on`: with the default position it resumes with all state. `reason`: why state is discarded if it does not
    resume or an option is chosen, None without options; no other sentence repeats it or the time of open windows.
    `open_windows`: the most windows that are open, each with all of its groups; `open_rows`: the most rows in them;
    None if windows have no fixed size or the number is unknown. `options`: the positions to choose from; if the start
    does not resume, the first one is the default. `nodes`: the effect on the state of each node, if the query differs
    from the last run's. `not_carried`: why that state can't be carried over; None if it can, which then is one of the
    `options`, or if the query is the same. `inputs_ended`: the last run read its inputs to the end, and neither the
    query nor its inputs have changed since.
    """

    goes_on: bool
    reason: str | None
    sentence: str
    open_from: int | None
    open_until: int | None
    open_windows: int | None
    options: Sequence[StartOption]
    nodes: Sequence[NodeDifference] = ()
    open_rows: int | None = None
    not_carried: str | None = None
    inputs_ended: bool = False


def next_start(binding: Binding, version: QueryVersion | None = None) -> NextStart:
    """Return the effect of the next start of `binding`, with `version` instead of its own if set, as of now."""
    last = latest_run(binding)
    points = restart_points(binding)
    if last is None:
        return _plain(FIRST)
    spec = spec_of_version(binding, version)
    if spec is None:
        return _plain(NO_VERSION)
    if not points:
        return _plain(NO_POINTS)
    facts = facts_of(concealed_spec(spec))
    if state_is_dropped(binding):
        return _after_discard(binding, points, facts)
    if last.observed == Observed.COMPLETED and points[0].flushed and facts.fits(points[0].shape):
        return _after_the_end(binding, points, facts)
    goes_on = facts.fits(points[0].shape) and not points[0].flushed
    ended = FLUSHED if facts.fits(points[0].shape) else OTHER
    why = ASKED if goes_on else ended
    kept = kept_run(binding, points)  # runs that were refused since then have left nothing
    before = last.read_spec() if kept is None else kept.spec
    nodes = () if goes_on else _differences(before.query, spec.query)
    carried = carrying(binding, spec, points) if nodes else CarriedState()
    why = why if carried.beginning is None else OTHER_VERSION
    options = []
    for choice in KEPT_BEGINS:
        beginning = plan_beginning(points, facts, choice, None).beginning
        if choice == "carried_over" and carried.beginning is not None:
            options.append(_carried_option(carried.beginning))
        if beginning.how == choice and (not goes_on or choice == "beginning"):
            options.append(_option(choice, beginning, binding))
    planned = plan_beginning(points, facts, None, None)
    beginning, words = planned.beginning, planned.beginning.sentence
    if goes_on:
        words = GOES_ON if last.dedicated == binding.dedicated else GOES_ON_DEDICATED
    reason = why if options else None
    return NextStart(
        goes_on=goes_on,
        reason=reason,
        sentence=words,
        open_from=beginning.open_from,
        open_until=beginning.open_until,
        open_windows=open_windows(points[0]),
        open_rows=None if planned.point is None else beginning.rows_again,
        options=options,
        nodes=nodes,
        not_carried=carried.refusal,
    )


def begin_sentence(binding: Binding, begin: BeginAt | None) -> str:
    """Return one or two sentences on a start of `binding` at `begin`, as of now."""
    place = sought(begin)
    if place is not None:
        again = [] if place == "now" else _delivered_again(binding)
        return " ".join([SOUGHT["now" if place == "now" else place.kind], *again])
    found = next_start(binding)
    chosen = [each.sentence for each in found.options if each.begin == begin]
    why = [found.reason] if found.reason is not None and (chosen or not found.goes_on) else []
    return " ".join([*why, *(chosen or [found.sentence])])


def _delivered_again(binding: Binding) -> list[str]:
    outputs = output_names(binding)
    return [DELIVERED_AGAIN.format(outputs=", ".join(outputs))] if outputs else []


def _option(choice: KeptBegin, beginning: RunBeginning, binding: Binding) -> StartOption:
    lacking = bool(beginning.incomplete_before)
    again = _delivered_again(binding) if choice == "beginning" else []
    sentence = " ".join([beginning.sentence, *again])
    return StartOption(choice, sentence, beginning.rows_again, beginning.rows_at_most, lacking, beginning.whole_from)


def _carried_option(beginning: RunBeginning) -> StartOption:
    """Return the option of a start with carried-over state; columns that start empty are marked as incomplete."""
    moments = [each.before for each in beginning.lacking.values() if each.columns]
    whole = None if None in moments else max((each for each in moments if each is not None), default=None)
    return StartOption(
        "carried_over", beginning.sentence, 0, rows_at_most=False, incomplete=bool(moments), whole_from=whole
    )


def refuse_carrying(binding: Binding) -> None:
    """Raise `Conflict` if a start of `binding` as it is now can't carry over the state of its last run."""
    points, spec = restart_points(binding), spec_of_start(binding)
    if not points or facts_of(concealed_spec(spec)).fits(points[0].shape):
        return  # it resumes with all state, or there is no state
    carried = carrying(binding, spec, points)
    if carried.refusal is not None:
        raise Conflict(f"The state can't be carried over. {carried.refusal}")


def _after_the_end(binding: Binding, points: Sequence[RestartPoint], facts: BindingFacts) -> NextStart:
    """Return the effect of a start after a run that read its inputs to the end: by default no result is repeated."""
    beginning = _option("beginning", plan_beginning(points, facts, "beginning", None).beginning, binding)
    new = StartOption("oldest_open", NEW_ALONE, 0, rows_at_most=False, incomplete=False, whole_from=None)
    return NextStart(
        goes_on=False,
        reason=AT_THE_END,
        sentence=NEW_ALONE,
        open_from=None,
        open_until=None,
        open_windows=None,
        options=[new, beginning],
        inputs_ended=True,
    )


def _after_discard(binding: Binding, points: Sequence[RestartPoint], facts: BindingFacts) -> NextStart:
    """Return the effect of a start after a run that was stopped with `discard`: it has no open windows."""
    every = (plan_beginning(points, facts, choice, None).beginning for choice in _AFTER_DISCARD)
    planned = zip(every, _AFTER_DISCARD, strict=True)
    options = [_option(choice, beginning, binding) for beginning, choice in planned if beginning.how == choice]
    options = [
        replace(each, sentence=f"{POSITION_ALONE} {each.sentence}") if each.begin == "old_positions" else each
        for each in options
    ]
    return NextStart(
        goes_on=False,
        reason=DISCARDED,
        sentence=options[0].sentence,
        open_from=None,
        open_until=None,
        open_windows=None,
        options=options,
    )


def _differences(before: QueryGraph, after: QueryGraph) -> list[NodeDifference]:
    """Return the effect on the state of each node; empty if only the streams of the query differ."""
    return state_differences(before, after) if before.nodes != after.nodes else []


def _plain(sentence: str) -> NextStart:
    return NextStart(
        goes_on=False, reason=None, sentence=sentence, open_from=None, open_until=None, open_windows=None, options=()
    )


def spec_of_version(binding: Binding, version: QueryVersion | None) -> RunSpec | None:
    """Return the specification of a start with `version`, None while inputs of that version have no stream."""
    now = timezone.now()
    run = Run(binding=binding, dedicated=binding.dedicated, created_at=now, changed_at=now)
    if version is None:
        return spec_from(run, binding.query_version.read_graph(), bound_inputs(binding))
    chosen, faults = chosen_for(binding, version)
    return None if faults else spec_from(run, version.read_graph(), chosen)


def start_mark(binding: Binding, version: QueryVersion | None = None) -> str | None:
    """Return the mark of a start of `binding` with `version`; None while that has no streams for it."""
    spec = spec_of_version(binding, version)
    return None if spec is None else mark_of(latest_run(binding), spec)


def spec_of_start(binding: Binding) -> RunSpec:
    """Return the specification of a start of `binding` as it is now."""
    spec = spec_of_version(binding, None)
    assert spec is not None  # nosec B101 # a binding has a stream for each input of its own version
    return spec


def restart_points(binding: Binding) -> list[RestartPoint]:
    """Return the restart points of the binding, newest first, without unreadable ones."""
    folder, points = shared_folder(), points_path(str(binding.pk))
    found = []
    for name in folder.names(points):
        content = folder.read(f"{points}/{name}") if name[0].isdigit() and name.endswith(".json") else None
        if content is None:
            continue  # it was deleted since by thinning
        with suppress(ValidationError):  # written by a later version
            found.append(RestartPoint.model_validate_json(content))
    return sorted(found, key=lambda point: point.batch, reverse=True)
