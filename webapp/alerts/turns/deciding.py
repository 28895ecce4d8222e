"""The decisions of a turn about one subject, from rows that were read before: no database, no clock."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from webapp.alerts.rules.evaluation import Phase, RuleState, RuleTransition, Thresholds
from webapp.alerts.rules.facts import AlertFacts
from webapp.alerts.rules.minutes import MINUTE, Minute, Window
from webapp.alerts.rules.replay import OK, FactsHistory, Span, decide_all, fold_moments, moments
from webapp.alerts.rules.table import RULES, Rule

FactsPairs = Sequence[tuple[int, AlertFacts]]


@dataclass(frozen=True)
class Subject:
    """All that a turn knows of a binding, or (`binding` None) of the organisation, before it decides.

    `facts` are in order, the last from this turn; `minutes` those to fold into `window`. `states` are by rule.
    """

    binding: UUID | None
    name: str
    facts: FactsPairs
    minutes: Sequence[Minute]
    window: Window
    states: Mapping[str, RuleState]


@dataclass
class Decided:
    """The outcome of a turn for a subject: the states that changed, in order the transitions, and the new window."""

    subject: Subject
    window: Window
    states: dict[str, RuleState] = field(default_factory=dict)
    transitions: list[tuple[Rule, RuleTransition, RuleState]] = field(default_factory=list)
    switched_off: list[str] = field(default_factory=list)


def decide_subject(
    subject: Subject, rules: Mapping[Rule, Thresholds], known: Sequence[Span], begin: int, end: int
) -> Decided:
    """Decide `rules` from tick `begin` to `end`; rules with a state that are not in `rules` were switched off."""
    history = FactsHistory.of(subject.facts, known)
    states = {name: state for name, state in subject.states.items() if any(rule.name == name for rule in rules)}
    decided = Decided(subject, subject.window, states)
    decided.switched_off = [name for name in subject.states if name not in states]
    by_facts = {rule: limits for rule, limits in rules.items() if not rule.by_minutes}
    by_minutes = {rule: limits for rule, limits in rules.items() if rule.by_minutes}
    for step in sorted({rule.step for rule in by_facts}):
        of_step = {rule: limits for rule, limits in by_facts.items() if rule.step == step}
        for moment in moments(history, begin, end, step):
            decided.transitions += [(*each, states[each[0].name]) for each in decide_all(of_step, moment, states)]
    for moment, window in fold_moments(history, subject.minutes, subject.window):
        decided.window = window
        decided.transitions += [(*each, states[each[0].name]) for each in decide_all(by_minutes, moment, states)]
    return decided


def pruned(facts: FactsPairs, until: int) -> FactsPairs:
    """Return `facts` without those that no moment after tick `until` needs."""
    needed = [index for index, (tick, _) in enumerate(facts) if tick <= until]
    return facts[needed[-1] :] if needed else facts


def extended(known: Iterable[Span], begin: int | None, at: int, longest: int) -> list[Span]:
    """Return the spans of turns after one at tick `at`; `begin` is the turn before, `longest` the longest pause."""
    spans = list(known)
    if begin is not None and spans and at - begin <= longest:
        return [*spans[:-1], (spans[-1][0], at)]
    return [*spans, (at, at)]


def whole_minute(tick: int) -> int:
    """Return the end of the last whole minute at `tick`."""
    return tick - tick % MINUTE


def fires(state: RuleState) -> bool:
    """Return whether a rule fires."""
    return state.phase is Phase.FIRING


def title(rule: str) -> str:
    """Return the title of a rule; its name for one that a newer release has added."""
    return RULES[rule].title if rule in RULES else rule


def plain(state: RuleState | None) -> RuleState:
    """Return a stored state, or that of a rule without one."""
    return OK if state is None else state
