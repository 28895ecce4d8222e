"""The built-in rules, one entry each: measure, limits, and the sentences about them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from webapp.alerts.rules.evaluation import TICKS_PER_S, Threshold, Thresholds
from webapp.alerts.rules.minutes import MINUTE


class Unit(StrEnum):
    """The unit of a rule's value and of its limits."""

    SECONDS = "s"
    SHARE = "share"
    ROWS = "rows"
    REQUESTS = "requests"
    BYTES = "bytes"
    TIMES = "times"
    SCENARIOS = "scenarios"
    RESTARTS = "restarts"


class Scope(StrEnum):
    """The object that a rule is about."""

    BINDING = "binding"
    ORGANISATION = "organisation"


@dataclass(frozen=True, eq=False)
class Rule:
    """A built-in rule. It is decided every `step` ticks, by minutes if its value comes from the rollups.

    `happens` is the sentence about a firing rule with `{name}`, `{value}`, `{rows}`, `{minutes}`, `{detail}` and
    `{since}`; `remedy` says what to do. `most` is the largest limit that makes sense, None without one.
    """

    name: str
    title: str
    unit: Unit
    thresholds: Thresholds
    happens: str
    remedy: str
    step: int = 10 * TICKS_PER_S
    scope: Scope = Scope.BINDING
    most: float | None = None

    @property
    def is_age(self) -> bool:
        """Return whether its value is the time since its condition began."""
        return self.unit is Unit.SECONDS and self.name != "lag"

    @property
    def by_minutes(self) -> bool:
        """Return whether its value comes from the rollups of minutes."""
        return self.step == MINUTE


def _limits(warn: Threshold | None = None, page: Threshold | None = None) -> Thresholds:
    return Thresholds(warn, page)


