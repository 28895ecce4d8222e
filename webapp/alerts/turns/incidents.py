"""Incidents of a turn: opened, joined and resolved in its transaction, so a killed turn has written all or nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from webapp.alerts.models import Transition
from webapp.alerts.rules.evaluation import AlertLevel, Phase
from webapp.alerts.services.incidents import lock_open_incidents, open_incidents, opened
from webapp.alerts.turns.deciding import title


@dataclass(frozen=True)
class SubjectTurn:
    """The outcome of a turn for a binding or the organisation: its transitions, in order, and if a rule still fires."""

    transitions: list[Transition]
    fires: bool


def write_incidents(subjects: Mapping[UUID | None, SubjectTurn], at: int) -> None:
    """Open an incident where a rule now fires and none is open, and resolve those whose rules all resolved.

    Rules that begin to fire later join the open one. An incident that a person opened is resolved by a person. One
    that a person resolved while a rule fires isn't opened again by that rule, unless its level rises. `at` is the tick
    of the turn.
    """
    firing = {binding: news for binding, each in subjects.items() if (news := _news(each.transitions))}
    known = lock_open_incidents() if firing else open_incidents()
    for binding, news in firing.items():
        level = AlertLevel.PAGE if any(each.level == AlertLevel.PAGE for each in news) else AlertLevel.WARN
        incident = known.get(binding)
        if incident is None:
            first = min(news, key=lambda each: (each.since or each.at, each.at))
            begin = min(first.since or first.at, first.at)
            known[binding] = opened(
                binding=binding,
                title=title(first.rule),
                rule=first.rule,
                level=level,
                begin=begin,
                opened_at=first.at,
            )
        elif incident.level not in {AlertLevel.PAGE, level}:
            incident.level = level
            incident.save(update_fields=["level"])
    for binding, incident in known.items():
        if binding in subjects and not subjects[binding].fires and incident.rule:
            incident.resolved_at = _ended_at(subjects[binding].transitions, at)
            incident.save(update_fields=["resolved_at"])


def _news(transitions: list[Transition]) -> list[Transition]:
    return [each for each in transitions if each.after == Phase.FIRING]


def _ended_at(transitions: list[Transition], at: int) -> int:
    """Return the tick at which the last rule resolved."""
    ended = [each.at for each in transitions if each.before == Phase.FIRING != each.after]
    return max(ended, default=at)
