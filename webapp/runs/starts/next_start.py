"""What the next start of a binding would do with what its last run kept: asked before anybody starts or stops it."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from django.utils import timezone
from pydantic import ValidationError

from streaming.definition.graph import QueryGraph
from streaming.definition.state_differences import NodeDifference, state_differences
from streaming.wire.beginning import KEPT_BEGINS, KeptBegin, RunBeginning
from streaming.wire.kept import (
    BindingFacts,
    RestartPoint,
    concealed_spec,
    facts_of,
    open_windows,
    plan_beginning,
    points_path,
)
from streaming.wire.messages import RunSpec
from webapp.core.errors import Conflict
from webapp.queries.models import QueryVersion
from webapp.runs.access import bound_inputs, latest_run
from webapp.runs.bindings.changing import chosen_for
from webapp.runs.kept_folders import shared_folder
from webapp.runs.models import Binding, Run
from webapp.runs.starts.carrying import CarriedState, carrying, kept_run
from webapp.runs.starts.discarding import state_is_dropped
from webapp.runs.starts.services import spec_from
from webapp.runs.starts.shown_starts import mark_of
from webapp.runs.states import Observed

FIRST: Final = "This is its first start: it begins at the beginning of its inputs."
GOES_ON: Final = "It goes on where the last run stopped: all that was open is kept, nothing is lost or given twice."
GOES_ON_DEDICATED: Final = (
    "It moves to another streaming query, and goes on where the last run stopped. What was open is kept if its state "
    "can be divided over the cores; if not, it is read again."
)
COMPLETED: Final = (
    "The inputs had come to their end, and nothing was left open. It begins at their beginning, and gives all results "
    "again; if they have more rows by then, it goes on where it had read to, and reads what was open at the end again."
)
OTHER: Final = "The query, its streams or its settings are not those of the last run, so that its state does not fit."
OTHER_VERSION: Final = "The version of the query is not that of the last run."
ASKED: Final = "The state of the last run is dropped."
DISCARDED: Final = "The state of the last run was thrown away when it was stopped."
POSITION_ALONE: Final = (
    "Only how far it had read is still known: windows, joins and counts begin empty there, and what was thrown away is "
    "not made up for."
)
FLUSHED: Final = "The last run closed all windows when it was stopped, before they were whole."
NO_POINTS: Final = "It is not known what the last run kept, because it had not committed anything."
_AFTER_DISCARD: Final[tuple[KeptBegin, ...]] = ("beginning", "old_positions")
NO_VERSION: Final = "The inputs of this version are others: choose their streams, then it begins at their beginning."


@dataclass(frozen=True)
class StartOption:
    """One way to begin: what it says, how many rows it reads again (`rows_at_most`: or fewer), when results are whole.

    `incomplete`: some results will be marked, those before `whole_from` or, where that is None, any.
    """

    begin: KeptBegin
    sentence: str
    rows_again: int
    rows_at_most: bool
    incomplete: bool
    whole_from: int | None


@dataclass(frozen=True)
class NextStart:
    """What a start does; times in ticks.

    `goes_on`: with all state, if nothing is chosen. `reason`: why state is left behind if it does not go on or one of
    the options is chosen, None where there are none; sentences repeat neither that nor the time of what is open. At
    most `open_windows` are open, each with all of its groups, with at most `open_rows` rows; None where windows are not
    fixed, or that is not known. `options` are what may be chosen; where it does not go on, the
    first is what it does if nothing is. `nodes`: what becomes of what each node holds, where the query is another one
    than that of the last run. `not_carried`: why what they hold cannot be carried over; None where it can, which is one
    of the `options` then, or where nobody would ask.
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


