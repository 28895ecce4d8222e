"""Inboxes: acknowledged rows are stored once, unread rows are never deleted, and everything survives a kill."""

import os
import signal
import sqlite3
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.push import inbox as inboxes
from streaming.adapters.push.inbox import BatchIdReused, InboxFull, InboxLimits, PushInbox, Receipt

ROOMY = InboxLimits(1 << 30, 7)
DAY = 24 * 3_600 * 1_000_000


def lines(first: int, rows: int) -> bytes:
    return b"".join(
        b'{"n": %d, "salt": "%s"}\n' % (n, os.urandom(16).hex().encode()) for n in range(first, first + rows)
    )


def push(
    inbox: PushInbox, rows: int, limits: InboxLimits = ROOMY, *, batch: str | None = None, now: int = 0
) -> Receipt:
    return inbox.accept(lines(0, rows), rows, batch=batch, now=now, limits=limits)


@pytest.fixture
def inbox(tmp_path: Path) -> PushInbox:
    return PushInbox.of(tmp_path / "files", "cars")


class LevelSeen(sqlite3.Connection):
    """Records the `synchronous` level of each committed transaction: 1 NORMAL, 2 FULL."""

    levels: list[int] = []  # noqa: RUF012 # shared by all connections of a test

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        if statement == "COMMIT":
            self.levels.extend(super().execute("PRAGMA synchronous").fetchone())
        return super().execute(statement, *values)


def test_no_push_waits_until_the_progress_of_a_reader_is_on_the_disk(
    inbox: PushInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(inbox, 3)  # creates the tables
    monkeypatch.setattr(LevelSeen, "levels", [])
    monkeypatch.setattr(inboxes.sqlite3, "connect", partial(sqlite3.connect, factory=LevelSeen))
    push(inbox, 3)
    inbox.note_reader("one", 1, 0)  # a new reader keeps rows, also after a power failure
    inbox.note_reader("one", 5, 0)
    inbox.note_reader("one", 2, 0)  # so does one that was reset
    inbox.note_reader("one", 2, DAY)  # so does one that is still alive
    assert LevelSeen.levels == [2, 2, 1, 2, 2]


def test_rows_are_numbered_in_the_order_of_their_batches(inbox: PushInbox) -> None:
    assert [push(inbox, rows) for rows in (3, 1, 2)] == [
        Receipt(0, 3, False),
        Receipt(3, 1, False),
        Receipt(4, 2, False),
    ]
    assert [(batch.first, batch.rows) for batch in inbox.between(2, 4)] == [(0, 3), (3, 1)]
    state = inbox.state()
    assert (state.oldest, state.next, state.unread) == (0, 6, 6)


def test_an_inbox_without_pushes_is_empty_and_nothing_is_created(inbox: PushInbox) -> None:
    assert (inbox.state(), list(inbox.between(0, 9)), list(inbox.sizes(0))) == (inboxes.EMPTY, [], [])
    inbox.note_reader("one", 0, 0)
    assert not inbox.path.exists()


def test_a_repeated_batch_is_stored_once_and_other_rows_under_its_id_are_refused(inbox: PushInbox) -> None:
    body = lines(0, 2)
    first = inbox.accept(body, 2, batch="a", now=0, limits=ROOMY)
    push(inbox, 1)
    assert inbox.accept(body, 2, batch="a", now=5, limits=ROOMY) == Receipt(first.first, 2, again=True)
    with pytest.raises(BatchIdReused):
        push(inbox, 2, batch="a")
    assert inbox.state().next == 3


def test_a_full_inbox_refuses_until_its_readers_have_read_and_deletes_nothing_unread(inbox: PushInbox) -> None:
    push(inbox, 100)
    most = InboxLimits(inbox.state().stored * 2 + 500, 7)
    push(inbox, 100, most)
    with pytest.raises(InboxFull) as nobody:
        push(inbox, 100, most)
    assert not nobody.value.read
    inbox.note_reader("slow", 100, 0)
    inbox.note_reader("fast", 200, 0)
    inbox.note_reader("fast", 200, 1)
    assert push(inbox, 100, most).first == 200, "each has read the first batch"
    assert inbox.state().oldest == 100
    inbox.note_reader("slow", 200, 0)
    with pytest.raises(InboxFull) as behind:
        push(inbox, 100, most)
    assert behind.value.read, "the batch before a reader's position may have to be read again"
    inbox.note_reader("slow", 300, 0)
    inbox.note_reader("fast", 300, 0)
    assert push(inbox, 100, most).first == 300


def test_a_reader_that_was_not_seen_for_long_keeps_no_rows(inbox: PushInbox) -> None:
    push(inbox, 100)
    most = InboxLimits(inbox.state().stored + 500, 7)
    inbox.note_reader("gone", 50, 0)
    inbox.note_reader("here", 100, 7 * DAY)
    with pytest.raises(InboxFull):
        push(inbox, 100, most, now=7 * DAY)
    assert push(inbox, 100, most, now=7 * DAY + 1).first == 100


def test_ids_are_remembered_for_a_day_and_many_of_them_longer(
    inbox: PushInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inboxes, "IDS_KEPT", 2)
    body = lines(0, 1)
    for number in range(4):
        inbox.accept(body, 1, batch=str(number), now=number, limits=ROOMY)
    assert inbox.accept(body, 1, batch="0", now=DAY, limits=ROOMY).again
    push(inbox, 1, now=DAY + 2)
    assert not inbox.accept(body, 1, batch="0", now=DAY + 2, limits=ROOMY).again
    assert inbox.accept(body, 1, batch="3", now=DAY + 2, limits=ROOMY).again


PUSHER = """
import sys
from pathlib import Path
from streaming.adapters.push.inbox import PushInbox, InboxLimits
inbox, name = PushInbox(Path(sys.argv[1])), sys.argv[2]
for number in range(10**9):
    body = b"".join(b'{"id": "%s-%d-%d"}\\n' % (name.encode(), number, row) for row in range(20))
    inbox.accept(body, 20, batch=f"{name}-{number}", now=0, limits=InboxLimits(1 << 30, 7))
    print(number, flush=True)
"""


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.thorough)])
def test_acknowledged_rows_are_stored_once_after_kills_of_two_pushing_processes(inbox: PushInbox, kills: int) -> None:
    acknowledged: set[str] = set()
    for kill in range(kills):
        names = [f"{kill}{side}" for side in "ab"]
        command = [sys.executable, "-c", PUSHER, str(inbox.path)]
        pushers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in names]
        for name, each in zip(names, pushers, strict=True):
            assert each.stdout is not None
            acknowledged |= {f"{name}-{each.stdout.readline().strip()}" for _ in range(5 + kill)}
        for name, each in zip(names, pushers, strict=True):
            each.send_signal(signal.SIGKILL)
            output, _ = each.communicate()
            acknowledged |= {f"{name}-{number}" for number in output.splitlines()[:-1]}
    stored = [line for batch in inbox.between(0, 10**12) for line in batch.lines.splitlines()]
    assert len(stored) == inbox.state().next
    assert len(set(stored)) == len(stored)
    assert {f'{{"id": "{each}-{row}"}}'.encode() for each in acknowledged for row in range(20)} <= set(stored)
