"""PagerDuty, over its Events API v2: one incident for each binding."""

from typing import Annotated, Any, Final

from pydantic import Field

from streaming.adapters.secret_options import SecretText
from streaming.definition.strict import Strict
from webapp.alerts.channels.requests import Address, Sending, iso, json_request, summary
from webapp.alerts.notifications import Notification

EVENTS: Final = "https://events.pagerduty.com/v2/enqueue"
_SUMMARY: Final = 1_024
_SEVERITY: Final = {"page": "critical", "warn": "warning"}


class PagerDutyOptions(Strict):
    """Incidents of a service of PagerDuty."""

    routing_key: Annotated[
        SecretText,
        Field(title="Integration key", description="The key of an integration of the kind Events API v2."),
    ]
    url: Annotated[
        Address,
        Field(description="Another one only for accounts in the EU: https://events.eu.pagerduty.com/v2/enqueue."),
    ] = EVENTS


def send(options: PagerDutyOptions, notification: Notification, sending: Sending) -> None:
    """Trigger or resolve the incident of the binding; a test triggers one and resolves it. Raises `NotSent`."""
    key = options.routing_key.get_secret_value()
    for event in events_of(notification):
        json_request(sending, options.url, {"routing_key": key, **event}, secrets={key})


def events_of(notification: Notification) -> list[dict[str, Any]]:
    """Return the events of a notification, without the key; `dedup_key` is the same for all of one binding."""
    is_test = notification.kind == "test"
    key = f"punctual/{notification.subject}{'/test' if is_test else ''}"
    trigger = {
        "event_action": "trigger",
        "dedup_key": key,
        "client": "Punctual",
        "client_url": notification.link,
        "payload": {
            "summary": summary(notification, _SUMMARY),
            "source": notification.name,
            "severity": "info" if is_test else _SEVERITY[notification.level],
            "timestamp": iso(notification.at),
            "component": notification.name,
            "group": notification.slug,
            "custom_details": {"alerts": notification.lines},
        },
    }
    resolve = {"event_action": "resolve", "dedup_key": key}
    if is_test:
        return [trigger, resolve]
    return [trigger] if notification.firing else [resolve]
