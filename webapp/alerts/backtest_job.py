"""The backtest in a limited process: the rule replayed over stored facts and minutes, as live turns decide it."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streaming.definition.strict import Strict
from webapp.alerts.rules.evaluation import AlertLevel, Phase, RuleState, RuleTransition, Thresholds
from webapp.alerts.rules.facts import AlertFacts
from webapp.alerts.rules.minutes import EMPTY, Totals, totals_of
from webapp.alerts.rules.replay import FactsHistory, Span, decide_all, failed_rows, fold_moments, moments
from webapp.alerts.rules.run_spans import SETTLES, RunSpan, due_minutes, minute
from webapp.alerts.rules.table import RULES
from webapp.core.limited.jobs import READING, limited


@dataclass(frozen=True)
class Past:
    """All that is stored of a binding between two ticks; `samples` are run, end of the minute, JSON, `overdue`."""

    begin: int
    end: int
    known: Sequence[Span]
    facts: Sequence[tuple[int, Mapping[str, Any]]]
    runs: Sequence[RunSpan]
    samples: Sequence[tuple[str, int, str, int | None]]
    delays: Mapping[str, Mapping[str, int]]


class ReplayedTransition(Strict):
    """A transition that the rule would have made; times are ticks."""

    at: int
    before: Phase
    after: Phase
    level: AlertLevel | None
    value: float
    rows: int
    fired_at: int | None


class Replayed(Strict):
    """The outcome: the transitions in order of time, and the seconds of the span in which nothing is known."""

    transitions: list[ReplayedTransition]
    unknown_s: int


_SHORTER: Final = "Choose fewer days."


@limited("The backtest of a rule", _SHORTER, READING)
def replayed(rule: str, thresholds: Thresholds, past: Past) -> Replayed:
    """Return the transitions of `rule` over `past`."""
    return replay(rule, thresholds, past)


def replay(rule: str, thresholds: Thresholds, past: Past) -> Replayed:
    """Return the transitions of `rule` over `past`, computed in this process."""
    built_in = RULES[rule]
    facts = [(tick, AlertFacts.from_json(dict(content))) for tick, content in past.facts]
    history = FactsHistory.of(facts, past.known)
    states: dict[str, RuleState] = {}
    found: list[RuleTransition] = []
    unknown = 0
    steps = _by_minutes(past, history) if built_in.by_minutes else moments(history, past.begin, past.end, built_in.step)
    for moment in steps:
        unknown += built_in.step if moment.facts is None or (built_in.by_minutes and moment.window is None) else 0
        found += [each for _, each in decide_all({built_in: thresholds}, moment, states)]
    return Replayed(transitions=[_replayed_transition(each) for each in found], unknown_s=unknown // 1_000_000)


def _by_minutes(past: Past, history: FactsHistory) -> Any:
    totals: dict[str, dict[int, Totals]] = defaultdict(dict)
    for run, end, text, overdue in past.samples:
        totals[run][end] = totals_of(json.loads(text), past.delays.get(run, {}), overdue)
    due = due_minutes(past.runs, past.begin, past.end - SETTLES)
    minutes = (minute(end, span, totals, failed_rows(history, end)) for end, span in due)
    return (moment for moment, _ in fold_moments(history, minutes, EMPTY))


def _replayed_transition(each: RuleTransition) -> ReplayedTransition:
    return ReplayedTransition(
        at=each.at,
        before=each.before,
        after=each.after,
        level=each.level,
        value=each.value,
        rows=each.rows,
        fired_at=each.fired_at,
    )
