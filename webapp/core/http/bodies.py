"""The largest request body: further bytes are never read, with or without Content-Length.

Django checks only Content-Length. A body in chunks has none, and would be stored whole, on disk and then in memory,
before any view could refuse it.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from webapp.core.errors import FRAMEWORK_MESSAGES, ErrorEnvelope, TooLarge
from webapp.core.limited.disconnects import DisconnectHandler, answered_until

Message = Mapping[str, Any]
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES: Final = 8 * 1024 * 1024
"""Of any request; views accept less (`webapp.core.api.read_body`)."""
SIGN_IN_BYTES: Final = 64 * 1024
"""Of a request for signing in, which anybody may send."""
SIGN_IN: Final = "/_allauth/"


class LimitedBodies:
    """An ASGI application in front of `application` that answers 413 with the envelope to a body that is too large."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count the bytes that are read."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        most = SIGN_IN_BYTES if scope["path"].startswith(SIGN_IN) else MOST_BYTES
        if _announced(scope) > most:
            await _refuse(send, most)
            return
        watched = _LimitedRequest(receive, send, most)
        with answered_until(watched.departure):
            await self._application(scope, watched.receive, watched.send)


class _LimitedRequest:
    """One request. If it is too large it is answered here, and to the application the client seems disconnected."""

    def __init__(self, receive: Receive, send: Send, most_bytes: int) -> None:
        self._receive = receive
        self._send = send
        self._most_bytes = most_bytes
        self._read_bytes = 0
        self._refused = False
        self._begun = False
        self.departure = DisconnectHandler()

    async def receive(self) -> Message:
        if self._refused:
            return {"type": "http.disconnect"}
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.departure.depart()
        self._read_bytes += len(message.get("body", b""))
        if self._read_bytes <= self._most_bytes:
            return message
        self._refused = True
        if not self._begun:
            await _refuse(self._send, self._most_bytes)
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self._begun = True
        if not self._refused:
            await self._send(message)


def _announced(scope: Scope) -> int:
    """Return the announced length of the body; 0 without a numeric one."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


async def _refuse(send: Send, most_bytes: int) -> None:
    refusal = TooLarge(most_bytes)
    body = ErrorEnvelope(code=refusal.code, message=refusal.message, faults=[]).model_dump_json().encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class ReadableSignIn:
    """Refuses bodies for signing in that aren't JSON, before allauth reads them.

    allauth handles only some errors of a JSON reader: too many nested lists, or a number with a million digits, would
    be a server error that anybody can cause.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass readable bodies on."""
        if request.path.startswith(SIGN_IN) and request.content_type == "application/json" and request.body:
            try:
                json.loads(request.body)
            except (ValueError, RecursionError):
                code, message = FRAMEWORK_MESSAGES[400]
                content = ErrorEnvelope(code=code, message=message, faults=[]).model_dump_json()
                return HttpResponse(content, status=400, content_type="application/json")
        return self.get_response(request)
