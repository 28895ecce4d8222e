"""Channels: listed, made, changed, deleted, tested."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from pydantic import ValidationError

from streaming.adapters.contract import AdapterError
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.streams.stream import AdapterChoice
from webapp.accounts.models import Organisation
from webapp.accounts.organisations import lock_organisation
from webapp.alerts.channels.kinds import CHANNELS, KINDS, channel_kind
from webapp.alerts.models import Channel, OutboxEntry
from webapp.alerts.notifications import Notification, OutboxState
from webapp.alerts.tasks import send_notifications
from webapp.alerts.turns.writing import entry_of
from webapp.audit.recording import Target, record
from webapp.core.context import current_organisation
from webapp.core.errors import Conflict, Faulty, NotFound, fault, faults_of
from webapp.runs.lifecycle.starting import ticks_of
from webapp.streams.sealing import concealed, opened, sealed, settled

MOST: Final = 50
"""The most channels of an organisation."""
ENTRIES: Final = 50
"""The newest messages of a channel that are listed."""


def access_channel(channel: UUID) -> Channel:
    """Return a channel. Raises `NotFound` if absent or not yours."""
    found = Channel.objects.filter(pk=channel).first()
    if found is None:
        raise NotFound
    return found


def create_channel(*, name: str, level: str, enabled: bool, choice: AdapterChoice) -> Channel:
    """Make a channel. Raises `Faulty` for invalid options, `Conflict` for a name that is taken or too many."""
    channel = Channel(name=name, level=level, enabled=enabled, kind=choice.kind)
    channel.options = _checked(choice, None)
    with transaction.atomic():
        lock_organisation()
        if Channel.objects.count() >= MOST:
            raise Conflict(f"This organisation already has {MOST} channels. Delete one first.")
        _save(channel)
        record("channel.created", target=target_of(channel), after=audited(channel))
    return channel


def change_channel(*, channel: UUID, name: str, level: str, enabled: bool, choice: AdapterChoice) -> Channel:
    """Replace a channel; secrets with a placeholder are kept. Raises like `create_channel`, and `NotFound`."""
    with transaction.atomic():
        found = Channel.objects.select_for_update().filter(pk=channel).first()
        if found is None:
            raise NotFound
        before = audited(found)
        found.options = _checked(choice, AdapterChoice(kind=found.kind, options=found.options))
        found.name, found.level, found.enabled, found.kind = name, level, enabled, choice.kind
        _save(found)
        record("channel.replaced", target=target_of(found), before=before, after=audited(found))
    return found


def delete_channel(*, channel: UUID) -> None:
    """Delete a channel, with the messages that it has not received yet. Raises `NotFound`."""
    with transaction.atomic():
        found = access_channel(channel)
        target, before = target_of(found), audited(found)
        found.delete()
        record("channel.deleted", target=target, before=before)


def send_test(*, channel: UUID) -> OutboxEntry:
    """Put a test message into the outbox, which a worker sends at once. Raises `NotFound`, `Conflict`."""
    now = timezone.now()
    with transaction.atomic():
        found = access_channel(channel)
        if not found.enabled:
            raise Conflict("The channel is switched off. Switch it on, then send a test.")
        if OutboxEntry.objects.filter(channel=found, state=OutboxState.WAITING, notification__kind="test").exists():
            raise Conflict("A test of this channel is being sent. Wait until it has ended.")
        organisation = Organisation.objects.get(pk=current_organisation())
        notification = Notification(
            kind="test",
            organisation=organisation.name,
            slug=organisation.slug,
            subject=str(found.pk),
            name=found.name,
            link=f"{settings.ADDRESS_OF_PAGES}/alerts",
            at=ticks_of(now),
        )
        entry = entry_of(found, notification, now)
        entry.save()
        record("channel.tested", target=target_of(found), after={"message": str(entry.pk)})
    work = {"organisation": str(organisation.pk)}
    transaction.on_commit(lambda: send_notifications.apply_async(kwargs=work, expires=60), robust=True)
    return entry


def messages_of(channel: Channel) -> list[OutboxEntry]:
    """Return the newest messages of a channel, newest first."""
    return list(OutboxEntry.objects.filter(channel=channel)[:ENTRIES])


def troubled(channels: Sequence[Channel]) -> dict[UUID, OutboxEntry]:
    """Return by channel the newest message, for those whose newest message could not be sent so far."""
    found: dict[UUID, OutboxEntry] = {}
    newest = OutboxEntry.objects.filter(channel__in=channels).exclude(message="").order_by("created_at", "pk")
    for entry in newest.exclude(state=OutboxState.SENT):
        found[entry.channel_id] = entry
    return found


def target_of(channel: Channel) -> Target:
    """Return the channel as the audit log names it."""
    return Target("channel", channel.pk, channel.name)


def audited(channel: Channel) -> dict[str, Any]:
    """Return the state for the audit log, with placeholders for secrets."""
    own = {"name": channel.name, "kind": channel.kind, "level": channel.level, "enabled": channel.enabled}
    return {**own, "options": shown_options(channel)}


def shown_options(channel: Channel) -> dict[str, Any]:
    """Return the options of a channel with placeholders for its secrets."""
    return dict(concealed(AdapterChoice(kind=channel.kind, options=channel.options), CHANNELS).options)


def _save(channel: Channel) -> None:
    try:
        with transaction.atomic():
            channel.save()
    except IntegrityError:
        raise Conflict(f"There already is a channel {channel.name}. Choose another name.") from None


def _checked(choice: AdapterChoice, stored: AdapterChoice | None) -> dict[str, Any]:
    """Return the options as they are stored. Raises `Faulty`."""
    if choice.kind not in KINDS:
        remedy = f"Choose one of {', '.join(KINDS)}."
        raise Faulty(
            [fault(FaultCode.BAD_SHAPE, f"There is no channel of the kind {choice.kind}.", remedy, field="kind")]
        )
    kept = sealed(settled(choice, stored, CHANNELS), CHANNELS)
    try:
        plain = opened(kept, CHANNELS)
        channel_kind(choice.kind).options.model_validate(plain.options)
    except AdapterError as error:
        raise Faulty([fault(FaultCode.BAD_SHAPE, str(error), "Enter the secret again.", field="options")]) from None
    except ValidationError as error:
        raise Faulty([_inside(each) for each in faults_of(error, choice.options)]) from None
    return dict(kept.options)


def _inside(found: Fault) -> Fault:
    return found.model_copy(update={"field": f"options.{found.field}" if found.field else "options"})
