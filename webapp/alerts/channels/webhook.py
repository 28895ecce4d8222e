"""Webhooks: the notification as JSON, signed as results are (Standard Webhooks)."""

from typing import Annotated

from pydantic import AfterValidator, Field
from standardwebhooks import Webhook

from streaming.adapters.secret_options import SecretText
from streaming.adapters.webhook.adapter import signed_headers
from streaming.adapters.webhook.options import checked_secret, checked_token
from streaming.definition.strict import Strict
from webapp.alerts.channels.requests import Address, Sending, iso, json_request
from webapp.alerts.notifications import Notification


class WebhookChannelOptions(Strict):
    """Notifications as signed JSON requests, at least once: a receiver recognises repeats by `webhook-id`."""

    url: Address
    secret: Annotated[
        SecretText,
        AfterValidator(checked_secret),
        Field(title="Secret", description="`whsec_` and 24 to 64 bytes in base64, shared with the receiver."),
    ]
    token: Annotated[
        SecretText | None,
        AfterValidator(checked_token),
        Field(title="Token", description="Sent as a bearer token, if the receiver requires one."),
    ] = None


def send(options: WebhookChannelOptions, notification: Notification, sending: Sending) -> None:
    """Post the notification. Raises `NotSent`."""
    secrets = {options.secret.get_secret_value()}
    if options.token is not None:
        secrets.add(options.token.get_secret_value())
    webhook = Webhook(options.secret.get_secret_value())
    json_request(
        sending,
        options.url,
        body_of(notification),
        headers=lambda body: signed_headers(webhook, options.token, str(sending.id), sending.at, body),
        secrets=secrets,
    )


def body_of(notification: Notification) -> dict[str, object]:
    """Return the body: times in ISO 8601, the rules that fire first."""
    alerts = [
        {
            "rule": each.rule,
            "title": each.title,
            "level": each.level,
            "status": each.status,
            "sentence": each.sentence,
            "value": each.value,
            "since": None if each.since is None else iso(each.since),
            "fired_at": iso(each.fired_at),
            "resolved_at": None if each.resolved_at is None else iso(each.resolved_at),
        }
        for each in [*notification.firing, *notification.resolved]
    ]
    data = {
        "organisation": notification.slug,
        "subject": notification.subject,
        "name": notification.name,
        "headline": notification.headline,
        "link": notification.link,
        "alerts": alerts,
    }
    return {"type": notification.kind, "timestamp": iso(notification.at), "data": data}
