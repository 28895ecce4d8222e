"""Chats: incoming webhooks of Slack, and workflows of Microsoft Teams. Their addresses are secrets."""

from typing import Annotated, Any

from pydantic import Field

from streaming.adapters.secret_options import SecretText
from streaming.definition.strict import Strict
from webapp.alerts.channels.requests import Sending, json_request, origin, summary
from webapp.alerts.notifications import Notification

_HEADING = 150
_TEXT = 3_000


class SlackOptions(Strict):
    """Messages in a channel of Slack."""

    url: Annotated[
        SecretText,
        Field(title="Webhook address", description="The address of an incoming webhook of your Slack app."),
    ]


class TeamsOptions(Strict):
    """Cards in a channel or chat of Microsoft Teams."""

    url: Annotated[
        SecretText,
        Field(
            title="Workflow address",
            description="The address of a workflow that starts when a Teams webhook request is received.",
        ),
    ]


def send_to_slack(options: SlackOptions, notification: Notification, sending: Sending) -> None:
    """Post a message. Raises `NotSent`."""
    _post(sending, options.url, slack_message(notification))


def send_to_teams(options: TeamsOptions, notification: Notification, sending: Sending) -> None:
    """Post a card. Raises `NotSent`."""
    _post(sending, options.url, teams_message(notification))


def _post(sending: Sending, url: SecretText, body: Any) -> None:
    address = url.get_secret_value()
    json_request(sending, address, body, secrets={address}, shown=origin)


def slack_message(notification: Notification) -> dict[str, Any]:
    """Return the message: a heading, a section with the sentences, and the link."""
    lines = "\n".join(f"• {_escaped(each)}" for each in notification.lines)
    return {
        "text": _escaped(notification.headline),
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": summary(notification, _HEADING)}},
            {"type": "section", "text": {"type": "mrkdwn", "text": _cut(lines)}},
            {"type": "context", "elements": [{"type": "mrkdwn", "text": f"<{notification.link}|Open the alerts>"}]},
        ],
    }


def teams_message(notification: Notification) -> dict[str, Any]:
    """Return the message: one adaptive card with the sentences and a button."""
    colour = "Attention" if notification.firing else "Good"
    body = [
        {
            "type": "TextBlock",
            "text": notification.headline,
            "weight": "Bolder",
            "size": "Medium",
            "wrap": True,
            "color": colour if notification.kind == "alerts" else "Default",
        },
        *({"type": "TextBlock", "text": each, "wrap": True} for each in notification.lines),
    ]
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
        "actions": [{"type": "Action.OpenUrl", "title": "Open the alerts", "url": notification.link}],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


def _escaped(text: str) -> str:
    """Return `text` for Slack, where three characters begin links and entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _cut(text: str) -> str:
    """Return `text` as long as a section may be; the page of alerts has the rest."""
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"
