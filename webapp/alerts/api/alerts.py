"""Alerts over HTTP: the list, the history, acknowledgements, silences, rules, backtests."""

from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from webapp.accounts.access import TenantView
from webapp.alerts.api.bodies import (
    AcknowledgementResponse,
    AcknowledgeRequest,
    AlertCounts,
    AlertList,
    AlertPhase,
    AlertQuery,
    BacktestRequest,
    BacktestResponse,
    RuleList,
    RuleRequest,
    RuleResponse,
    SilenceList,
    SilenceRequest,
    SilenceResponse,
    TransitionPage,
    TransitionQuery,
    UndecidedBinding,
)
from webapp.alerts.api.parameters import REFUSALS, WRITES, after_cursor, next_cursor, read_parameters
from webapp.alerts.api.responses import (
    alert_response,
    read_thresholds,
    settings_response,
    silence_response,
    thresholds_body,
    transition_response,
)
from webapp.alerts.models import AlertRule, AlertState, Channel, Transition, TurnCursor
from webapp.alerts.rules.evaluation import AlertLevel, Phase
from webapp.alerts.rules.table import RULES, Rule
from webapp.alerts.services import alerts, rules
from webapp.alerts.services.backtest import backtest
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope, Faulty, fault

PAGE = 100
_BINDING = OpenApiParameter("binding", UUID, description="Only those of this binding.")
_RULE = OpenApiParameter("rule", str, description="Only those of this rule.")
_UNKNOWN = Q(unknown_since__isnull=False) & ~Q(phase=Phase.FIRING)


def _phase(phase: AlertPhase) -> Q:
    return _UNKNOWN if phase == "unknown" else Q(phase=phase) & ~_UNKNOWN


