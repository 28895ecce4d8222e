"""The condition of a live query and the sentence why; no database, no clock."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from streaming.definition.counts import counted
from streaming.simulator.words import never_moves, stands_at
from streaming.wire.progress import InputCounts, LaneProgress
from webapp.alerts.rules.evaluation import Phase
from webapp.alerts.rules.minutes import MINUTE
from webapp.alerts.rules.sentences import duration, written
from webapp.alerts.rules.table import Unit
from webapp.live.figures import MOVED
from webapp.live.queries import LiveAlert, LiveDelivery, LiveQuery
from webapp.monitoring.reading import TICKS_PER_S
from webapp.runs.states import IN_NO_RESULT, Desired, Observed

START_PATIENCE: Final = 2 * MINUTE
SILENT_AFTER: Final = 10 * MINUTE
LANE_PATIENCE: Final = 5 * MINUTE
LEAST_LOST: Final = 10
LOST_SHARE: Final = 0.001
MOVED_SHARE: Final = 0.05
LEAST_MOVED: Final = 20
MOST_OF: Final = 0.8
"""A lane is named only if it has more than this share of the rows."""


class Condition(StrEnum):
    """The condition of a live query, worst first: by what gets worse while you wait."""

    ROWS_LOST = "rows_lost"
    NO_OUTPUT = "no_output"
    FAILED = "failed"
    NOT_RUNNING = "not_running"
    UNKNOWN = "unknown"
    DELIVERY_STOPPED = "delivery_stopped"
    DELIVERY_FAILING = "delivery_failing"
    NO_ROWS = "no_rows"
    LANE_DELAYS = "lane_delays"
    CLOCK_AHEAD = "clock_ahead"
    OFTEN_ADJUSTED = "often_adjusted"
    SLOW = "slow"
    ALERT = "alert"
    UNDECIDED = "undecided"
    STARTING = "starting"
    HEALTHY = "healthy"


RANKS: Final[Mapping[Condition, int]] = {condition: rank for rank, condition in enumerate(Condition)}
_OF_RULES: Final[Mapping[str, Condition]] = {
    "rows_lost": Condition.ROWS_LOST,
    "budget_hour": Condition.ROWS_LOST,
    "budget_day": Condition.ROWS_LOST,
    "budget_month": Condition.ROWS_LOST,
    "unaccounted": Condition.ROWS_LOST,
    "cti_stuck": Condition.NO_OUTPUT,
    "failed_user": Condition.FAILED,
    "failed_external": Condition.FAILED,
    "failed_internal": Condition.FAILED,
    "not_running": Condition.NOT_RUNNING,
    "runner_unknown": Condition.UNKNOWN,
    "delivery_stopped": Condition.DELIVERY_STOPPED,
    "delivery_retrying": Condition.DELIVERY_FAILING,
    "delivery_waiting": Condition.DELIVERY_FAILING,
    "delivery_refused": Condition.DELIVERY_FAILING,
    "no_rows": Condition.NO_ROWS,
    "rows_future": Condition.CLOCK_AHEAD,
    "rows_moved": Condition.OFTEN_ADJUSTED,
    "lag": Condition.SLOW,
    "late_hour": Condition.SLOW,
    "late_day": Condition.SLOW,
    "late_month": Condition.SLOW,
    "slow_batches": Condition.SLOW,
    "limited": Condition.SLOW,
}


@dataclass(frozen=True)
class LiveFinding:
    """A condition of a live query since tick `since` (None: unknown), and the sentence about it."""

    condition: Condition
    since: int | None
    sentence: str


def findings(query: LiveQuery, now: int) -> list[LiveFinding]:
    """Return everything that is not as it should be, worst first; an alert only if nothing else says so."""
    found = [*_of_state(query, now), *_of_rows(query, now), *_of_clocks(query, now), *_of_deliveries(query, now)]
    known = {each.condition for each in found}
    found += [each for each in _of_alerts(query, now) if each.condition not in known]
    return sorted(found, key=lambda each: RANKS[each.condition])


def clock(tick: int, now: int) -> str:
    """Format a time in UTC, with its date if that is not the day of `now`."""
    at, today = (datetime.fromtimestamp(each / TICKS_PER_S, UTC) for each in (tick, now))
    return at.strftime("%H:%M" if at.date() == today.date() else "%Y-%m-%d %H:%M")


def _of_state(query: LiveQuery, now: int) -> Iterator[LiveFinding]:
    run, state = query.run, query.run.state
    at, message = clock(run.changed_at, now), state.message or ""
    if state.observed == Observed.FAILED:
        yield LiveFinding(Condition.FAILED, run.changed_at, f"Failed at {at}: {message}".rstrip(": "))
    elif state.observed == Observed.LOST:
        yield LiveFinding(Condition.UNKNOWN, run.changed_at, message or f"Unknown since {at}.")
    elif state.observed == Observed.STOPPING:
        yield LiveFinding(Condition.STARTING, run.changed_at, f"Stopping since {at}.")
    elif state.ended_at is None and state.observed != Observed.RUNNING and state.desired == Desired.RUNNING:
        waits = now - run.changed_at < START_PATIENCE and not message
        words = f"Starting since {at}." if waits else f"Should run, and has not run since {at}. {message}".strip()
        yield LiveFinding(Condition.STARTING if waits else Condition.NOT_RUNNING, run.changed_at, words)


def _of_rows(query: LiveQuery, now: int) -> Iterator[LiveFinding]:
    recent = query.recent
    lost, moved, early = recent.of(IN_NO_RESULT), recent.of(MOVED), recent.of(["dropped_early"])
    share = lost / recent.received if recent.received else 0.0
    if lost >= LEAST_LOST and share >= LOST_SHARE:
        words = f"{counted(lost, 'row')} ({written(share, Unit.SHARE)}) lost in 15 minutes."
        yield LiveFinding(Condition.ROWS_LOST, None, f"{words} {who_loses(query.run.inputs)}".strip())
    if early:
        yield LiveFinding(
            Condition.CLOCK_AHEAD,
            None,
            f"{counted(early, 'row')} from the future dropped in 15 minutes: a sender's clock is ahead.",
        )
    if moved >= LEAST_MOVED and moved / recent.received >= MOVED_SHARE:
        words = f"{written(moved / recent.received, Unit.SHARE)} of the rows in 15 minutes had their start moved."
        yield LiveFinding(Condition.OFTEN_ADJUSTED, None, words)
    yield from _of_silence(query, now)


def _of_silence(query: LiveQuery, now: int) -> Iterator[LiveFinding]:
    """Yield a finding if a run that is there has reported no row for long: that is not the same as being fine."""
    run = query.run
    if run.state.observed != Observed.RUNNING or (run.inputs and all(each.ended for each in run.inputs.values())):
        return
    last = max(run.reported_at or run.created_at, run.changed_at)
    patience = max(SILENT_AFTER, 3 * query.usual_gap, 2 * query.freshness)
    if now - last >= patience:
        first = "No row has arrived since its start" if run.reported_at is None else "No row has arrived"
        words = f"{first} for {duration((now - last) / TICKS_PER_S)}, since {clock(last, now)}. Check the source."
        yield LiveFinding(Condition.NO_ROWS, last, words)


def _of_clocks(query: LiveQuery, now: int) -> Iterator[LiveFinding]:
    if query.stuck:
        yield LiveFinding(Condition.NO_OUTPUT, None, _why_silent(query, now))
    for name, counts in query.run.inputs.items():
        lane = _slowest(counts)
        if lane is not None and not counts.ended and (counts.lane_wait or 0) >= LANE_PATIENCE:
            behind = duration((counts.lane_wait or 0) / TICKS_PER_S)
            words = f"Lane {lane.lane} of {name} delays the results: its CTI is {behind} below the highest one."
            yield LiveFinding(Condition.LANE_DELAYS, lane.last_arrival, f"{words} {_last_row(lane, now)}".strip())


def _why_silent(query: LiveQuery, now: int) -> str:
    """Explain why rows arrive and nothing leaves, in the simulator's words about the inputs' clocks."""
    if query.run.without_clock:
        return " ".join(never_moves(name) for name in query.run.without_clock)
    name, counts = min(
        ((name, counts) for name, counts in query.run.inputs.items() if not counts.ended),
        key=lambda each: -1 if each[1].cti is None else each[1].cti,
    )
    stands = stands_at(name, None if counts.cti is None else f"{clock(counts.cti, now)} UTC")
    lane = _slowest(counts)
    if lane is None or len(counts.lanes or []) < 2:
        return f"Rows arrive, and nothing is emitted. {stands}"
    return f"Waits for lane {lane.lane} of {name}. {_last_row(lane, now)} {stands}"


def _slowest(counts: InputCounts) -> LaneProgress | None:
    """Return the lane for which an input waits; None if lanes are not reported."""
    waited = [lane for lane in counts.lanes or [] if lane.state in {"reading", "waiting"}]
    return min(waited, key=lambda lane: -(2**62) if lane.cti is None else lane.cti, default=None)


def _last_row(lane: LaneProgress, now: int) -> str:
    if lane.last_arrival is None:
        return "It has sent no row yet." if lane.received == 0 else ""
    silent = duration(max(0, now - lane.last_arrival) / TICKS_PER_S)
    return f"Its last row came {silent} ago, at {clock(lane.last_arrival, now)}."


def who_loses(inputs: Mapping[str, InputCounts]) -> str:
    """Name the lane that has most of the rows dropped in this run, if one has."""
    lanes = [(name, lane) for name, counts in inputs.items() for lane in counts.lanes or []]
    others = [counts.other_lanes for counts in inputs.values() if counts.other_lanes is not None]
    dropped = sum(lane.dropped for _, lane in lanes) + sum(each.dropped for each in others)
    if not dropped or len(lanes) < 2:
        return ""
    name, worst = max(lanes, key=lambda each: each[1].dropped)
    if worst.dropped > MOST_OF * dropped:
        return f"Lane {worst.lane} of {name} has {worst.dropped:,} of the {dropped:,} dropped rows of this run."
    affected = sum(lane.dropped > 0 for _, lane in lanes)
    return f"Spread over {counted(affected, 'lane')}." if not any(each.dropped for each in others) else ""


def _of_deliveries(query: LiveQuery, now: int) -> Iterator[LiveFinding]:
    for each in query.deliveries:
        if each.seen is None:
            continue
        seen, waits = each.seen, _waiting(each)
        since = seen.failing_since or seen.at
        if seen.state == "stopped":
            words = f"The delivery of {each.node} stopped at {clock(since, now)}. {waits} {seen.message or ''}"
            yield LiveFinding(Condition.DELIVERY_STOPPED, since, words.strip())
        elif seen.state == "retrying":
            words = f"The delivery of {each.node} has failed since {clock(since, now)}. {waits} {seen.message or ''}"
            yield LiveFinding(Condition.DELIVERY_FAILING, since, words.strip())
        elif seen.refused_requests:
            words = f"The target of {each.node} refused {counted(seen.refused_requests, 'request')}."
            yield LiveFinding(Condition.DELIVERY_FAILING, since, words)


def _waiting(delivery: LiveDelivery) -> str:
    seen = delivery.seen
    if seen is None or not seen.waiting_rows:
        return ""
    most = "" if seen.waiting_exact else "at most "
    return f"{most}{counted(seen.waiting_rows, 'row')} waiting.".capitalize()


def _of_alerts(query: LiveQuery, now: int) -> Iterator[LiveFinding]:
    for each in query.alerts:
        if each.phase in {Phase.FIRING, Phase.PENDING}:
            yield LiveFinding(_OF_RULES.get(each.rule, Condition.ALERT), each.since, each.sentence)
    unknown = [each for each in query.alerts if each.phase == "unknown"]
    if query.undecided_since is not None:
        words = f"Rules about its rows have not been decided since {clock(query.undecided_since, now)}."
        yield LiveFinding(Condition.UNDECIDED, query.undecided_since, words)
    elif unknown:
        yield LiveFinding(Condition.UNDECIDED, None, f"{_titles(unknown)}: unknown, because reports are missing.")


def _titles(alerts: list[LiveAlert]) -> str:
    return ", ".join(each.title for each in alerts)