GIB: Final = float(2**30)
_OPEN_RUN: Final = "Open the run's page for its state and its log."
_STOP_THE_LOSS: Final = "Find a delay that keeps these rows on the query's page, then repair the lost ones."
_STOP_THE_LAG: Final = "The chart of the lag on the query's page names the part that is slow."
_RULES: Final = (
    Rule(
        "not_running",
        "Should run and does not",
        Unit.SECONDS,
        _limits(page=Threshold(120)),
        "{name} should run and has not run for {value}, since {since}.",
        _OPEN_RUN,
    ),
    Rule(
        "failed_user",
        "Failed: definition or data",
        Unit.SECONDS,
        _limits(Threshold(1), Threshold(900)),
        "{name} failed at {since}, because of its definition or its data. {detail}",
        "Fix the error that the run's page names, then start it again.",
    ),
    Rule(
        "failed_external",
        "Failed: source or target",
        Unit.SECONDS,
        _limits(Threshold(300)),
        "{name} has been failing since {since}, because another system fails. It is retried. {detail}",
        "Check the system that the message names.",
    ),
    Rule(
        "failed_internal",
        "Failed: Punctual",
        Unit.SECONDS,
        _limits(page=Threshold(1)),
        "{name} failed at {since}, because of an error in Punctual. {detail}",
        "Start it again. If it fails again, contact your administrator.",
    ),
    Rule(
        "runner_unknown",
        "Runner unknown",
        Unit.SECONDS,
        _limits(page=Threshold(30)),
        "The runner of {name} has not responded for {value}, since {since}.",
        "It is restarted automatically. If that takes more than a minute, contact your administrator.",
    ),
    Rule(
        "restarts",
        "Runner restarted",
        Unit.RESTARTS,
        _limits(Threshold(1), Threshold(3)),
        "The runner of {name} was lost {value} in 15 minutes, first at {since}.",
        "Read its log for the reason, and check its memory.",
    ),
    Rule(
        "cti_stuck",
        "CTI does not advance",
        Unit.SECONDS,
        _limits(Threshold(60), Threshold(300)),
        "Rows of {name} arrive, but its CTI has not advanced for {value}, since {since}, so no result is emitted.",
        "Check for an input or a lane without rows, and set an idle limit for it.",
        MINUTE,
    ),
    Rule(
        "no_rows",
        "No rows",
        Unit.SECONDS,
        _limits(Threshold(600), Threshold(7_200)),
        "{name} has received no row for {value}, since {since}.",
        "Check the source of its input.",
        MINUTE,
    ),
    Rule(
        "lag",
        "Lag",
        Unit.SECONDS,
        _limits(Threshold(60), Threshold(180, for_s=180)),
        "The results of {name} are {value} late, since {since}.",
        "Check for a lane that delays the others, and for batches that take too long.",
        MINUTE,
    ),
    Rule(
        "rows_lost",
        "Rows lost",
        Unit.SHARE,
        _limits(Threshold(0.001, rows=10), Threshold(0.01, rows=100)),
        "{name} lost {value} of its rows in 5 minutes ({rows} dropped or malformed), since {since}.",
        "Open its quarantine for the reasons. Raise the delay of the input, then repair the rows.",
        MINUTE,
        most=1,
    ),
    Rule(
        "budget_hour",
        "Loss budget burns, 1 hour",
        Unit.TIMES,
        _limits(page=Threshold(14.4, rows=100)),
        "{name} lost {rows} in an hour, {value} what its completeness allows, since {since}.",
        _STOP_THE_LOSS,
        MINUTE,
    ),
    Rule(
        "budget_day",
        "Loss budget burns, 6 hours",
        Unit.TIMES,
        _limits(page=Threshold(6, rows=100)),
        "{name} lost {rows} in six hours, {value} what its completeness allows, since {since}.",
        _STOP_THE_LOSS,
        MINUTE,
    ),
    Rule(
        "budget_month",
        "Loss budget burns, 3 days",
        Unit.TIMES,
        _limits(Threshold(1, rows=100)),
        "{name} lost {rows} in three days, {value} what its completeness allows, since {since}.",
        _STOP_THE_LOSS,
        MINUTE,
    ),
    Rule(
        "late_hour",
        "Freshness budget burns, 1 hour",
        Unit.TIMES,
        _limits(page=Threshold(14.4)),
        "{name} was late in {minutes} of an hour, {value} what its freshness level allows, since {since}.",
        _STOP_THE_LAG,
        MINUTE,
    ),
    Rule(
        "late_day",
        "Freshness budget burns, 6 hours",
        Unit.TIMES,
        _limits(page=Threshold(6)),
        "{name} was late in {minutes} of six hours, {value} what its freshness level allows, since {since}.",
        _STOP_THE_LAG,
        MINUTE,
    ),
    Rule(
        "late_month",
        "Freshness budget burns, 3 days",
        Unit.TIMES,
        _limits(Threshold(1)),
        "{name} was late in {minutes} of three days, {value} what its freshness level allows, since {since}.",
        _STOP_THE_LAG,
        MINUTE,
    ),
    Rule(
        "rows_moved",
        "Often adjusted",
        Unit.SHARE,
        _limits(Threshold(0.05)),
        "{name} adjusted or shifted {value} of its rows in 15 minutes ({rows}), since {since}.",
        "Raise the delay of the input if these rows should keep their times.",
        MINUTE,
        most=1,
    ),
    Rule(
        "rows_future",
        "Rows from the future",
        Unit.ROWS,
        _limits(Threshold(1), Threshold(100)),
        "{name} dropped {value} from the future in 5 minutes, since {since}.",
        "Check the clock of the sender, or raise the input's `max_ahead`.",
        MINUTE,
    ),
    Rule(
        "slow_batches",
        "Batch too slow",
        Unit.TIMES,
        _limits(Threshold(1, for_s=300), Threshold(3, for_s=300)),
        "The batches of {name} take {value} its freshness target, since {since}.",
        "Choose a longer freshness, or a query of its own for this binding.",
        MINUTE,
    ),
    Rule(
        "failed_rows",
        "Expressions that fail",
        Unit.SHARE,
        _limits(Threshold(0.001), Threshold(0.05)),
        "Expressions of {name} failed on {value} of its rows in 5 minutes ({rows} failures), since {since}.",
        "The run's page names the expressions and an example row.",
        MINUTE,
        most=1,
    ),
    Rule(
        "unaccounted",
        "Outcomes do not add up",
        Unit.ROWS,
        _limits(page=Threshold(1)),
        "The outcomes of {name} differ from its received rows by {value}, since {since}.",
        "This is an error in Punctual. Contact your administrator.",
        MINUTE,
    ),
    Rule(
        "delivery_retrying",
        "Delivery retrying",
        Unit.SECONDS,
        _limits(Threshold(300), Threshold(1_800)),
        "The delivery of {name} to {detail} has been failing for {value}, since {since}. It is retried.",
        "Check the target that the binding's page names.",
    ),
    Rule(
        "delivery_stopped",
        "Delivery stopped",
        Unit.SECONDS,
        _limits(page=Threshold(1)),
        "The delivery of {name} to {detail} stopped at {since}.",
        "Correct the settings of the output; the delivery then resumes where it stopped.",
    ),
    Rule(
        "delivery_waiting",
        "Results wait for delivery",
        Unit.SECONDS,
        _limits(Threshold(300), Threshold(1_800)),
        "Results of {name} have been waiting for their delivery to {detail} for {value}, since {since}.",
        "Check the target that the binding's page names.",
    ),
    Rule(
        "delivery_refused",
        "Delivery refused",
        Unit.REQUESTS,
        _limits(Threshold(1), Threshold(80)),
        "The target {detail} of {name} refused {value}, since {since}.",
        "Read the refused requests on the binding's page, correct the target, and delete the requests.",
    ),
    Rule(
        "limited",
        "Limited by the organisation's quota",
        Unit.SECONDS,
        _limits(Threshold(300), Threshold(1_800)),
        "The limit of events per second has delayed {name} for {value}, since {since}.",
        "Stop a run, or ask your administrator for a higher limit.",
    ),
    Rule(
        "slot_retains",
        "Replication slot retains",
        Unit.BYTES,
        _limits(Threshold(5 * GIB), Threshold(20 * GIB)),
        "Replication slots of {name} make their server retain {value}, since {since}.",
        "Start the binding, or delete it to remove its slots.",
    ),
    Rule(
        "red_scenario",
        "Scenario differs",
        Unit.SCENARIOS,
        _limits(Threshold(1)),
        "{value} differ on the version of {name} that runs, since {since}: {detail}.",
        "Compare the results, then correct the query or the scenario.",
    ),
    Rule(
        "quota",
        "Quota nearly used up",
        Unit.SHARE,
        _limits(Threshold(0.8), Threshold(0.95)),
        "{value} of a quota of {name} is used, since {since}. {detail}",
        "Make room as the page of quotas says.",
        scope=Scope.ORGANISATION,
        most=1,
    ),
)
RULES: Final[Mapping[str, Rule]] = {rule.name: rule for rule in _RULES}
OF_BINDINGS: Final = tuple(rule for rule in _RULES if rule.scope is Scope.BINDING)
OF_ORGANISATIONS: Final = tuple(rule for rule in _RULES if rule.scope is Scope.ORGANISATION)
