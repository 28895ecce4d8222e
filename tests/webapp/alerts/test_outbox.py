"""The outbox: retries for a day under the same id, in order for each binding, and channels that do not wait."""

from datetime import timedelta

import pytest

from tests.webapp.alerts.scripted import Scripted
from webapp.alerts import outbox
from webapp.alerts.channels.requests import NotSent, Sending
from webapp.alerts.models import Channel, OutboxEntry
from webapp.alerts.notifications import Notification


class Receivers:
    """Channels that accept what they get, except those in `broken`."""

    def __init__(self) -> None:
        self.got: list[tuple[str, str, str]] = []
        self.broken: set[str] = set()

    def send(self, channel: Channel, notification: Notification, sending: Sending) -> None:
        self.got.append((channel.name, str(sending.id), notification.headline))
        if channel.name in self.broken:
            raise NotSent("hook.example answers 500. It is tried again.")


@pytest.fixture
def receivers(monkeypatch: pytest.MonkeyPatch) -> Receivers:
    found = Receivers()
    monkeypatch.setattr(outbox, "send", found.send)
    return found


def deliver(scripted: Scripted) -> None:
    with scripted.inside():
        outbox.deliver(scripted.clock(), passed=timedelta.max)


def fails(scripted: Scripted) -> None:
    now = scripted.clock()
    scripted.run(observed="failed", domain="internal", changed_at=now, ended_at=now)
    scripted.turns(1)


def test_a_message_is_tried_for_a_day_under_one_id(scripted: Scripted, receivers: Receivers) -> None:
    channel = scripted.channel()
    receivers.broken = {"hook"}
    fails(scripted)
    for _ in range(40):
        deliver(scripted)
        scripted.clock.pass_by(3_700)
    assert 20 < len(receivers.got) < 40
    assert len({name for _, name, _ in receivers.got}) == 1
    (message,) = scripted.person.get(f"alerts/channels/{channel}/messages/").json()
    assert (message["state"], message["message"]) == ("failed", "hook.example answers 500. It is tried again.")
    (shown,) = scripted.person.get("alerts/channels/").json()
    assert shown["trouble"]["id"] == message["id"]


def test_waits_become_longer(scripted: Scripted, receivers: Receivers) -> None:
    scripted.channel()
    receivers.broken = {"hook"}
    fails(scripted)
    waits = []
    for _ in range(8):
        deliver(scripted)
        with scripted.inside():
            due = OutboxEntry.objects.get().due_at
        waits.append((due - scripted.clock()).total_seconds())
        scripted.clock.at = due
    assert waits == [30, 60, 120, 240, 480, 960, 1_920, 3_600]


def test_the_end_of_an_alert_arrives_after_its_start(scripted: Scripted, receivers: Receivers) -> None:
    scripted.channel()
    receivers.broken = {"hook"}
    scripted.run(observed="requested", changed_at=scripted.clock())
    scripted.turns(14)
    deliver(scripted)
    scripted.run(observed="running", changed_at=scripted.clock())
    scripted.turns(40)
    receivers.broken = set()
    receivers.got.clear()
    scripted.clock.pass_by(3_600)
    deliver(scripted)
    assert [text for *_, text in receivers.got] == [
        "Page: watch: Should run and does not",
        "Resolved: watch: Should run and does not",
    ]


def test_a_channel_that_fails_does_not_keep_others_waiting(scripted: Scripted, receivers: Receivers) -> None:
    scripted.channel("a")
    scripted.channel("b")
    receivers.broken = {"a"}
    fails(scripted)
    deliver(scripted)
    assert sorted(name for name, *_ in receivers.got) == ["a", "b"]


def test_a_pass_ends_in_time(scripted: Scripted, receivers: Receivers) -> None:
    scripted.channel()
    fails(scripted)
    with scripted.inside():
        outbox.deliver(scripted.clock(), passed=timedelta(0))
    assert receivers.got == []


def test_a_message_of_a_channel_that_was_switched_off_waits(scripted: Scripted, receivers: Receivers) -> None:
    channel = scripted.channel()
    fails(scripted)
    off = {"name": "hook", "kind": "email", "options": {"to": "ops@acme.example"}, "enabled": False}
    assert scripted.person.put(f"alerts/channels/{channel}/", off).status_code == 200
    deliver(scripted)
    assert receivers.got == []
    with scripted.inside():
        assert OutboxEntry.objects.get().message.startswith("The channel is switched off.")


def test_old_messages_are_deleted_once_they_have_ended(scripted: Scripted, receivers: Receivers) -> None:
    scripted.channel()
    fails(scripted)
    deliver(scripted)
    with scripted.inside():
        outbox.forget_sent(scripted.clock() + timedelta(days=30))
        assert OutboxEntry.objects.count() == 1
        outbox.forget_sent(scripted.clock() + timedelta(days=32))
        assert OutboxEntry.objects.count() == 0


@pytest.mark.parametrize("kind", ["", "e mail", "no_such_kind", "é"])
def test_a_kind_that_does_not_exist_is_refused(scripted: Scripted, kind: str) -> None:
    body = {"name": "hook", "kind": kind, "options": {}}
    answered = scripted.person.post("alerts/channels/", body)
    assert answered.status_code == 422
    assert answered.json()["faults"]
