"""The verdict on a binding's results in a range: whether they can be trusted, since when not, and who is to blame."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from streaming.definition.counts import counted
from webapp.live.conditions import Condition, LiveFinding, clock, who_loses
from webapp.live.figures import PeriodCounts
from webapp.live.history import BindingHistory, HistoryStep
from webapp.live.queries import LiveRun
from webapp.runs.states import IN_NO_RESULT, Observed


class Trust(StrEnum):
    """The trust in the results of a range: complete, short of rows, unknown; `stopped`: no run is active."""

    COMPLETE = "complete"
    SHORT = "short"
    UNKNOWN = "unknown"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Verdict:
    """The answers to the first three questions of an operator, as sentences; `since` and `final_until` are ticks.

    `blame` is empty if nothing names a cause.
    """

    trust: Trust
    sentence: str
    since: int | None
    blame: str
    final_until: int | None


def verdict_of(history: BindingHistory, run: LiveRun | None, findings: Sequence[LiveFinding], now: int) -> Verdict:
    """Return the verdict on the results in the range of `history`; `run` is the newest run."""
    whole, lossy = counted_in(history.steps), [step for step in history.steps if step.counts.of(IN_NO_RESULT)]
    lost, final = whole.of(IN_NO_RESULT), None if run is None else _final_until(run)
    blame = _blame(run, findings)
    if lost:
        words = f"No: {lost:,} of {counted(whole.received, 'row')} are in no result."
        return Verdict(Trust.SHORT, words, lossy[0].at, blame, final)
    unknown = [step for step in history.steps if step.knowledge == "unknown"]
    if run is not None and run.state.observed == Observed.LOST:
        return Verdict(Trust.UNKNOWN, f"Not known since {clock(run.changed_at, now)}.", run.changed_at, blame, final)
    if unknown:
        return Verdict(Trust.UNKNOWN, "Not known: reports of this range are missing.", unknown[0].at, blame, final)
    if run is None or run.state.ended_at is not None:
        until = "" if final is None else f" Results are final up to {clock(final, now)}."
        return Verdict(Trust.STOPPED, f"No run is active.{until}", None, blame, final)
    if final is None:
        return Verdict(Trust.COMPLETE, "Yes, but no result is final yet.", None, blame, None)
    return Verdict(Trust.COMPLETE, f"Yes: complete and final up to {clock(final, now)}.", None, blame, final)


def counted_in(steps: Sequence[HistoryStep]) -> PeriodCounts:
    """Return the counts of all steps together."""
    whole = PeriodCounts()
    for step in steps:
        whole = whole.plus(step.counts)
    return whole


def _final_until(run: LiveRun) -> int | None:
    """Return the smallest CTI of the inputs that have not ended, before which nothing changes; None without one."""
    ctis = [each.cti for each in run.inputs.values() if not each.ended]
    return None if not ctis or None in ctis else min(cti for cti in ctis if cti is not None)


def _blame(run: LiveRun | None, findings: Sequence[LiveFinding]) -> str:
    named = "" if run is None else who_loses(run.inputs)
    others = (each.sentence for each in findings if each.condition not in {Condition.ROWS_LOST, Condition.HEALTHY})
    return named or next(others, "")
