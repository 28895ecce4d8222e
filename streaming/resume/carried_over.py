"""Starting a run with the state of the previous run after its windows were widened, for planner and web application."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from streaming.definition.versions.widening import READ_AGAIN, LackingColumns, NotCarried, WidenedQuery, widened
from streaming.resume.restart_points import BindingFacts, RestartPoint, left_open
from streaming.temporal.events import Shape
from streaming.temporal.ticks import INFINITY, Tick, spell_instant
from streaming.wire.beginning import LackingSince, RunBeginning
from streaming.wire.messages import RunSpec

OTHER_INPUTS: Final = "The input streams or their settings have changed. "
FLUSHED: Final = "All windows were closed when the previous run stopped, so no window is open. "
NOT_YET: Final = (
    "State was carried over before, and some windows that were open then are still open. Wait until the run has "
    "emitted all results that start before {before}, or read again. "
)
NEVER: Final = "State was carried over before, and it is unknown when the windows that were open then will be closed. "
NOTHING: Final = "The input positions of the previous run are unknown. "
CARRIED: Final = "Resumes with the state of the previous run: no row is read again, and existing columns are complete."
LACKS: Final = (
    "New columns start empty: in results that start before {before}, {columns} marked as incomplete; later results are "
    "complete."
)
ANY: Final = "New columns start empty, and it is unknown when they become complete: {columns} marked as incomplete."


def widened_query(before: RunSpec, after: RunSpec) -> WidenedQuery:
    """Return how the state of a run of `before` carries over to one of `after`; both specs are concealed.

    Raises `NotCarried`.
    """
    if before.inputs != after.inputs:
        raise NotCarried(OTHER_INPUTS + READ_AGAIN)
    edges = frozenset(name for name, each in after.inputs.items() if each.stream.shape is Shape.EDGE)
    return widened(before.query, after.query, edges)


def carried_over(
    before: RunSpec,
    after: RunSpec,
    facts: BindingFacts,
    points: Sequence[RestartPoint],
    beginning: RunBeginning | None,
) -> RunBeginning:
    """Return how a run of `after`, with `facts`, starts with the state of one of `before`. Raises `NotCarried`.

    `points` are those of the previous run, newest first; `beginning` is how that run started, if recorded.
    """
    query = widened_query(before, after)
    if not points:
        raise NotCarried(NOTHING + READ_AGAIN)
    newest = points[0]
    if newest.flushed:
        raise NotCarried(FLUSHED + READ_AGAIN)
    if beginning is not None:
        _require_over(newest, beginning)
    every = ((name, _since(name, each, facts, newest)) for name, each in query.lacking.items())
    lacking = {name: each for name, each in every if each is not None}
    opened = left_open(newest)
    content: dict[str, Any] = {"incomplete_before": {}, "until": {}, "alike": []}
    if beginning is not None:
        content = {name: getattr(beginning, name) for name in content}
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


def _require_over(newest: RestartPoint, beginning: RunBeginning) -> None:
    """Raise while windows are open whose columns are incomplete since an earlier change of version."""
    for name, each in beginning.lacking.items():
        known = newest.outputs.get(name)
        cti = None if known is None else known.cti
        if each.before is None:
            raise NotCarried(NEVER + READ_AGAIN)
        if cti is None or cti < each.before:
            raise NotCarried(NOT_YET.format(before=spell_instant(Tick(each.before))))


def _since(name: str, lacks: LackingColumns, facts: BindingFacts, newest: RestartPoint) -> LackingSince | None:
    """Return the time from which rows of the output `name` are complete: no window that starts then had a row before.

    None if no row was read before.
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
    sentences = []
    for name, each in lacking.items():
        if each.columns:
            columns = f"{', '.join(each.columns)} of {name} {'is' if len(each.columns) == 1 else 'are'}"
            if each.before is None:
                sentences.append(ANY.format(columns=columns))
            else:
                sentences.append(LACKS.format(before=spell_instant(Tick(each.before)), columns=columns))
    return sentences or ["All results are complete."]
