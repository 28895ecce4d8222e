"""The response of the charts of a binding: distances of rows, lanes and parts of the lag over time."""

from collections.abc import Mapping, Sequence
from typing import Final

from streaming.definition.strict import Strict
from streaming.wire.measures import bucket_end
from webapp.live.details import DetailStep
from webapp.live.history import TimeRange
from webapp.monitoring.details import LagParts
from webapp.monitoring.periods import NO_LANES, NO_PERIOD, InputPeriod, LanePeriod

MOST_LANES: Final = 12
"""So many lanes of an input have a line; the others are added up."""


class DetailsLags(Strict):
    """The largest lag of each step and its parts, in ticks; null: not reported.

    `input` is the place, in the list of inputs, of the one that delayed most. `source`: age of its newest event when
    the batch was planned; `delay`: its CTIs stay below that event; `lane`: waiting for a slower lane; `work`: from the
    planning of the batch to its commit.
    """

    largest: list[int | None]
    input: list[int | None]
    source: list[int | None]
    delay: list[int | None]
    lane: list[int | None]
    work: list[int | None]


class DetailsLane(Strict):
    """A lane with its rows in the range; `lane` is null for `lanes` others together.

    `behind`: by step, the time from its CTI to the last report (null: not reported); `lost`: the rows dropped in it.
    """

    lane: str | None
    lanes: int
    rows: int
    late: int
    dropped: int
    behind: list[int | None]
    lost: list[int]


class DetailsInput(Strict):
    """An input. All lists have an entry for each step.

    `behind` counts rows by their distance to the largest start: key 0 below 1,024 ticks, key i below `1024 * 2**i`.
    `unmeasured` rows of the range have no distance. `median`, `most` (99 %) and `delay` are ticks; null: no data.
    `lanes` is null if the runs don't list lanes; first the one that lost most rows, then the one most behind.
    """

    name: str
    behind: list[dict[int, int]]
    unmeasured: int
    median: list[int | None]
    most: list[int | None]
    delay: list[int | None]
    lanes: list[DetailsLane] | None


class DetailsResponse(Strict):
    """The charts of a binding in `[begin, end)`, in steps of `step` ticks, by hours where details are old."""

    begin: int
    end: int
    step: int
    lags: DetailsLags
    inputs: list[DetailsInput]


def details_response(within: TimeRange, steps: Mapping[int, DetailStep]) -> DetailsResponse:
    """Return the steps of a range in columns."""
    each = [steps.get(at, _NO_STEP) for at in range(within.begin, within.end, within.step)]
    names = sorted({name for step in steps.values() for name in step.inputs})
    return DetailsResponse(
        begin=within.begin,
        end=within.end,
        step=within.step,
        lags=_lags(each, names),
        inputs=[_input(name, [step.inputs.get(name, NO_PERIOD) for step in each]) for name in names],
    )


_NO_STEP: Final = DetailStep()


def _lags(steps: Sequence[DetailStep], names: Sequence[str]) -> DetailsLags:
    parts = [None if step.largest is None else step.largest.parts for step in steps]
    return DetailsLags(
        largest=[None if step.largest is None else max(0, step.largest.lag) for step in steps],
        input=[None if each is None else names.index(each.input) for each in parts],
        source=_column(parts, "source"),
        delay=_column(parts, "delay"),
        lane=_column(parts, "lane"),
        work=_column(parts, "work"),
    )


def _column(parts: Sequence[LagParts | None], name: str) -> list[int | None]:
    return [None if each is None else getattr(each, name) for each in parts]


def _input(name: str, steps: Sequence[InputPeriod]) -> DetailsInput:
    whole = NO_PERIOD
    for step in steps:
        whole = whole.plus(step)
    unlisted = not whole.lanes and not whole.other_lanes
    return DetailsInput(
        name=name,
        behind=[doublings(step.behind) for step in steps],
        unmeasured=whole.unmeasured,
        median=[quantile(step, 0.5) for step in steps],
        most=[quantile(step, 0.99) for step in steps],
        delay=[step.delay for step in steps],
        lanes=None if unlisted else _lanes(whole, steps),
    )


def doublings(behind: Mapping[int, int]) -> dict[int, int]:
    """Return the rows by doubling, four buckets each."""
    found: dict[int, int] = {}
    for bucket, count in behind.items():
        doubling = 0 if bucket == 0 else 1 + (bucket - 1) // 4
        found[doubling] = found.get(doubling, 0) + count
    return dict(sorted(found.items()))


def quantile(period: InputPeriod, share: float) -> int | None:
    """Return a distance that at least `share` of the rows don't exceed: the end of its bucket, or the largest one."""
    wanted, reached = share * sum(period.behind.values()), 0
    for bucket, count in sorted(period.behind.items()):
        reached += count
        if reached >= wanted:
            return bucket_end(bucket) if period.largest is None else min(bucket_end(bucket), period.largest)
    return None


def _lanes(whole: InputPeriod, steps: Sequence[InputPeriod]) -> list[DetailsLane]:
    """Return the lanes that lost most rows, then those most behind; all others as one."""
    order = sorted(whole.lanes, key=lambda name: (-whole.lanes[name].dropped, -(behind(whole.lanes[name]) or 0), name))
    shown, rest = order[:MOST_LANES], order[MOST_LANES:]
    lanes = [_lane(name, 1, [step.lanes.get(name) for step in steps]) for name in shown]
    if rest or whole.other_lanes:
        others = [_together(step, rest) for step in steps]
        lanes.append(_lane(None, len(rest) + whole.other_lanes, others))
    return lanes


def _together(step: InputPeriod, names: Sequence[str]) -> LanePeriod:
    found = step.others
    for name in names:
        found = found.plus(step.lanes.get(name, NO_LANES))
    return LanePeriod(found.rows, found.late, found.dropped)


def _lane(name: str | None, lanes: int, steps: Sequence[LanePeriod | None]) -> DetailsLane:
    known = [each for each in steps if each is not None]
    return DetailsLane(
        lane=name,
        lanes=lanes,
        rows=sum(each.rows for each in known),
        late=sum(each.late for each in known),
        dropped=sum(each.dropped for each in known),
        behind=[None if each is None else behind(each) for each in steps],
        lost=[0 if each is None else each.dropped for each in steps],
    )


def behind(lane: LanePeriod) -> int | None:
    """Return how far the CTI of a lane was below the time of its report; None without a CTI."""
    return None if lane.cti is None else max(0, lane.at - lane.cti)