def next_start(binding: Binding, version: QueryVersion | None = None) -> NextStart:
    """Return what the next start of `binding` would do, if it were of `version`, as of now."""
    last = latest_run(binding)
    points = restart_points(binding)
    if last is None:
        return _plain(FIRST)
    spec = spec_of_version(binding, version)
    if spec is None:
        return _plain(NO_VERSION)
    if not points:
        return _plain(NO_POINTS)
    if last.observed == Observed.COMPLETED:
        return _plain(COMPLETED)
    facts = facts_of(concealed_spec(spec))
    if state_is_dropped(binding):
        return _after_discard(points, facts)
    goes_on = facts.fits(points[0].shape) and not points[0].flushed
    ended = FLUSHED if facts.fits(points[0].shape) else OTHER
    why = ASKED if goes_on else ended
    kept = kept_run(binding, points)  # runs that were refused since have left nothing
    before = last.read_spec() if kept is None else kept.spec
    nodes = () if goes_on else _differences(before.query, spec.query)
    carried = carrying(binding, spec, points) if nodes else CarriedState()
    why = why if carried.beginning is None else OTHER_VERSION
    options = []
    for choice in KEPT_BEGINS:
        said = plan_beginning(points, facts, choice, None).said
        if choice == "carried_over" and carried.beginning is not None:
            options.append(_carried_option(carried.beginning))
        if said.how == choice and (not goes_on or choice == "beginning"):
            options.append(_option(choice, said))
    planned = plan_beginning(points, facts, None, None)
    said, words = planned.said, planned.said.sentence
    if goes_on:
        words = GOES_ON if last.dedicated == binding.dedicated else GOES_ON_DEDICATED
    reason = why if options else None
    return NextStart(
        goes_on=goes_on,
        reason=reason,
        sentence=words,
        open_from=said.open_from,
        open_until=said.open_until,
        open_windows=open_windows(points[0]),
        open_rows=None if planned.point is None else said.rows_again,
        options=options,
        nodes=nodes,
        not_carried=carried.refusal,
    )


def _option(choice: KeptBegin, said: RunBeginning) -> StartOption:
    lacking = bool(said.incomplete_before)
    return StartOption(choice, said.sentence, said.rows_again, said.rows_at_most, lacking, said.whole_from)


def _carried_option(said: RunBeginning) -> StartOption:
    """Return the choice of a start that begins as `said`; its columns that began empty are marked."""
    moments = [each.before for each in said.lacking.values() if each.columns]
    whole = None if None in moments else max((each for each in moments if each is not None), default=None)
    return StartOption("carried_over", said.sentence, 0, rows_at_most=False, incomplete=bool(moments), whole_from=whole)


def refuse_carrying(binding: Binding) -> None:
    """Raise `Conflict` where a start of `binding` as it is now cannot carry the state of its last run over."""
    points, spec = restart_points(binding), spec_of_start(binding)
    if not points or facts_of(concealed_spec(spec)).fits(points[0].shape):
        return  # all goes on, or there is nothing
    carried = carrying(binding, spec, points)
    if carried.refusal is not None:
        raise Conflict(f"The state cannot be carried over. {carried.refusal}")


def _after_discard(points: Sequence[RestartPoint], facts: BindingFacts) -> NextStart:
    """Return what a start does after the last run was stopped with `discard`: nothing of it is open any more."""
    every = (plan_beginning(points, facts, choice, None).said for choice in _AFTER_DISCARD)
    options = [_option(choice, said) for said, choice in zip(every, _AFTER_DISCARD, strict=True) if said.how == choice]
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
    """Return what becomes of what each node holds; nothing where the query is the same, and its streams are not."""
    return state_differences(before, after) if before.nodes != after.nodes else []


def _plain(sentence: str) -> NextStart:
    return NextStart(
        goes_on=False, reason=None, sentence=sentence, open_from=None, open_until=None, open_windows=None, options=()
    )


def spec_of_version(binding: Binding, version: QueryVersion | None) -> RunSpec | None:
    """Return what a start would be given, None where inputs of `version` have no stream yet."""
    now = timezone.now()
    run = Run(binding=binding, dedicated=binding.dedicated, created_at=now, changed_at=now)
    if version is None:
        return spec_from(run, binding.query_version.read_graph(), bound_inputs(binding))
    chosen, faults = chosen_for(binding, version)
    return None if faults else spec_from(run, version.read_graph(), chosen)


def start_mark(binding: Binding, version: QueryVersion | None = None) -> str | None:
    """Return what a start of `binding`, if it were of `version`, is known by; None where it has no streams for it."""
    spec = spec_of_version(binding, version)
    return None if spec is None else mark_of(latest_run(binding), spec)


def spec_of_start(binding: Binding) -> RunSpec:
    """Return what a start of `binding` as it is now would be given."""
    spec = spec_of_version(binding, None)
    assert spec is not None  # nosec B101 # a binding has a stream for each input of its own version
    return spec


def restart_points(binding: Binding) -> list[RestartPoint]:
    """Return what the binding has kept, newest first; one that cannot be read is none."""
    folder, points = shared_folder(), points_path(str(binding.pk))
    found = []
    for name in folder.names(points):
        content = folder.read(f"{points}/{name}") if name[0].isdigit() and name.endswith(".json") else None
        if content is None:
            continue  # it was thinned out meanwhile
        with suppress(ValidationError):  # written by a later version
            found.append(RestartPoint.model_validate_json(content))
    return sorted(found, key=lambda point: point.batch, reverse=True)
