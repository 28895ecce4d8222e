"""Marks answers that are event streams: they have no end, so a server that stops must not wait for it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # uvicorn loads this module before the application
    from webapp.core.http.bodies import Application, Message, Receive, Scope, Send

_MARK: Final = "punctual.event_stream"
_TYPE: Final = b"text/event-stream"


class EventStreams:
    """Around an ASGI application: marks the scope of a request whose answer is an event stream."""

    def __init__(self, application: "Application") -> None:
        self._application = application

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass the request on."""

        async def marked(message: "Message") -> None:
            if message["type"] == "http.response.start":
                headers = message.get("headers", ())
                is_stream = any(name.lower() == b"content-type" and value.startswith(_TYPE) for name, value in headers)
                scope[_MARK] = is_stream
            await send(message)

        await self._application(scope, receive, marked)


def is_event_stream(scope: Mapping[str, Any]) -> bool:
    """Return whether the answer to the request of `scope` has started and is an event stream."""
    return bool(scope.get(_MARK))
