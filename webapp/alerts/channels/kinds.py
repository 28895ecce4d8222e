"""The kinds of channels: a new one is a module with its options and `send`, and an entry here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from streaming.adapters.contract import AdapterError
from streaming.adapters.secret_options import secret_names
from streaming.definition.streams.stream import AdapterChoice
from webapp.alerts.channels import alertmanager, chat, email, pagerduty, webhook
from webapp.alerts.channels.requests import NotSent, Sending
from webapp.alerts.models import Channel
from webapp.alerts.notifications import Notification
from webapp.streams.sealing import AdapterSide, opened


@dataclass(frozen=True)
class ChannelKind:
    """A kind of channel: its title, the model of its options, `send`, and the options that its secrets belong to."""

    kind: str
    title: str
    options: type[BaseModel]
    send: Callable[[Any, Notification, Sending], None]
    addresses: frozenset[str] = frozenset()


KINDS: Final[Mapping[str, ChannelKind]] = {
    each.kind: each
    for each in (
        ChannelKind("email", "E-mail", email.EmailOptions, email.send),
        ChannelKind("webhook", "Webhook", webhook.WebhookChannelOptions, webhook.send, frozenset({"url"})),
        ChannelKind("slack", "Slack", chat.SlackOptions, chat.send_to_slack),
        ChannelKind("teams", "Microsoft Teams", chat.TeamsOptions, chat.send_to_teams),
        ChannelKind("pagerduty", "PagerDuty", pagerduty.PagerDutyOptions, pagerduty.send, frozenset({"url"})),
        ChannelKind(
            "alertmanager",
            "Alertmanager",
            alertmanager.AlertmanagerOptions,
            alertmanager.send,
            frozenset({"url"}),
        ),
    )
}


def channel_kind(kind: str) -> ChannelKind:
    """Return a kind of channel. Raises `AdapterError` for an unknown one."""
    found = KINDS.get(kind)
    if found is None:
        raise AdapterError(f"There is no channel of the kind {kind}. Choose one of {', '.join(KINDS)}.")
    return found


def _secrets(kind: str, options: Mapping[str, Any]) -> frozenset[str]:
    """Return the secret options of a channel; of an unknown kind all of them, so that none is shown."""
    return secret_names(KINDS[kind].options) if kind in KINDS else frozenset(options)


CHANNELS: Final = AdapterSide(_secrets, lambda kind: channel_kind(kind).addresses)
"""Channels as `webapp.streams.sealing` seals, opens and conceals their secrets."""


def send(channel: Channel, notification: Notification, sending: Sending) -> None:
    """Send `notification` over `channel`, its secrets opened for this only. Raises `NotSent`."""
    try:
        kind = channel_kind(channel.kind)
        choice = opened(AdapterChoice(kind=channel.kind, options=channel.options), CHANNELS)
        options = kind.options.model_validate(choice.options)
    except AdapterError as error:
        raise NotSent(str(error)) from None
    except ValueError:
        raise NotSent("The stored options of this channel are invalid. Enter them again.") from None
    kind.send(options, notification, sending)
