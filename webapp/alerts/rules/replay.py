"""The moments at which rules are decided, from stored facts and minutes: the same for live turns and for backtests."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from webapp.alerts.rules.evaluation import Measurement, RuleState, RuleTransition, Thresholds, decide
from webapp.alerts.rules.facts import AlertFacts
from webapp.alerts.rules.measures import Moment, measure
from webapp.alerts.rules.minutes import Minute, Window, fold
from webapp.alerts.rules.table import Rule

Span = tuple[int, int]
"""Two ticks: from, until."""
OK: Final = RuleState()
LAST: Final = 2**63


@dataclass(frozen=True)
class FactsHistory:
    """AlertFacts in the order of time, each from its tick until the next, and the spans in which turns were made."""

    ticks: Sequence[int]
    facts: Sequence[AlertFacts]
    known: Sequence[Span]

    @classmethod
    def of(cls, changes: Iterable[tuple[int, AlertFacts]], known: Sequence[Span]) -> "FactsHistory":
        """Return the history of `changes`, which are in order."""
        pairs = list(changes)
        return cls([tick for tick, _ in pairs], [facts for _, facts in pairs], known)

    def at(self, tick: int) -> AlertFacts | None:
        """Return the facts in force at `tick`; None before the first, and while no turns were made."""
        span = bisect_right(self.known, (tick, LAST)) - 1
        return None if span < 0 or tick > self.known[span][1] else self.latest(tick)

    def latest(self, tick: int) -> AlertFacts | None:
        """Return the newest facts at `tick`, however old they are; None before the first."""
        index = bisect_right(self.ticks, tick) - 1
        return None if index < 0 else self.facts[index]


def failed_rows(history: FactsHistory, end: int) -> int:
    """Return the failures of expressions that are known at tick `end`."""
    facts = history.latest(end)
    return 0 if facts is None else facts.failed_rows


def moments(history: FactsHistory, begin: int, end: int, step: int) -> Iterator[Moment]:
    """Yield the moments in `(begin, end]` for rules that facts alone decide."""
    for tick in range(begin - begin % step + step, end + 1, step):
        yield Moment(tick, history.at(tick))


def fold_moments(history: FactsHistory, minutes: Iterable[Minute], window: Window) -> Iterator[tuple[Moment, Window]]:
    """Yield the moment at the end of each minute, with the window then."""
    for each in minutes:
        facts = history.latest(each.at)
        window = fold(window, each, None if facts is None else facts.late_after_s)
        yield Moment(each.at, history.at(each.at), window if each.known else None), window


def decide_all(
    rules: Mapping[Rule, Thresholds], moment: Moment, states: dict[str, RuleState]
) -> Iterator[tuple[Rule, RuleTransition]]:
    """Decide `rules` at `moment`, replace the changed `states`, and yield the transitions."""
    for rule, thresholds in rules.items():
        state = states.get(rule.name, OK)
        measurement = measure(rule.name, moment)
        if state is OK and not _may_matter(measurement, thresholds):
            continue
        states[rule.name], transition = decide(measurement, thresholds, state)
        if transition is not None:
            yield rule, transition


def _may_matter(measurement: Measurement, thresholds: Thresholds) -> bool:
    """Return whether `measurement` could change a rule that is ok; most don't, and there are thousands in a turn."""
    levels = [each.at for each in (thresholds.warn, thresholds.page) if each is not None]
    return measurement.value is not None and measurement.value >= min(levels)


def is_plain(state: RuleState) -> bool:
    """Return whether `state` decides like a rule that was never anything but ok, so need not be stored."""
    clocks = (state.warn_since, state.page_since, state.calm_since)
    return state.phase is OK.phase and clocks == (None, None, None)
