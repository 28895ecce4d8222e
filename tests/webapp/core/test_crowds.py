"""Requests of one address wait for each other before they take a thread; those of others do not wait for them."""

import asyncio
from collections.abc import Callable
from typing import Any

from webapp.core.http.crowds import LARGE, Crowds, RequestSlots


class Handling:
    """An application that reads the body, and answers when the test says so; the names of the requests it handles."""

    def __init__(self) -> None:
        self.given: list[str] = []
        self.answered: dict[str, asyncio.Event] = {}
        self.streams: set[str] = set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        name = scope["name"]
        while (await receive())["more_body"]:
            pass
        self.given.append(name)
        if name in self.streams:
            await send({"type": "http.response.start", "status": 200})
        await self.answered.setdefault(name, asyncio.Event()).wait()
        await send({"type": "http.response.start", "status": 200})

    def answer(self, name: str) -> None:
        self.answered.setdefault(name, asyncio.Event()).set()


async def nothing(*_: Any) -> Any:
    return None


async def settle() -> None:
    """Let every task go as far as it can."""
    for _ in range(20):
        await asyncio.wait([asyncio.ensure_future(nothing())])


class Clients:
    """Requests, each named by its address and a number, and the parts of the bodies of those that are slow."""

    def __init__(self, crowds: Crowds) -> None:
        self._crowds = crowds
        self._parts: dict[str, asyncio.Queue[bytes]] = {}
        self.tasks: list[asyncio.Task[None]] = []

    def ask(self, name: str, *, slow: bool = False) -> "asyncio.Task[None]":
        parts = self._parts[name] = asyncio.Queue()
        if not slow:
            parts.put_nowait(b"")

        async def receive() -> Any:
            body = await parts.get()
            return {"type": "http.request", "body": body, "more_body": bool(body)}

        scope = {"type": "http", "client": (name[0], 1), "name": name}
        self.tasks.append(asyncio.create_task(self._crowds(scope, receive, nothing)))
        return self.tasks[-1]

    def send(self, name: str, part: bytes) -> None:
        """Send a part of the body of `name`; an empty one ends it."""
        self._parts[name].put_nowait(part)

    def unread(self, name: str) -> int:
        """Return the number of parts of `name` that nobody has read."""
        return self._parts[name].qsize()


def played(steps: Callable[[Handling, Clients], Any], of_address: int, in_all: int) -> None:
    async def play() -> None:
        handling = Handling()
        clients = Clients(Crowds(handling, RequestSlots(of_address, in_all), RequestSlots(1, 2)))
        await steps(handling, clients)
        for name in list(handling.given):
            handling.answer(name)
        for each in clients.tasks:
            each.cancel()
        await asyncio.gather(*clients.tasks, return_exceptions=True)

    asyncio.run(play())


def test_an_address_waits_for_itself_alone() -> None:
    async def steps(handling: Handling, clients: Clients) -> None:
        for name in ("a1", "a2", "a3", "b1"):
            clients.ask(name)
        await settle()
        assert handling.given == ["a1", "a2", "b1"]
        handling.answer("a1")
        await settle()
        assert handling.given == ["a1", "a2", "b1", "a3"]

    played(steps, of_address=2, in_all=9)


def test_the_address_with_the_fewest_comes_next() -> None:
    async def steps(handling: Handling, clients: Clients) -> None:
        for name in ("a1", "a2", "a3", "b1"):
            clients.ask(name)
        await settle()
        assert handling.given == ["a1", "a2"]
        handling.answer("a1")
        await settle()
        assert handling.given == ["a1", "a2", "b1"]

    played(steps, of_address=9, in_all=2)


def test_a_started_answer_delays_nobody() -> None:
    async def steps(handling: Handling, clients: Clients) -> None:
        handling.streams = {"a1"}
        for name in ("a1", "a2"):
            clients.ask(name)
        await settle()
        assert handling.given == ["a1", "a2"]

    played(steps, of_address=1, in_all=9)


def test_who_leaves_while_waiting_takes_no_place() -> None:
    async def steps(handling: Handling, clients: Clients) -> None:
        clients.ask("a1")
        gone = clients.ask("a2")
        clients.ask("a3")
        await settle()
        gone.cancel()
        handling.answer("a1")
        await settle()
        assert handling.given == ["a1", "a3"]

    played(steps, of_address=1, in_all=9)


def test_slow_bodies_of_many_addresses_delay_nobody() -> None:
    async def steps(handling: Handling, clients: Clients) -> None:
        for address in "bcdefg":
            clients.ask(f"{address}1", slow=True)
            clients.send(f"{address}1", b"x")
        clients.ask("a1")
        await settle()
        assert handling.given == ["a1"]
        clients.send("b1", b"")
        await settle()
        assert handling.given == ["a1", "b1"]

    played(steps, of_address=1, in_all=2)


def test_large_bodies_wait_for_places_of_their_own() -> None:
    async def steps(handling: Handling, clients: Clients) -> None:
        for name in ("a1", "a2", "b1", "c1"):
            clients.ask(name, slow=True)
            for part in (b"x" * LARGE, b"x", b"x"):
                clients.send(name, part)
        clients.ask("d1")
        await settle()
        assert [clients.unread(name) for name in ("a1", "a2", "b1", "c1")] == [0, 1, 0, 1]
        assert handling.given == ["d1"]
        clients.send("a1", b"")
        await settle()
        assert [clients.unread(name) for name in ("a2", "c1")] == [0, 1]
        assert handling.given == ["d1", "a1"]

    played(steps, of_address=9, in_all=9)
