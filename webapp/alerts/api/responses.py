"""Rows of alerts as the API shows them."""

from webapp.alerts.api.bodies import (
    AcknowledgementResponse,
    AlertResponse,
    ChannelMessageResponse,
    ChannelResponse,
    RuleSettingsResponse,
    SilenceResponse,
    SubjectResponse,
    ThresholdBody,
    ThresholdsBody,
    TransitionResponse,
)
from webapp.alerts.channels.kinds import KINDS
from webapp.alerts.models import AlertRule, AlertSilence, Channel, OutboxEntry, Transition
from webapp.alerts.notifications import Notification, OutboxState
from webapp.alerts.rules.evaluation import AlertLevel, Phase, Threshold, Thresholds
from webapp.alerts.rules.table import RULES
from webapp.alerts.services.alerts import ListedAlert
from webapp.alerts.services.channels import shown_options
from webapp.alerts.services.rules import limits_of
from webapp.alerts.turns.deciding import title
from webapp.runs.models import Binding


def subject(binding: Binding | None) -> SubjectResponse | None:
    """Return the binding of an alert; None for one about the organisation."""
    return None if binding is None else SubjectResponse(id=str(binding.pk), name=binding.name)


def shown_phase(phase: str, unknown_since: int | None) -> str:
    """Return the phase as shown: a rule that fires does so until it is known to have resolved."""
    return phase if phase == Phase.FIRING or unknown_since is None else "unknown"


def alert_response(listed: ListedAlert) -> AlertResponse:
    """Return an alert with its silence and acknowledgement."""
    row, taken = listed.row, listed.acknowledgement
    return AlertResponse.model_validate(
        {
            "id": str(row.pk),
            "rule": row.rule,
            "title": title(row.rule),
            "binding": subject(row.binding),
            "phase": shown_phase(row.phase, row.unknown_since),
            "level": AlertLevel(row.level) if row.level else None,
            "sentence": row.sentence,
            "value": row.state["value"] or 0.0,
            "unit": RULES[row.rule].unit,
            "since": row.since,
            "fired_at": row.fired_at,
            "resolved_at": row.state["resolved_at"],
            "unknown_since": row.unknown_since,
            "notified": bool(row.notified),
            "silenced_until": None if listed.silence is None else listed.silence.ends_at.isoformat(),
            "acknowledged": None
            if taken is None
            else AcknowledgementResponse(by=taken.by_label, at=taken.at.isoformat(), note=taken.note),
        }
    )


def transition_response(row: Transition) -> TransitionResponse:
    """Return a transition."""
    return TransitionResponse(
        id=str(row.pk),
        rule=row.rule,
        title=title(row.rule),
        binding=subject(row.binding),
        at=row.at,
        before=Phase(row.before),
        after=Phase(row.after),
        level=AlertLevel(row.level) if row.level else None,
        value=row.value,
        rows=row.rows,
        fired_at=row.fired_at,
        sentence=row.sentence,
    )


def thresholds_body(thresholds: Thresholds) -> ThresholdsBody:
    """Return limits as a body."""
    return ThresholdsBody(warn=_limit(thresholds.warn), page=_limit(thresholds.page))


def _limit(threshold: Threshold | None) -> ThresholdBody | None:
    if threshold is None:
        return None
    return ThresholdBody(at=threshold.at, for_s=threshold.for_s, rows=threshold.rows)


def read_thresholds(body: ThresholdsBody | None) -> Thresholds | None:
    """Return the limits in a body."""
    if body is None:
        return None
    levels = (body.warn, body.page)
    warn, page = (None if each is None else Threshold(each.at, each.for_s, each.rows) for each in levels)
    return Thresholds(warn, page)


def settings_response(row: AlertRule) -> RuleSettingsResponse:
    """Return the settings of a rule."""
    return RuleSettingsResponse(
        binding=subject(row.binding),
        thresholds=thresholds_body(limits_of(row)),
        enabled=row.enabled,
        reason=row.reason,
        changed_by=row.changed_by,
        changed_at=row.changed_at.isoformat(),
    )


def silence_response(row: AlertSilence) -> SilenceResponse:
    """Return a silence."""
    return SilenceResponse(
        id=str(row.pk),
        rule=row.rule,
        title=title(row.rule) if row.rule else "All rules",
        binding=subject(row.binding),
        begins_at=row.begins_at.isoformat(),
        ends_at=row.ends_at.isoformat(),
        reason=row.reason,
        by=row.by_label,
    )


def message_response(row: OutboxEntry) -> ChannelMessageResponse:
    """Return a message of a channel."""
    notification = Notification.model_validate(row.notification, strict=False)
    return ChannelMessageResponse(
        id=str(row.pk),
        headline=notification.headline,
        test=notification.kind == "test",
        state=OutboxState(row.state),
        created_at=row.created_at.isoformat(),
        due_at=row.due_at.isoformat() if row.state == OutboxState.WAITING else None,
        ended_at=None if row.ended_at is None else row.ended_at.isoformat(),
        attempts=row.attempts,
        message=row.message,
    )


def channel_response(row: Channel, trouble: OutboxEntry | None) -> ChannelResponse:
    """Return a channel without its secrets."""
    return ChannelResponse(
        id=str(row.pk),
        name=row.name,
        kind=row.kind,
        title=KINDS[row.kind].title if row.kind in KINDS else row.kind,
        options=shown_options(row),
        level=AlertLevel(row.level),
        enabled=row.enabled,
        trouble=None if trouble is None else message_response(trouble),
    )
