"""The number of requests handled at the same time: each takes a thread before its caller is known.

Requests of one address wait for each other, so that nobody without an account can fill the server with threads.
"""

import asyncio
from collections import Counter
from typing import Final

from webapp.core.http.bodies import Application, Message, Receive, Scope, Send

OF_ADDRESS: Final = 64
IN_ALL: Final = 256
LARGE: Final = 64 * 1024
"""Bytes of an incomplete body; those of so many bytes have slots of their own, because they take memory."""
LARGE_OF_ADDRESS: Final = 16
LARGE_IN_ALL: Final = 128


class RequestSlots:
    """Slots for `in_all` requests, `of_address` of them for one address.

    Further requests wait in order; the next one is the oldest of the address with the fewest slots.
    """

    def __init__(self, of_address: int, in_all: int) -> None:
        self._of_address, self._in_all = of_address, in_all
        self._busy: Counter[str] = Counter()
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}

    async def enter(self, address: str) -> None:
        """Wait for a slot, and take it."""
        if self._has_room(address):
            self._busy[address] += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(address, []).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave(address)
            else:
                self._forget(address, turn)
            raise

    def leave(self, address: str) -> None:
        """Leave the slot to the next one."""
        self._busy[address] -= 1
        if not self._busy[address]:
            del self._busy[address]
        while waiting := [each for each in self._waiting if self._has_room(each)]:
            next_one = min(waiting, key=lambda each: self._busy[each])
            turn = self._waiting[next_one][0]
            self._forget(next_one, turn)
            self._busy[next_one] += 1
            turn.set_result(None)

    def _has_room(self, address: str) -> bool:
        return self._busy[address] < self._of_address and self._busy.total() < self._in_all

    def _forget(self, address: str, turn: "asyncio.Future[None]") -> None:
        self._waiting[address].remove(turn)
        if not self._waiting[address]:
            del self._waiting[address]


class Crowds:
    """An ASGI application in front of `application` that passes on a limited number of requests at a time.

    A request takes its slot when its body is complete, so that a client that sends slowly delays nobody, and leaves it
    when its answer starts, as an event stream does at once. The application handles no request before it has read the
    body.
    """

    def __init__(
        self, application: Application, handled: RequestSlots | None = None, large: RequestSlots | None = None
    ) -> None:
        self._application = application
        self._handled = handled or RequestSlots(OF_ADDRESS, IN_ALL)
        self._large = large or RequestSlots(LARGE_OF_ADDRESS, LARGE_IN_ALL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; its body ends only when it is its turn."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        address = scope["client"][0] if scope.get("client") else ""
        request = _Request(address, self._handled, self._large, receive, send)
        try:
            await self._application(scope, request.receive, request.send)
        finally:
            request.leave()


class _Request:
    """One request and the slot that it has."""

    def __init__(self, address: str, handled: RequestSlots, large: RequestSlots, receive: Receive, send: Send) -> None:
        self._address = address
        self._handled, self._large = handled, large
        self._receive, self._send = receive, send
        self._slot: RequestSlots | None = None
        self._bytes = 0

    async def receive(self) -> Message:
        """Return the next part of the body, or the disconnection; wait for a slot before a large part or the last."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._bytes += len(message.get("body", b""))
            if not message.get("more_body", False):
                await self._enter(self._handled)
            elif self._bytes > LARGE and self._slot is None:
                await self._enter(self._large)
        return message

    async def send(self, message: Message) -> None:
        """Send; the start of the answer leaves the slot."""
        if message["type"] == "http.response.start":
            self.leave()
        await self._send(message)

    def leave(self) -> None:
        """Leave the slot, if it has one."""
        if self._slot is not None:
            slot, self._slot = self._slot, None
            slot.leave(self._address)

    async def _enter(self, slots: RequestSlots) -> None:
        self.leave()
        await slots.enter(self._address)
        self._slot = slots
