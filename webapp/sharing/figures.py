"""The figures of a tile, by the functions of the pages that it quotes: results and dashboard of a binding."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from webapp.boards.definition import BindingTile, ChartTile, LatenessTile, TextTile
from webapp.core.errors import ApiError, Faulty, fault
from webapp.live.details import detail_steps
from webapp.live.details_bodies import details_response
from webapp.live.figures import largest_lag
from webapp.live.gathering import gather_one
from webapp.live.history import TimeRange, history_of
from webapp.live.verdict import Trust, counted_in, verdict_of
from webapp.monitoring.charting.api import ChartResponse, ChartRows, chart_of, chart_response
from webapp.monitoring.reading import TICKS_PER_S
from webapp.monitoring.row_keys import Key, KeyProblem, key_of
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Binding
from webapp.runs.states import Observed

USUAL_S: Final = 7_200
"""The range of lateness tiles on a board without one."""
MINUTE: Final = 60 * TICKS_PER_S
GONE: Final = "The query of this tile was deleted. Edit the board, and choose another query or remove the tile."
PASSING: Final = frozenset({429, 503})
"""Refusals that are over soon: the page tries again."""


class TileInput(Strict):
    """Distances of rows to the largest start of an input, by step, in ticks: median and 99 %; null: no data.

    `delay` is the newest reported one.
    """

    name: str
    median: list[int | None]
    most: list[int | None]
    delay: int | None


class TileLateness(Strict):
    """The lateness of a binding's rows in `[begin, end)`, as its dashboard has it.

    `outcomes` are the rows by outcome; `unknown_steps` of `steps` may lack reports. `lag` is now minus the smallest
    CTI, null if unknown or stopped; `lags` is the largest one of each step. `inputs` are listed for the kind
    `lateness`. Times are ticks.
    """

    begin: int
    end: int
    trust: Trust
    sentence: str
    since: int | None
    blame: str
    outcomes: dict[str, int]
    received: int
    steps: int
    unknown_steps: int
    lag: int | None
    lags: list[int | None]
    inputs: list[TileInput]


class TileFigures(Strict):
    """The figures of a tile at tick `now`: a chart, the lateness, or the `problem` that prevents them; a note has none.

    `begin` is the first tick of a chart's range (null: all results). `without` are the fields of the board's filters
    that don't apply: the results lack them, or the tile has its own filter.
    """

    now: int
    begin: int | None
    chart: ChartResponse | None
    lateness: TileLateness | None
    without: list[str]
    problem: str | None


@dataclass(frozen=True)
class ViewChoice:
    """The range until now (None: all results) and the filters with which a board is viewed."""

    seconds: int | None
    where: Sequence[str]


def tile_figures(tile: ChartTile | LatenessTile | TextTile, view: ViewChoice, now: datetime) -> TileFigures:
    """Return the figures of a tile; a reason that prevents them is a sentence, because the other tiles have theirs.

    Raises `Busy` and other refusals that are over soon.
    """
    at = ticks_of(now)
    begin = None if view.seconds is None else (at - view.seconds * TICKS_PER_S) // MINUTE * MINUTE
    none = TileFigures(now=at, begin=begin, chart=None, lateness=None, without=[], problem=None)
    if isinstance(tile, TextTile):
        return none
    binding = _binding_of(tile)
    if binding is None:
        return none.model_copy(update={"problem": GONE})
    if isinstance(tile, LatenessTile):
        return none.model_copy(update={"lateness": _lateness(tile, binding.pk, view.seconds or USUAL_S, now)})
    try:
        rows = ChartRows((begin, None), _key(tile.where), where_present=_key(view.where))
        outcome = chart_of(binding, tile.chart, rows)
    except Faulty as refused:
        return none.model_copy(update={"problem": " ".join(f"{each.message} {each.remedy}" for each in refused.faults)})
    except ApiError as refused:
        if refused.status in PASSING:
            raise
        return none.model_copy(update={"problem": refused.message})
    chart = chart_response(outcome, kind=tile.chart.kind)
    return none.model_copy(update={"chart": chart, "without": outcome.where_absent})


def _binding_of(tile: BindingTile) -> Binding | None:
    """Return the binding of a tile; None if it was deleted, or belongs to another organisation."""
    try:
        return Binding.objects.filter(pk=UUID(tile.binding)).first()
    except ValueError:
        return None


def _key(filters: Sequence[str]) -> Key:
    try:
        return key_of(filters)
    except KeyProblem as problem:
        raise Faulty([fault(FaultCode.BAD_SHAPE, problem.message, problem.remedy, field="where")]) from None


def _lateness(tile: LatenessTile, binding: UUID, seconds: int, now: datetime) -> TileLateness:
    """Return the figures of the dashboard. Only lost rows are blamed, because other findings may name targets."""
    at = ticks_of(now)
    within, live = TimeRange.until(at, seconds), gather_one(binding, now)
    run = None if live is None else live.run
    history = history_of(binding, within, run, at)
    verdict, counts = verdict_of(history, run, (), at), counted_in(history.steps)
    is_running = run is not None and run.state.observed == Observed.RUNNING
    return TileLateness(
        begin=history.begin,
        end=history.end,
        trust=verdict.trust,
        sentence=verdict.sentence,
        since=verdict.since,
        blame=verdict.blame,
        outcomes=dict(counts.outcomes),
        received=counts.received,
        steps=len(history.steps),
        unknown_steps=sum(each.knowledge == "unknown" for each in history.steps),
        lag=largest_lag(run.inputs, at) if run is not None and is_running else None,
        lags=[each.lag for each in history.steps],
        inputs=_inputs(binding, within.for_details(at)) if tile.kind == "lateness" else [],
    )


def _inputs(binding: UUID, within: TimeRange) -> list[TileInput]:
    inputs = details_response(within, detail_steps(binding, within)).inputs
    return [TileInput(name=each.name, median=each.median, most=each.most, delay=_newest(each.delay)) for each in inputs]


def _newest(values: Sequence[int | None]) -> int | None:
    return next((each for each in reversed(values) if each is not None), None)
