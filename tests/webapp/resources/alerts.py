"""Alerts, silences and channels of an organisation."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from unittest.mock import ANY

from django.utils import timezone

from tests.webapp.resources import OwnThings, Resource
from tests.webapp.stage import Asked, Case, Some, Stage
from webapp.alerts.models import AlertRule, AlertSilence, AlertState, Channel, Transition
from webapp.alerts.rules.evaluation import AlertLevel, Phase, RuleState
from webapp.core.context import organisation_context
from webapp.runs.models import Binding

AT = datetime(2026, 11, 21, tzinfo=UTC)
TICK = int(AT.timestamp()) * 1_000_000


def firing(binding: str | None, text: str) -> AlertState:
    """A rule that fires for a binding, or for the organisation."""
    state = RuleState(phase=Phase.FIRING, level=AlertLevel.PAGE, since=TICK, fired_at=TICK, value=1.0, decided_at=TICK)
    return AlertState(
        rule="quota" if binding is None else "failed_internal",
        binding_id=binding,
        state=asdict(state),
        phase=Phase.FIRING,
        level=AlertLevel.PAGE,
        since=TICK,
        fired_at=TICK,
        sentence=text,
    )


def _alert(things: OwnThings) -> str:
    with organisation_context(things.person.organisation.pk):
        found = AlertState.objects.filter(rule="failed_internal", binding=things.binding).first()
        row = found or firing(things.binding, things.mark)
        row.save()
        settings = {"reason": things.mark, "changed_at": AT}
        AlertRule.objects.get_or_create(rule="lag", binding_id=things.binding, defaults=settings)
        Transition(
            rule=row.rule,
            binding_id=things.binding,
            at=TICK,
            before=Phase.OK,
            after=Phase.FIRING,
            level=AlertLevel.PAGE,
            value=1,
            sentence=things.mark,
        ).save()
    return str(row.pk)


def _silence_body(reason: str = "repair") -> dict[str, str]:
    return {"ends_at": (timezone.now() + timedelta(hours=1)).isoformat(), "reason": reason}


def _channel_body(name: str) -> dict[str, object]:
    return {"name": name, "kind": "email", "options": {"to": "ops@acme.example"}}


def _silence(things: OwnThings) -> str:
    return things.made("alerts/silences/", _silence_body(things.mark))


def _channel(things: OwnThings) -> str:
    return things.made("alerts/channels/", _channel_body(things.mark))


def _silences(numbers: range) -> Iterable[AlertSilence]:
    ends = timezone.now() + timedelta(days=1)
    return [AlertSilence(begins_at=AT, ends_at=ends, reason=f"repair {n}", by_label="alice") for n in numbers]


def _channels(numbers: range) -> Iterable[Channel]:
    options = {"to": "ops@acme.example"}
    return [Channel(name=f"ops {n:03}", kind="email", level="warn", options=options) for n in numbers]


def _alerts(numbers: range) -> Iterable[AlertState]:
    names = [f"watch_{n:03}" for n in numbers]
    return [firing(str(pk), "late") for pk in Binding.objects.filter(name__in=names).values_list("pk", flat=True)]


def _transitions(numbers: range) -> Iterable[Transition]:
    return [
        Transition(rule="lag", at=TICK + n, before="ok", after="firing", level="warn", value=n, sentence="late")
        for n in numbers
    ]


def _acknowledged(stage: Stage) -> Asked:
    with organisation_context(stage.alice.organisation.pk):
        row = firing(stage.binding["id"], "watch failed.")
        row.save()
    return f"alerts/{row.pk}/acknowledge/", {"note": "mine"}


def _made_channel(stage: Stage) -> str:
    return f"alerts/channels/{stage.made('alerts/channels/', _channel_body('ops'))['id']}/"


def _ended_silence(stage: Stage) -> Asked:
    return f"alerts/silences/{stage.made('alerts/silences/', _silence_body())['id']}/", None


OPTIONS = {"to": "ops@acme.example"}
CHANNEL_AS_AUDITED = {"name": "ops", "kind": "email", "level": "warn", "enabled": True, "options": OPTIONS}

ALERT = Resource(
    "alert",
    _alert,
    _alerts,
    lists={"alerts/": "rules that are not ok"},
    writes={
        ("alerts/<uuid:alert>/acknowledge/", "post"): Case(
            "alert.acknowledged",
            _acknowledged,
            "Failed: Punctual of watch",
            None,
            {"rule": "failed_internal", "note": "mine"},
        ),
        ("alerts/rules/", "put"): Case(
            "alert_rule.changed",
            lambda _: ("alerts/rules/", {"rule": "lag", "enabled": False, "reason": "a demo"}),
            "Lag",
            None,
            Some({"enabled": False, "reason": "a demo"}),
        ),
    },
)
TRANSITION = Resource(
    "transition", _alert, _transitions, lists={"alerts/transitions/": "transitions of rules, in pages"}
)
SILENCE = Resource(
    "silence",
    _silence,
    _silences,
    lists={"alerts/silences/": "silences in force"},
    writes={
        ("alerts/silences/", "post"): Case(
            "silence.created",
            lambda _: ("alerts/silences/", _silence_body()),
            "all rules",
            None,
            {"rule": "", "binding": None, "ends_at": ANY, "reason": "repair"},
        ),
        ("alerts/silences/<uuid:silence>/", "delete"): Case(
            "silence.ended", _ended_silence, "all rules", Some({"reason": "repair"})
        ),
    },
)
CHANNEL = Resource(
    "channel",
    _channel,
    _channels,
    lists={"alerts/channels/": "channels"},
    writes={
        ("alerts/channels/", "post"): Case(
            "channel.created",
            lambda _: ("alerts/channels/", _channel_body("ops")),
            "ops",
            None,
            CHANNEL_AS_AUDITED,
        ),
        ("alerts/channels/<uuid:channel>/", "put"): Case(
            "channel.replaced",
            lambda stage: (_made_channel(stage), {**_channel_body("ops"), "level": "page"}),
            "ops",
            {"level": "warn"},
            {"level": "page"},
        ),
        ("alerts/channels/<uuid:channel>/", "delete"): Case(
            "channel.deleted", lambda stage: (_made_channel(stage), None), "ops", CHANNEL_AS_AUDITED
        ),
        ("alerts/channels/<uuid:channel>/test/", "post"): Case(
            "channel.tested", lambda stage: (f"{_made_channel(stage)}test/", None), "ops", None, {"message": ANY}
        ),
    },
)
