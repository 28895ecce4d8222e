"""The stored past of a binding, and the backtest of a rule over it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from streaming.definition.faults import FaultCode
from webapp.accounts.limits.previews import previewing
from webapp.alerts.backtest_job import Past, Replayed, replayed
from webapp.alerts.models import FactsChange, TurnCursor
from webapp.alerts.rules.evaluation import Thresholds
from webapp.alerts.rules.table import RULES, Scope
from webapp.alerts.thresholds import RuleSettings, thresholds_of
from webapp.alerts.turns.known_minutes import delays_of, sample_texts, spans_of_runs
from webapp.core.errors import Faulty, fault
from webapp.runs.access import access_binding
from webapp.runs.lifecycle.starting import ticks_of

WARM_UP: Final = timedelta(hours=76)
"""So much earlier a replay begins, because rules remember what was before."""


@dataclass(frozen=True)
class Backtest:
    """The outcome: the transitions since tick `begin`, before which nothing is known or wanted, until `end`."""

    begin: int
    end: int
    thresholds: Thresholds
    replayed: Replayed


def backtest(*, rule: str, binding: UUID, days: int, thresholds: Thresholds | None, now: datetime) -> Backtest:
    """Replay `rule` over the last `days` of `binding`; `thresholds` None: those in force.

    Raises `NotFound`, `Faulty`, and like a limited job.
    """
    access_binding(binding)
    if rule not in RULES or RULES[rule].scope is Scope.ORGANISATION:
        remedy = "Choose a rule about bindings."
        raise Faulty([fault(FaultCode.BAD_SHAPE, f"The rule {rule} cannot be tested.", remedy, field="rule")])
    limits = thresholds or thresholds_of(RULES[rule], RuleSettings().row(rule, binding))
    past = past_of(binding, ticks_of(now - timedelta(days=days) - WARM_UP), ticks_of(now))
    begin = max(ticks_of(now - timedelta(days=days)), past.begin)
    with previewing():
        found = replayed(rule, limits, past)
    wanted = [each for each in found.transitions if each.at > begin]
    return Backtest(begin, past.end, limits, found.model_copy(update={"transitions": wanted}))


def past_of(binding: UUID, since: int, now: int) -> Past:
    """Return all that is stored of `binding` from tick `since` to the last turn; without a turn nothing, at `now`."""
    cursor = TurnCursor.objects.first()
    changes = FactsChange.objects.filter(binding=binding)
    if cursor is None or not changes.exists():
        return Past(begin=now, end=now, known=(), facts=(), runs=(), samples=(), delays={})
    before = changes.filter(at__lte=since).last()
    facts = [] if before is None else [(before.at, before.facts)]
    facts += list(changes.filter(at__gt=since).values_list("at", "facts"))
    begin = max(since, facts[0][0])
    runs = spans_of_runs(begin, binding).get(binding, [])
    ids = [each.run for each in runs]
    return Past(
        begin=begin,
        end=cursor.until,
        known=[(a, b) for a, b in cursor.known],
        facts=facts,
        runs=runs,
        samples=list(sample_texts(ids, begin, cursor.until)),
        delays=delays_of(ids),
    )
