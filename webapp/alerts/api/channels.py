"""Channels over HTTP: listed, made, changed, deleted, tested, and their messages."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.streams.stream import AdapterChoice
from webapp.accounts.access import TenantView
from webapp.alerts.api.bodies import (
    ChannelKindList,
    ChannelKindResponse,
    ChannelList,
    ChannelMessageList,
    ChannelMessageResponse,
    ChannelRequest,
    ChannelResponse,
)
from webapp.alerts.api.parameters import REFUSALS, WRITES
from webapp.alerts.api.responses import channel_response, message_response
from webapp.alerts.channels.kinds import KINDS
from webapp.alerts.models import Channel
from webapp.alerts.services import channels
from webapp.core.api import answer, read_body


class ChannelsView(TenantView):
    """The channels of an organisation."""

    @extend_schema(operation_id="channels_list", responses={200: ChannelList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the channels by name, each with its newest message that could not be sent."""
        rows = list(Channel.objects.all())
        trouble = channels.troubled(rows)
        return answer(ChannelList([channel_response(row, trouble.get(row.pk)) for row in rows]))

    @extend_schema(operation_id="channels_create", request=ChannelRequest, responses={201: ChannelResponse, **WRITES})
    def post(self, request: Request, slug: str) -> Response:
        """Make a channel; it gets what fires from then on, and what fires now without any notification so far."""
        body = read_body(request, ChannelRequest)
        made = channels.create_channel(name=body.name, level=body.level, enabled=body.enabled, choice=_choice(body))
        return answer(channel_response(made, None), 201)


class ChannelKindsView(TenantView):
    """The kinds of channels."""

    @extend_schema(operation_id="channel_kinds_list", responses={200: ChannelKindList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the kinds of channels, with the JSON Schema of their options, from which forms are made."""
        kinds = [
            ChannelKindResponse(kind=each.kind, title=each.title, options=each.options.model_json_schema())
            for each in KINDS.values()
        ]
        return answer(ChannelKindList(kinds))


class ChannelView(TenantView):
    """One channel."""

    @extend_schema(operation_id="channels_replace", request=ChannelRequest, responses={200: ChannelResponse, **WRITES})
    def put(self, request: Request, slug: str, channel: UUID) -> Response:
        """Replace a channel; messages that wait are sent with the new options."""
        channels.access_channel(channel)
        body = read_body(request, ChannelRequest)
        changed = channels.change_channel(
            channel=channel, name=body.name, level=body.level, enabled=body.enabled, choice=_choice(body)
        )
        return answer(channel_response(changed, channels.troubled([changed]).get(changed.pk)))

    @extend_schema(operation_id="channels_delete", responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, channel: UUID) -> Response:
        """Delete a channel and its messages."""
        channels.delete_channel(channel=channel)
        return Response(status=204)


class ChannelTestView(TenantView):
    """Tests of a channel."""

    @extend_schema(operation_id="channels_test", request=None, responses={201: ChannelMessageResponse, **WRITES})
    def post(self, request: Request, slug: str, channel: UUID) -> Response:
        """Send a test message; a worker sends it, so read the outcome from the messages of the channel."""
        return answer(message_response(channels.send_test(channel=channel)), 201)


class ChannelMessagesView(TenantView):
    """The messages of a channel."""

    @extend_schema(operation_id="channels_messages", responses={200: ChannelMessageList, **REFUSALS})
    def get(self, request: Request, slug: str, channel: UUID) -> Response:
        """List the newest messages of a channel: waiting, sent, and those that could not be sent for a day."""
        found = channels.access_channel(channel)
        return answer(ChannelMessageList([message_response(each) for each in channels.messages_of(found)]))


def _choice(body: ChannelRequest) -> AdapterChoice:
    return AdapterChoice(kind=body.kind, options=body.options)
