"""Prometheus Alertmanager, over `POST /api/v2/alerts`: one alert for each rule of a binding."""

from datetime import timedelta
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from streaming.adapters.secret_options import SecretText
from streaming.adapters.webhook.options import checked_token
from streaming.definition.strict import Strict
from webapp.alerts.channels.requests import Address, Sending, iso, json_request
from webapp.alerts.notifications import Notification, NotifiedAlert
from webapp.alerts.rules.evaluation import TICKS_PER_S

FIRES: Final = round(timedelta(days=30).total_seconds()) * TICKS_PER_S
"""The end of an alert that fires: without one, Alertmanager takes it for resolved after five minutes."""
TEST: Final = 60 * TICKS_PER_S
"""A test alert ends after so long."""


class AlertmanagerOptions(Strict):
    """Alerts of an Alertmanager, which groups and routes them."""

    url: Annotated[Address, Field(description="Its address, without `/api/v2/alerts`.")]
    token: Annotated[
        SecretText | None,
        AfterValidator(checked_token),
        Field(title="Token", description="Sent as a bearer token, if the Alertmanager requires one."),
    ] = None


def send(options: AlertmanagerOptions, notification: Notification, sending: Sending) -> None:
    """Post the alerts of a notification. Raises `NotSent`."""
    token = None if options.token is None else options.token.get_secret_value()
    json_request(
        sending,
        f"{options.url.rstrip('/')}/api/v2/alerts",
        alerts_of(notification),
        headers={} if token is None else {"Authorization": f"Bearer {token}"},
        secrets=set() if token is None else {token},
    )


def alerts_of(notification: Notification) -> list[dict[str, Any]]:
    """Return the alerts; the labels of one rule and binding never change, so its end resolves its start."""
    if notification.kind == "test":
        text = notification.lines[0]
        return [_alert(notification, "PunctualTest", "info", text, (notification.at, notification.at + TEST))]
    return [
        _alert(notification, each.rule, each.level, each.sentence, _span(notification, each))
        for each in [*notification.firing, *notification.resolved]
    ]


def _span(notification: Notification, alert: NotifiedAlert) -> tuple[int, int]:
    if alert.status == "firing":
        return alert.fired_at, notification.at + FIRES
    return alert.fired_at, alert.resolved_at or notification.at


def _alert(notification: Notification, name: str, level: str, text: str, span: tuple[int, int]) -> dict[str, Any]:
    return {
        "labels": {
            "alertname": name,
            "organisation": notification.slug,
            "binding": notification.name,
            "binding_id": notification.subject,
        },
        "annotations": {"summary": text, "level": level},
        "startsAt": iso(span[0]),
        "endsAt": iso(span[1]),
        "generatorURL": notification.link,
    }
