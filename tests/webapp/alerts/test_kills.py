"""A worker that is killed between any two statements loses no notification and no incident, and writes none twice."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction

from tests.webapp.alerts.scripted import Scripted
from webapp.alerts import outbox
from webapp.alerts.channels.requests import Sending
from webapp.alerts.models import Channel, Incident, OutboxEntry
from webapp.alerts.notifications import Notification


class Killed(BaseException):
    """The process ends here."""


class RolledBack(Exception):
    """Undoes a whole attempt, so that the next one starts from the same rows."""


@contextmanager
def killed_after(statements: int) -> Iterator[None]:
    """Let so many statements of the database pass inside the block, and kill the process at the next one."""
    passed = 0

    def count(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        nonlocal passed
        if passed == statements and "SAVEPOINT" not in sql:
            raise Killed
        passed += "SAVEPOINT" not in sql
        return execute(sql, *arguments)

    with connection.execute_wrapper(count):
        yield


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The id and the headline of each message that a channel received."""
    found: list[tuple[str, str]] = []

    def send(_: Channel, notification: Notification, sending: Sending) -> None:
        found.append((str(sending.id), notification.headline))

    monkeypatch.setattr(outbox, "send", send)
    return found


def work(scripted: Scripted) -> None:
    """Do what the task of an organisation does."""
    scripted.turn()
    with scripted.inside():
        outbox.deliver(scripted.clock(), passed=outbox.KEPT)


def survives_a_kill(scripted: Scripted, received: list[tuple[str, str]], statements: int) -> bool:
    """Kill the work after so many statements and repeat it; return whether it was killed."""
    received.clear()
    begin, killed = scripted.clock.at, False
    try:
        with transaction.atomic():
            try:
                with killed_after(statements):
                    work(scripted)
            except Killed:
                killed = True
            scripted.clock.pass_by(130)  # the claim of the killed worker is over
            scripted.lives()
            work(scripted)
            with scripted.inside():
                assert OutboxEntry.objects.filter(state="sent").count() == OutboxEntry.objects.count() == 2
                assert [(row.number, row.resolved_at) for row in Incident.objects.all()] == [(1, None)]
            raise RolledBack
    except RolledBack:
        scripted.clock.at = begin
    assert len({name for name, _ in received}) == 2, statements
    assert {text for _, text in received} == {"Page: watch: Failed: Punctual"}
    return killed


def test_a_kill_between_any_two_statements_loses_nothing(scripted: Scripted, received: list[tuple[str, str]]) -> None:
    scripted.channel("one")
    scripted.channel("two")
    now = scripted.clock()
    scripted.run(observed="failed", domain="internal", changed_at=now, ended_at=now)
    scripted.clock.pass_by(10)
    statements = 0
    while survives_a_kill(scripted, received, statements):
        statements += 1
    assert statements > 15
