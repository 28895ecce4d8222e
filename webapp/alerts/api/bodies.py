"""Requests and responses of the API about alerts. Times are ticks unless they are texts."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, RootModel

from streaming.definition.names import Name
from streaming.definition.strict import Strict
from webapp.alerts.backtest_job import ReplayedTransition
from webapp.alerts.notifications import OutboxState
from webapp.alerts.rules.evaluation import AlertLevel, Phase
from webapp.alerts.rules.table import Scope, Unit

Reason = Annotated[str, Field(min_length=1, max_length=500)]
AlertPhase = Literal["firing", "pending", "unknown", "resolved"]


class SubjectResponse(Strict):
    """The binding that an alert is about."""

    id: str
    name: str


class AcknowledgementResponse(Strict):
    """The person or program that has taken an alert, and when."""

    by: str
    at: str
    note: str


class AlertResponse(Strict):
    """A rule that is not ok; `binding` is null for a rule about the organisation.

    `phase` is `unknown` if nothing is known now and it does not fire. `since` is the start of its condition,
    `unknown_since` of the span in which nothing is known. `notified`: a channel was notified of it. `silenced_until`:
    no channel is, until then.
    """

    id: str
    rule: str
    title: str
    binding: SubjectResponse | None
    phase: AlertPhase
    level: AlertLevel | None
    sentence: str
    value: float
    unit: Unit
    since: int | None
    fired_at: int | None
    resolved_at: int | None
    unknown_since: int | None
    notified: bool
    silenced_until: str | None
    acknowledged: AcknowledgementResponse | None


class UndecidedBinding(Strict):
    """A binding whose rules about rows are unknown since tick `since`."""

    id: str
    since: int


class AlertCounts(Strict):
    """The numbers of rules in each state, however the list is filtered; `paging` of the firing ones page."""

    firing: int
    paging: int
    pending: int
    unknown: int
    resolved: int
    channels: int


class AlertList(Strict):
    """The alerts, firing ones first; `decided_at` is the tick up to which rules were decided, null before a turn."""

    alerts: list[AlertResponse]
    undecided: list[UndecidedBinding]
    counts: AlertCounts
    decided_at: int | None


class AlertQuery(Strict):
    """The filters of the list of alerts."""

    phase: AlertPhase | None = None
    level: AlertLevel | None = None
    binding: UUID | None = None
    rule: Annotated[str, Field(max_length=32)] | None = None


class AcknowledgeRequest(Strict):
    """A note for others, which may be empty."""

    note: Annotated[str, Field(max_length=500)] = ""


class TransitionQuery(Strict):
    """The filters of the history; `before` is the `next` of the previous page."""

    before: Annotated[str, Field(max_length=80)] | None = None
    binding: UUID | None = None
    rule: Annotated[str, Field(max_length=32)] | None = None


class TransitionResponse(Strict):
    """A change of a rule from phase `before` to phase `after` at tick `at`."""

    id: str
    rule: str
    title: str
    binding: SubjectResponse | None
    at: int
    before: Phase
    after: Phase
    level: AlertLevel | None
    value: float
    rows: int
    fired_at: int | None
    sentence: str


class TransitionPage(Strict):
    """Transitions, newest first; `next` is the `before` of the next page, null at the oldest."""

    transitions: list[TransitionResponse]
    next: str | None


class ThresholdBody(Strict):
    """A limit: reached if the value is at least `at` on at least `rows` rows, for `for_s` seconds without a break."""

    at: float
    for_s: Annotated[int, Field(ge=0, le=86_400)] = 0
    rows: Annotated[int, Field(ge=0)] = 0


class ThresholdsBody(Strict):
    """The limits of both levels; null: no such level."""

    warn: ThresholdBody | None
    page: ThresholdBody | None


class RuleSettingsResponse(Strict):
    """The settings of a rule for the organisation (`binding` null) or one binding; null limits: the built-in ones."""

    binding: SubjectResponse | None
    thresholds: ThresholdsBody
    enabled: bool
    reason: str
    changed_by: str
    changed_at: str


class RuleResponse(Strict):
    """A built-in rule, its built-in limits, and the settings that differ."""

    rule: str
    title: str
    unit: Unit
    scope: Scope
    remedy: str
    thresholds: ThresholdsBody
    settings: list[RuleSettingsResponse]


class RuleList(RootModel[list[RuleResponse]]):
    """All rules, in the order of the documentation."""


class RuleRequest(Strict):
    """The settings of a rule for the organisation (`binding` null) or one binding.

    `reset` deletes them. `thresholds` null: the built-in ones. A rule that is not `enabled` needs a `reason`.
    """

    rule: Annotated[str, Field(max_length=32)]
    binding: UUID | None = None
    reset: bool = False
    thresholds: ThresholdsBody | None = None
    enabled: bool = True
    reason: Annotated[str, Field(max_length=500)] = ""


class SilenceRequest(Strict):
    """A silence from now until `ends_at`; `rule` empty: all rules; `binding` null: all bindings."""

    rule: Annotated[str, Field(max_length=32)] = ""
    binding: UUID | None = None
    ends_at: Annotated[datetime, Field(strict=False)]
    reason: Reason


class SilenceResponse(Strict):
    """A silence that has not ended."""

    id: str
    rule: str
    title: str
    binding: SubjectResponse | None
    begins_at: str
    ends_at: str
    reason: str
    by: str


class SilenceList(RootModel[list[SilenceResponse]]):
    """The silences in force, those that end last first."""


class ChannelRequest(Strict):
    """A channel; a secret is a text, or the placeholder `{"sealed": true}` to keep the stored one."""

    name: Annotated[str, Field(min_length=1, max_length=63, pattern=r"^\S(.*\S)?$")]
    kind: Name
    options: dict[str, Any]
    level: AlertLevel = AlertLevel.WARN
    enabled: bool = True


class ChannelMessageResponse(Strict):
    """A message of a channel; `message` is why its last attempt failed. `failed`: it is not tried again."""

    id: str
    headline: str
    test: bool
    state: OutboxState
    created_at: str
    due_at: str | None
    ended_at: str | None
    attempts: int
    message: str


class ChannelMessageList(RootModel[list[ChannelMessageResponse]]):
    """The newest messages of a channel, newest first."""


class ChannelResponse(Strict):
    """A channel with placeholders for its secrets; `trouble` is the newest message that could not be sent."""

    id: str
    name: str
    kind: str
    title: str
    options: dict[str, Any]
    level: AlertLevel
    enabled: bool
    trouble: ChannelMessageResponse | None


class ChannelKindResponse(Strict):
    """A kind of channel, with the JSON Schema of its options."""

    kind: str
    title: str
    options: dict[str, Any]


class ChannelList(RootModel[list[ChannelResponse]]):
    """The channels by name."""


class ChannelKindList(RootModel[list[ChannelKindResponse]]):
    """The kinds of channels, in the order of a menu."""


class BacktestRequest(Strict):
    """The rule and the binding to test over the last `days`; `thresholds` null: those in force."""

    rule: Annotated[str, Field(max_length=32)]
    binding: UUID
    days: Annotated[int, Field(ge=1, le=30)] = 7
    thresholds: ThresholdsBody | None = None


class BacktestResponse(Strict):
    """The transitions that the rule would have made from tick `begin` to `end`; `unknown_s` of it are not known."""

    begin: int
    end: int
    thresholds: ThresholdsBody
    transitions: list[ReplayedTransition]
    firings: int
    unknown_s: int
