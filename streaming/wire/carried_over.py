"""How a run begins with the state of the one before, in which windows were widened: planner and web application ask."""

from collections.abc import Mapping, Sequence
from typing import Final

from streaming.definition.widening import READ_AGAIN, LackingColumns, NotCarried, WidenedQuery, widened
from streaming.temporal.events import Shape
from streaming.temporal.ticks import INFINITY, Tick, spell_instant
from streaming.wire.beginning import LackingSince, RunBeginning
from streaming.wire.kept import BindingFacts, RestartPoint, left_open
from streaming.wire.messages import RunSpec

OTHER_INPUTS: Final = "The streams of the inputs, or their settings, are others. "
FLUSHED: Final = "When the run before was stopped all windows were closed, so that nothing is open. "
NOT_YET: Final = (
    "State was carried over before, and windows that were open then are not closed yet. Wait until the run has given "
    "all that starts before {before}, or read again. "
)
NEVER: Final = "State was carried over before, and it is not known when all windows that were open then are closed. "
NOTHING: Final = "Nothing is known of what the run before had read. "
CARRIED: Final = "It goes on with the state of the run before: nothing is read again, and what was kept is whole."
LACKS: Final = (
    "New columns begin empty: in results that start before {before}, {columns} marked as incomplete; from then on they "
    "are whole."
)
ANY: Final = "New columns begin empty, and it is not known until when they lack rows: {columns} marked as incomplete."


def widened_query(before: RunSpec, after: RunSpec) -> WidenedQuery:
    """How the state of a run of `before` is carried over to one of `after`. Raises `NotCarried`. Both are concealed."""
    if before.inputs != after.inputs:
        raise NotCarried(OTHER_INPUTS + READ_AGAIN)
    edges = frozenset(name for name, each in after.inputs.items() if each.stream.shape is Shape.EDGE)
    return widened(before.query, after.query, edges)


def carried_over(
    before: RunSpec,
    after: RunSpec,
    facts: BindingFacts,
    points: Sequence[RestartPoint],
    said: RunBeginning | None,
) -> RunBeginning:
    """How a run of `after`, with `facts`, begins with the state of one of `before`. Raises `NotCarried`.

    `points` are those of the run before, newest first; `said` is how that one began, where it said so.
    """
    query = widened_query(before, after)
    if not points:
        raise NotCarried(NOTHING + READ_AGAIN)
    newest = points[0]
    if newest.flushed:
        raise NotCarried(FLUSHED + READ_AGAIN)
    if said is not None:
        _require_over(newest, said)
    every = ((name, _since(name, each, facts, newest)) for name, each in query.lacking.items())
    lacking = {name: each for name, each in every if each is not None}
    opened = left_open(newest)
    known = {} if said is None else {name: getattr(said, name) for name in ("incomplete_before", "until", "alike")}
    content = {"incomplete_before": {}, "until": {}, "alike": [], **known}
    return RunBeginning(
        how="carried_over",
        after=before.run,
        open_from=None if opened is None else opened[0],
        open_until=None if opened is None else opened[1],
        rows_again=0,
        sentence=" ".join([CARRIED, *_words(lacking)]),
        lacking=lacking,
        **content,
    )


def _require_over(newest: RestartPoint, said: RunBeginning) -> None:
    """Raise while windows are open in which columns are incomplete since an earlier version."""
    for name, each in said.lacking.items():
        known = newest.outputs.get(name)
        cti = None if known is None else known.cti
        if each.before is None:
            raise NotCarried(NEVER + READ_AGAIN)
        if cti is None or cti < each.before:
            raise NotCarried(NOT_YET.format(before=spell_instant(Tick(each.before))))


def _since(name: str, lacks: LackingColumns, facts: BindingFacts, newest: RestartPoint) -> LackingSince | None:
    """From when on rows of the output `name` lack nothing: no window that starts then had a row before.

    None where nothing was read before.
    """
    lanes = newest.inputs[lacks.input].lanes.values() if lacks.input in newest.inputs else ()
    reaches = [lane.reach for lane in lanes if lane.at > 0]
    whole = facts.releases[name].gap.whole
    known = [reach for reach in reaches if reach is not None]
    if whole is None or len(known) < len(reaches):
        return LackingSince(columns=list(lacks.columns), before=None)
    if not known:
        return None
    return LackingSince(columns=list(lacks.columns), before=min(max(known) + whole - lacks.filled, INFINITY))


def _words(lacking: Mapping[str, LackingSince]) -> list[str]:
    found = []
    for name, each in lacking.items():
        if each.columns:
            columns = f"{', '.join(each.columns)} of {name} {'is' if len(each.columns) == 1 else 'are'}"
            if each.before is None:
                found.append(ANY.format(columns=columns))
            else:
                found.append(LACKS.format(before=spell_instant(Tick(each.before)), columns=columns))
    return found or ["All results are whole."]