class AlertsView(TenantView):
    """The rules that are not ok."""

    @extend_schema(
        operation_id="alerts_list",
        parameters=[
            OpenApiParameter("phase", str, enum=["firing", "pending", "unknown", "resolved"]),
            OpenApiParameter("level", str, enum=list(AlertLevel)),
            _BINDING,
            _RULE,
        ],
        responses={200: AlertList, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the alerts, firing ones first, and those that page before others."""
        asked = read_parameters(request, AlertQuery)
        condition = ~Q(phase=Phase.OK) | Q(unknown_since__isnull=False)
        for found in (
            None if asked.phase is None else _phase(asked.phase),
            None if asked.level is None else Q(level=asked.level),
            None if asked.binding is None else Q(binding=asked.binding),
            None if asked.rule is None else Q(rule=asked.rule),
        ):
            condition &= Q() if found is None else found
        now, cursor = timezone.now(), TurnCursor.objects.first()
        undecided = alerts.undecided(now)
        return answer(
            AlertList(
                alerts=[alert_response(each) for each in alerts.listed_alerts(condition, now)],
                undecided=[UndecidedBinding(id=str(pk), since=since) for pk, since in undecided.items()],
                counts=_counts(),
                decided_at=None if cursor is None else cursor.until,
            )
        )


def _counts() -> AlertCounts:
    rows = list(AlertState.objects.values_list("phase", "level", "unknown_since"))
    unknown = sum(phase != Phase.FIRING and since is not None for phase, _, since in rows)
    decided = [phase for phase, _, since in rows if phase == Phase.FIRING or since is None]
    return AlertCounts(
        firing=decided.count(Phase.FIRING),
        paging=sum((phase, level) == (Phase.FIRING, AlertLevel.PAGE) for phase, level, _ in rows),
        pending=decided.count(Phase.PENDING),
        unknown=unknown,
        resolved=decided.count(Phase.RESOLVED),
        channels=Channel.objects.filter(enabled=True).count(),
    )


class AcknowledgeView(TenantView):
    """The acknowledgement of an alert."""

    @extend_schema(
        operation_id="alerts_acknowledge",
        request=AcknowledgeRequest,
        responses={201: AcknowledgementResponse, **WRITES},
    )
    def post(self, request: Request, slug: str, alert: UUID) -> Response:
        """Take a firing alert, so that others see who works on it."""
        alerts.access_alert(alert)
        made = alerts.acknowledge(alert=alert, note=read_body(request, AcknowledgeRequest).note)
        return answer(AcknowledgementResponse(by=made.by_label, at=made.at.isoformat(), note=made.note), 201)


class TransitionsView(TenantView):
    """The history of all rules."""

    @extend_schema(
        operation_id="alerts_transitions",
        parameters=[
            OpenApiParameter("before", str, description="The `next` of the previous page."),
            _BINDING,
            _RULE,
        ],
        responses={200: TransitionPage, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return a page of transitions, newest first."""
        asked = read_parameters(request, TransitionQuery)
        rows = Transition.objects.select_related("binding")
        if asked.before is not None:
            rows = rows.filter(after_cursor(asked.before, "at"))
        rows = rows if asked.binding is None else rows.filter(binding=asked.binding)
        rows = rows if asked.rule is None else rows.filter(rule=asked.rule)
        found = list(rows[: PAGE + 1])
        return answer(
            TransitionPage(
                transitions=[transition_response(each) for each in found[:PAGE]],
                next=next_cursor(found, PAGE, "at"),
            )
        )


class RulesView(TenantView):
    """The rules and their settings."""

    @extend_schema(operation_id="alert_rules_list", responses={200: RuleList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List all rules, with the settings of the organisation and of bindings that differ."""
        rows = list(AlertRule.objects.select_related("binding").order_by("binding__name", "pk"))
        return answer(RuleList([_rule_response(rule, rows) for rule in RULES.values()]))

    @extend_schema(operation_id="alert_rules_change", request=RuleRequest, responses={200: RuleResponse, **WRITES})
    def put(self, request: Request, slug: str) -> Response:
        """Change or reset the settings of a rule, for the organisation or one binding."""
        body = read_body(request, RuleRequest)
        if body.reset:
            rules.reset_rule(rule=body.rule, binding=body.binding)
        else:
            rules.change_rule(
                rule=body.rule,
                binding=body.binding,
                thresholds=read_thresholds(body.thresholds),
                enabled=body.enabled,
                reason=body.reason,
            )
        rows = list(AlertRule.objects.select_related("binding").order_by("binding__name", "pk"))
        return answer(_rule_response(RULES[body.rule], rows))


def _rule_response(rule: Rule, rows: list[AlertRule]) -> RuleResponse:
    return RuleResponse(
        rule=rule.name,
        title=rule.title,
        unit=rule.unit,
        scope=rule.scope,
        remedy=rule.remedy,
        thresholds=thresholds_body(rule.thresholds),
        settings=[settings_response(each) for each in rows if each.rule == rule.name],
    )


class BacktestView(TenantView):
    """Backtests of rules."""

    @extend_schema(
        operation_id="alerts_backtest",
        request=BacktestRequest,
        responses={200: BacktestResponse, 429: ErrorEnvelope, **WRITES},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Replay a rule over the stored past of a binding; nothing is stored or sent."""
        body = read_body(request, BacktestRequest)
        found = backtest(
            rule=body.rule,
            binding=body.binding,
            days=body.days,
            thresholds=read_thresholds(body.thresholds),
            now=timezone.now(),
        )
        transitions = found.replayed.transitions
        firings = sum((each.before, each.after) != (Phase.FIRING, Phase.FIRING) for each in transitions if _fires(each))
        return answer(
            BacktestResponse(
                begin=found.begin,
                end=found.end,
                thresholds=thresholds_body(found.thresholds),
                transitions=transitions,
                firings=firings,
                unknown_s=found.replayed.unknown_s,
            )
        )


def _fires(each: Any) -> bool:
    return bool(each.after == Phase.FIRING)


class SilencesView(TenantView):
    """The silences in force."""

    @extend_schema(operation_id="silences_list", responses={200: SilenceList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the silences that have not ended."""
        return answer(SilenceList([silence_response(each) for each in alerts.silences_in_force(timezone.now())]))

    @extend_schema(operation_id="silences_create", request=SilenceRequest, responses={201: SilenceResponse, **WRITES})
    def post(self, request: Request, slug: str) -> Response:
        """Silence the notifications about a binding, a rule, or both; alerts are still decided and listed."""
        body = read_body(request, SilenceRequest)
        if body.ends_at.tzinfo is None:
            remedy = "Write it like 2026-11-27T18:00:00Z."
            raise Faulty([fault(FaultCode.BAD_SHAPE, "The end has no time zone.", remedy, field="ends_at")])
        made = alerts.create_silence(rule=body.rule, binding=body.binding, ends_at=body.ends_at, reason=body.reason)
        return answer(silence_response(made), 201)


class SilenceView(TenantView):
    """One silence."""

    @extend_schema(operation_id="silences_end", responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, silence: UUID) -> Response:
        """End a silence now; what fires then is notified."""
        alerts.end_silence(silence=silence)
        return Response(status=204)
