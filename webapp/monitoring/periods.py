"""Periods: the rows of an input between two details of its run. Periods are added in any grouping."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from streaming.wire.progress import LaneSums
from webapp.monitoring.details import InputDetail, LaneDetail


@dataclass(frozen=True)
class LanePeriod:
    """The rows of a lane, or of several, in a period; `cti` is the newest CTI of a lane, reported at tick `at`."""

    rows: int = 0
    late: int = 0
    dropped: int = 0
    cti: int | None = None
    at: int = 0

    def plus(self, later: "LanePeriod") -> "LanePeriod":
        """Return the rows of both periods."""
        newest = self if self.at > later.at else later
        rows, late, dropped = self.rows + later.rows, self.late + later.late, self.dropped + later.dropped
        return LanePeriod(rows, late, dropped, newest.cti, newest.at)


NO_LANES: Final = LanePeriod()


@dataclass(frozen=True)
class InputPeriod:
    """The rows of an input in a period.

    `behind` counts rows by their distance from the largest start, in the buckets of `streaming.wire.measures`;
    `unmeasured` rows have no distance, and rows in `unlisted` no lane. `others` are the rows of lanes that the report
    sums up, `other_lanes` is the largest number of them. `largest` and `delay` are the newest known ones, in ticks.
    """

    rows: int = 0
    behind: Mapping[int, int] = field(default_factory=dict)
    unmeasured: int = 0
    largest: int | None = None
    delay: int | None = None
    lanes: Mapping[str, LanePeriod] = field(default_factory=dict)
    others: LanePeriod = NO_LANES
    other_lanes: int = 0
    unlisted: int = 0

    def plus(self, later: "InputPeriod") -> "InputPeriod":
        """Return the rows of both periods."""
        lanes = dict(self.lanes)
        for name, lane in later.lanes.items():
            lanes[name] = lanes.get(name, NO_LANES).plus(lane)
        return InputPeriod(
            rows=self.rows + later.rows,
            behind=_sum(self.behind, later.behind),
            unmeasured=self.unmeasured + later.unmeasured,
            largest=self.largest if later.largest is None else later.largest,
            delay=self.delay if later.delay is None else later.delay,
            lanes=lanes,
            others=self.others.plus(later.others),
            other_lanes=max(self.other_lanes, later.other_lanes),
            unlisted=self.unlisted + later.unlisted,
        )


NO_PERIOD: Final = InputPeriod()
_ZERO: Final = InputDetail(received=0, behind={}, lanes=[])


def period_since(base: InputDetail | None, now: InputDetail, at: int) -> InputPeriod:
    """Return what was counted from the totals `base` to the totals `now`, which were reported at tick `at`.

    `base` is None at the start of a run: all totals are zero.
    """
    before = _ZERO if base is None else base
    rows = now.received - before.received
    behind = {} if now.behind is None or before.behind is None else _grown(before.behind, now.behind)
    lanes, others, unlisted = _lanes(before, now, at)
    return InputPeriod(
        rows=rows,
        behind=behind,
        unmeasured=rows - sum(behind.values()),
        largest=now.largest_behind,
        delay=now.delay,
        lanes=lanes,
        others=others,
        other_lanes=0 if now.others is None else now.others.lanes,
        unlisted=rows if unlisted else 0,
    )


def only_newest(now: InputDetail, at: int) -> InputPeriod:
    """Return a period without rows, with the CTIs of the lanes in `now`: the totals before it are not known."""
    lanes = {each.lane: LanePeriod(cti=each.cti, at=at) for each in now.lanes or []}
    other_lanes = 0 if now.others is None else now.others.lanes
    return InputPeriod(largest=now.largest_behind, delay=now.delay, lanes=lanes, other_lanes=other_lanes)


def _lanes(before: InputDetail, now: InputDetail, at: int) -> tuple[dict[str, LanePeriod], LanePeriod, bool]:
    """Return the listed lanes, the rows of all others, and whether lanes are missing from one of the reports.

    A lane that only the newer report lists is new if the older one listed all lanes; otherwise its rows in this period
    can't be separated from those of the others.
    """
    if before.lanes is None or now.lanes is None:
        return {lane.lane: LanePeriod(cti=lane.cti, at=at) for lane in now.lanes or []}, NO_LANES, True
    known = {lane.lane: lane for lane in before.lanes}
    found = {}
    for lane in now.lanes:
        earlier = known.get(lane.lane, LaneDetail(lane=lane.lane) if before.others is None else lane)
        found[lane.lane] = LanePeriod(
            lane.received - earlier.received,
            lane.late - earlier.late,
            lane.dropped - earlier.dropped,
            lane.cti,
            at,
        )
    listed, earlier_sums, sums = LanePeriod(), _sums(before), _sums(now)
    for each in found.values():
        listed = listed.plus(each)
    others = LanePeriod(
        sums.received - earlier_sums.received - listed.rows,
        sums.late - earlier_sums.late - listed.late,
        sums.dropped - earlier_sums.dropped - listed.dropped,
    )
    return found, others, False


def _sums(detail: InputDetail) -> LaneSums:
    """Return the totals of all lanes together."""
    lanes, others = detail.lanes or [], detail.others or LaneSums(lanes=0, received=0, late=0, dropped=0)
    return LaneSums(
        lanes=len(lanes) + others.lanes,
        received=others.received + sum(each.received for each in lanes),
        late=others.late + sum(each.late for each in lanes),
        dropped=others.dropped + sum(each.dropped for each in lanes),
    )


def _grown(before: Mapping[int, int], now: Mapping[int, int]) -> dict[int, int]:
    grown = {bucket: count - before.get(bucket, 0) for bucket, count in now.items()}
    return {bucket: count for bucket, count in grown.items() if count}


def _sum(counts: Mapping[int, int], more: Mapping[int, int]) -> Mapping[int, int]:
    return {bucket: counts.get(bucket, 0) + more.get(bucket, 0) for bucket in counts.keys() | more.keys()}
