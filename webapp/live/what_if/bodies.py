"""The response about other delays."""

from collections.abc import Mapping
from decimal import ROUND_FLOOR, Decimal
from typing import Final

from streaming.definition.strict import Strict
from streaming.simulator.longer_delays import DelayedClock
from streaming.wire.measures import LAST_BUCKET, bucket_end
from webapp.live.figures import MOVED
from webapp.live.what_if.counting import DelayedRows
from webapp.live.what_if.job import CountedInput, InputQuestion
from webapp.runs.states import IN_NO_RESULT

USUAL_GOAL: Final = 99.5
"""A share of rows in results, in percent, that every binding is compared with."""
SHORTER: Final = (0.75, 0.5, 0.25, 0.1, 0.0)
"""Shorter delays, as shares of today's."""


class WhatIfDelay(Strict):
    """The rows in no result, and those adjusted or shifted, with the delay `delay` (ticks); today's delay is first.

    Late rows that are no longer stored count as if no delay kept them.
    """

    delay: int
    lost: int
    changed: int


class WhatIfGoal(Strict):
    """The smallest delay (ticks) at which `share` percent of the rows are in results; null: no delay suffices."""

    share: float
    delay: int | None


class WhatIfEstimate(Strict):
    """With the shorter delay `delay` (ticks), at least `fewest` and at most `most` of the measured rows are late."""

    delay: int
    fewest: int
    most: int


class WhatIfRows(Strict):
    """The rows of an input that had the delay `delay` (ticks).

    `lost` rows of the `received` ones are in no result, `dropped_late` of them because they were late. `stored` of
    these are still in the quarantine, `fixed` are kept by no delay, and `undecided` met a CTI of an earlier delay.
    `since`: only runs from this tick on are counted, because earlier ones had another delay. `shorter` estimates
    shorter delays from `measured` rows of the range; null if that is impossible. `may_have_ctis`: rows of the input may
    be CTIs, which no delay moves.
    """

    delay: int
    received: int
    lost: int
    dropped_late: int
    stored: int
    fixed: int
    undecided: int
    since: int | None
    may_have_ctis: bool
    measured: int
    delays: list[WhatIfDelay]
    goals: list[WhatIfGoal]
    shorter: list[WhatIfEstimate] | None


class WhatIfInput(Strict):
    """An input; `rows` is null where late rows do not depend on a delay alone, and `reason` says why."""

    name: str
    reason: str | None
    rows: WhatIfRows | None


class WhatIfResponse(Strict):
    """The inputs of the newest run in `[begin, end)` as of tick `now`, with the effect of other delays.

    `completeness` is the promised share of rows in results, in percent. `newest_only`: the quarantine is on an object
    store, and only its newest rows were read; others count as not stored.
    """

    now: int
    begin: int
    end: int
    completeness: float
    newest_only: bool
    inputs: list[WhatIfInput]


def goals_of(completeness: float) -> list[float]:
    """Return the wanted shares of rows in results, in percent, rising."""
    return sorted({USUAL_GOAL, completeness})


def question_of(name: str, rows: DelayedRows, completeness: float) -> InputQuestion:
    """Return the question that the limited process answers for an input."""
    received = rows.counts.received
    allowed = [
        int((received * (100 - Decimal(str(share))) / 100).to_integral_value(ROUND_FLOOR))
        for share in goals_of(completeness)
    ]
    return InputQuestion(name, rows.clock.delay, rows.spans, rows.counts.of(IN_NO_RESULT), allowed)


def shown_rows(rows: DelayedRows, counted: CountedInput, completeness: float) -> WhatIfRows:
    """Return the counts of an input as the API shows them."""
    lost, changed = rows.counts.of(IN_NO_RESULT), rows.counts.of(MOVED)
    today = counted.delays[0]
    return WhatIfRows(
        delay=rows.clock.delay,
        received=rows.counts.received,
        lost=lost,
        dropped_late=rows.counts.of(["dropped_late"]),
        stored=today.dropped,
        fixed=counted.fixed,
        undecided=counted.undecided,
        since=rows.since,
        may_have_ctis=rows.may_have_ctis,
        measured=sum(rows.behind.values()),
        delays=[
            WhatIfDelay(
                delay=each.delay,
                lost=lost - today.dropped + each.dropped,
                changed=changed - today.changed + each.changed,
            )
            for each in counted.delays
        ],
        goals=[
            WhatIfGoal(share=share, delay=delay)
            for share, delay in zip(goals_of(completeness), counted.goals, strict=True)
        ],
        shorter=_shorter(rows, changed),
    )


def _shorter(rows: DelayedRows, changed: int) -> list[WhatIfEstimate] | None:
    """Estimate how many rows would be late; None where lanes are raised to others, which distances don't show."""
    if rows.clock.raises_lanes or rows.since is not None or not rows.behind:
        return None
    late = rows.counts.of(["dropped_late"]) + changed
    delays = sorted({round(rows.clock.delay * share) for share in SHORTER if rows.clock.delay > 0}, reverse=True)
    return [_estimate(delay, rows.behind, rows.clock, late) for delay in delays]


def _estimate(delay: int, behind: Mapping[int, int], clock: DelayedClock, late: int) -> WhatIfEstimate:
    """Bound the late rows by the buckets that are surely, and possibly, further behind than the delay.

    A CTI is below the largest start by at most `delay` and `clock.lag`.
    """
    most = sum(count for bucket, count in behind.items() if bucket == LAST_BUCKET or bucket_end(bucket) - 1 > delay)
    surely = 0
    if clock.lag is not None:
        surely = sum(count for bucket, count in behind.items() if _bucket_begin(bucket) > delay + clock.lag)
    return WhatIfEstimate(delay=delay, fewest=max(surely, late), most=max(most, late))


def _bucket_begin(bucket: int) -> int:
    return 0 if bucket == 0 else bucket_end(bucket - 1)
