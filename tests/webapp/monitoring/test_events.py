"""The live stream of a run: real Redis, an asynchronous client, every frame as a browser receives it."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
import redis
from asgiref.sync import async_to_sync, sync_to_async
from django.contrib.sessions.models import Session
from django.db import DatabaseError
from django.test import AsyncClient
from django.utils import timezone

from streaming.wire import keys
from streaming.wire.progress import ProgressReport
from tests.webapp.conftest import Person, join
from webapp.accounts.actors import IMPERSONATED_UNTIL
from webapp.accounts.models import Membership, Organisation, ServiceAccount, Token
from webapp.accounts.permissions import Role
from webapp.administration.deleting import delete_if_due
from webapp.core.context import organisation_context
from webapp.monitoring import events, live_stream
from webapp.monitoring.live_stream import NO_ENTRY
from webapp.runs.lifecycle.state_events import announce, state_of
from webapp.runs.models import Run

PATIENCE_S = 60.0


def report(run: str, batch: int) -> str:
    return ProgressReport(
        kind="progress",
        run=run,
        batch=batch,
        at=batch,
        inputs={},
        output_ctis={},
        results=batch,
        quarantined=0,
        recent_results=[],
        recent_late=[],
        batch_s=0.1,
    ).model_dump_json()


class Live:
    """A run of alice's and those who watch it."""

    def __init__(self, person: Person, run: str, connection: "redis.Redis") -> None:
        self.person, self.run, self.connection = person, run, connection

    @property
    def path(self) -> str:
        return self.person.url(f"runs/{self.run}/events/")

    def reports(self, *batches: int) -> None:
        for batch in batches:
            key = keys.reports(str(self.person.organisation.pk), self.run)
            self.connection.xadd(key, {"report": report(self.run, batch)})

    def watch(
        self,
        count: int,
        *,
        last: str | None = None,
        then: Callable[[], None] = lambda: None,
        after: int = 0,
        after_entry: str = "",
    ) -> list[dict[str, str]]:
        """Return the first `count` frames; `then` happens when `after` of them have come."""

        async def collect() -> list[dict[str, str]]:
            stream = await self.opened({"last-event-id": last} if last else {}, f"?after={after_entry}")
            frames: list[dict[str, str]] = []
            while len(frames) < count:
                if len(frames) == after:
                    await sync_to_async(then)()
                frames += [read(text) for text in await next_frame(stream)]
            await stream.aclose()
            return frames

        return run_async(collect)

    def watch_to_the_end(self, then: Callable[[], object], token: str | None = None) -> list[dict[str, str]]:
        """Return the frames that come after `then`, which happens when the first has come; thirty are no end."""

        async def collect() -> list[dict[str, str]]:
            stream = await self.opened({"authorization": f"Bearer {token}"} if token else {})
            await next_frame(stream)
            await sync_to_async(then)()
            frames: list[dict[str, str]] = []
            with suppress(StopAsyncIteration):
                while True:
                    frames += [read(text) for text in await next_frame(stream)]
                    assert len(frames) < 30, "the stream goes on"
            return frames

        return run_async(collect)

    async def opened(self, more: dict[str, str], query: str = "") -> AsyncGenerator[bytes]:
        client = AsyncClient()
        if "authorization" not in more:
            client.cookies = self.person.client.cookies
        answered: Any = await client.get(self.path + query, headers={"accept": "text/event-stream", **more})
        assert answered.status_code == 200, answered.content
        assert answered["Content-Type"].startswith("text/event-stream")
        stream: AsyncGenerator[bytes] = aiter(answered.streaming_content)
        return stream


def run_async(work: Callable[[], Coroutine[Any, Any, list[dict[str, str]]]]) -> list[dict[str, str]]:
    return async_to_sync(work)()


async def next_frame(stream: AsyncIterator[bytes]) -> list[str]:
    chunk = await asyncio.wait_for(anext(stream), PATIENCE_S)
    return [frame for frame in chunk.decode().split("\n\n") if frame]


def read(frame: str) -> dict[str, str]:
    if frame.startswith(":"):
        return {"comment": frame}
    return dict(line.split(": ", 1) for line in frame.split("\n"))


def batches(frames: list[dict[str, str]]) -> list[int]:
    return [json.loads(frame["data"])["batch"] for frame in frames if frame.get("event") == "progress"]


@pytest.fixture
def live(alice: Person, binding: dict[str, Any], settings: Any, redis_server_url: str) -> Any:
    settings.REDIS_URL = redis_server_url
    run = alice.post(f"bindings/{binding['id']}/start/").json()["id"]
    with redis.Redis.from_url(redis_server_url) as connection:
        yield Live(alice, run, connection)


def test_the_state_comes_first_then_the_newest_report(live: Live) -> None:
    live.reports(1, 2, 3)
    frames = live.watch(2)
    assert frames[0]["event"] == "state"
    assert json.loads(frames[0]["data"])["observed"] == "requested"
    assert batches(frames) == [3], "what was before it is the history's to tell"


def test_a_page_with_the_history_gets_the_later_events(live: Live) -> None:
    live.reports(1, 2)
    after = live.person.get(f"runs/{live.run}/history/").json()["entry"]
    live.reports(3, 4)
    assert batches(live.watch(3, after_entry=after)) == [3, 4]


def test_a_new_report_comes_as_it_is_made(live: Live) -> None:
    live.reports(1)
    frames = live.watch(4, then=lambda: live.reports(2, 3), after=2)
    assert batches(frames) == [1, 2, 3]


def test_a_page_that_comes_back_misses_nothing_and_sees_nothing_twice(live: Live) -> None:
    live.reports(1, 2)
    first = live.watch(2)
    live.reports(3)
    again = live.watch(2, last=first[-1]["id"])
    assert batches(again) == [3]


def test_a_report_with_a_word_that_this_version_does_not_know_keeps_no_page_from_its_stream(live: Live) -> None:
    key = keys.reports(str(live.person.organisation.pk), live.run)
    live.connection.xadd(key, {"report": json.dumps({**json.loads(report(live.run, 1)), "of_tomorrow": 1})})
    assert batches(live.watch(3, then=lambda: live.reports(2), after=2)) == [1, 2]


@pytest.mark.parametrize("last", ["nonsense", "1_2_3", "-_-", "1-0", "9" * 500])
def test_an_unreadable_last_event_id_is_none(live: Live, last: str) -> None:
    live.reports(1)
    assert batches(live.watch(2, last=last)) == [1]


def test_a_change_of_state_comes_as_it_is_made(
    live: Live, alice: Person, django_capture_on_commit_callbacks: Any
) -> None:
    with organisation_context(alice.organisation.pk):
        run = Run.objects.get(pk=live.run)
    run.observed, run.message = "lost", "Unknown since 12:00:00 UTC."
    with django_capture_on_commit_callbacks() as callbacks:
        announce(run)
    frames = live.watch(2, then=callbacks[0], after=1)
    assert [json.loads(frame["data"])["observed"] for frame in frames] == ["requested", "lost"]


def test_a_silent_run_sends_heartbeats(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_stream, "HEARTBEAT_S", 0.01)
    assert live.watch(2)[1] == {"comment": ": still here"}


def test_the_stream_ends_after_its_lifetime(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_stream, "LIFETIME_S", 0.0)
    with pytest.raises(StopAsyncIteration):
        live.watch(2)


def test_a_redis_that_is_gone_ends_the_stream_with_a_comment(live: Live, settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert "reconnects" in live.watch(1)[0]["comment"]


def test_charlie_and_nobody_are_refused_in_json(live: Live, charlie: Person) -> None:
    stranger = charlie.client.get(live.path, headers={"accept": "text/event-stream"})
    assert (stranger.status_code, stranger.json()["code"]) == (404, "not_found")
    charlie.client.logout()
    nobody = charlie.client.get(live.path, headers={"accept": "text/event-stream"})
    assert (nobody.status_code, nobody.json()["code"]) == (401, "not_signed_in")


ENDED = [{"comment": ": you may no longer read this; the browser reconnects and receives the reason"}]


@pytest.fixture
def heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_stream, "HEARTBEAT_S", 0.01)


def sign_out(live: Live) -> None:
    live.person.client.post("/installation/logout/")
    Session.objects.filter(session_key=live.person.client.cookies["sessionid"].value).delete()


def be_another_session(live: Live) -> None:
    """Leave the key where it is, with somebody else signed in."""
    other = join("mallory@acme.example", live.person.organisation, Role.OWNER)
    theirs = Session.objects.get(session_key=other.client.cookies["sessionid"].value)
    mine = live.person.client.cookies["sessionid"].value
    Session.objects.filter(session_key=mine).update(session_data=theirs.session_data)


def expire(live: Live) -> None:
    Session.objects.update(expire_date=timezone.now())


def act_too_long(live: Live) -> None:
    session = live.person.client.session
    session[IMPERSONATED_UNTIL] = (timezone.now() - timedelta(seconds=1)).isoformat()
    session.save()


def change_password(live: Live) -> None:
    live.person.user.set_password("another long enough password")
    live.person.user.save()


def deactivate(live: Live) -> None:
    live.person.user.is_active = False
    live.person.user.save()


def delete_organisation(live: Live) -> None:
    organisation = live.person.organisation
    with organisation_context(organisation.pk):
        Run.objects.update(ended_at=timezone.now())
        Organisation.objects.update(delete_after=timezone.now())
    assert delete_if_due(organisation, timezone.now())


def remove_member(live: Live) -> None:
    with organisation_context(live.person.organisation.pk):
        assert Membership.objects.filter(user=live.person.user).delete()[0] == 1


@pytest.mark.parametrize(
    "happens",
    [sign_out, be_another_session, expire, act_too_long, change_password, deactivate, remove_member],
)
def test_a_stream_ends_when_its_session_would_not_be_let_in(
    happens: Callable[[Live], None], live: Live, heartbeats: None
) -> None:
    assert [each for each in live.watch_to_the_end(lambda: happens(live)) if "still" not in each["comment"]] == ENDED


def test_a_stream_ends_when_its_organisation_is_gone(live: Live, heartbeats: None) -> None:
    assert live.watch_to_the_end(lambda: delete_organisation(live))[-1:] == ENDED


def change_token(live: Live, **fields: Any) -> None:
    with organisation_context(live.person.organisation.pk):
        assert Token.objects.update(**fields) == 1


TOKEN_ENDS: dict[str, Callable[[Live], None]] = {
    "revoked": lambda live: change_token(live, revoked_at=timezone.now()),
    "expired": lambda live: change_token(live, expires_at=timezone.now()),
    "another_network": lambda live: change_token(live, networks=["203.0.113.0/24"]),
    "may_not_read": lambda live: change_token(live, scopes=["edit"]),
    "member_removed": remove_member,
    "person_deactivated": deactivate,
}


@pytest.mark.parametrize("happens", TOKEN_ENDS)
def test_a_stream_ends_when_its_token_is_no_longer_good(happens: str, live: Live, heartbeats: None) -> None:
    body = {"name": "watcher", "role": "viewer", "expires_in_days": 30}
    text = live.person.post("tokens/", body).json()["token"]
    assert live.watch_to_the_end(lambda: TOKEN_ENDS[happens](live), text)[-1:] == ENDED


def test_a_stream_ends_when_its_service_account_is_switched_off(live: Live, heartbeats: None) -> None:
    account = live.person.post("service-accounts/", {"name": "watcher", "role": "viewer"}).json()["id"]
    body = {"name": "watcher", "role": "viewer", "expires_in_days": 30}
    text = live.person.post(f"service-accounts/{account}/tokens/", body).json()["token"]

    def switch_off() -> None:
        with organisation_context(live.person.organisation.pk):
            ServiceAccount.objects.update(disabled_at=timezone.now())

    assert live.watch_to_the_end(switch_off, text)[-1:] == ENDED


def test_a_stream_continues_while_its_session_is_valid(live: Live, heartbeats: None) -> None:
    live.watch(1, then=lambda: live.reports(1))
    assert [frame.get("event", "comment") for frame in live.watch(5)] == ["state", "progress", *["comment"] * 3]


class Guarded:
    """Return a stream whose clock stays fixed, and the number of checks of its access."""

    def __init__(self, live: Live) -> None:
        self.at, self.asked, self.right = 0.0, 0, True
        with organisation_context(live.person.organisation.pk):
            state = state_of(Run.objects.get())
        organisation = str(live.person.organisation.pk)
        self.stream = events.event_stream(
            organisation,
            cursor=events.EventCursor(report=NO_ENTRY),
            state=state,
            allowed=self.allowed,
            clock=lambda: self.at,
        )

    def allowed(self) -> bool:
        self.asked += 1
        return self.right


def test_while_events_flow_the_right_is_asked_for_once_in_a_heartbeat(live: Live) -> None:
    live.reports(1, 2, 3, 4, 5)

    guarded = Guarded(live)

    async def work() -> list[dict[str, str]]:
        asked = []
        for seconds in (0, 0, 14.9, 0.1, 0, 14.9):
            guarded.at += seconds
            await anext(guarded.stream)
            asked.append(guarded.asked)
        assert asked == [0, 0, 0, 1, 1, 1]
        guarded.at, guarded.right = guarded.at + 0.1, False
        return [read(frame.strip()) async for frame in guarded.stream]

    assert run_async(work) == ENDED


def test_a_stream_whose_right_cannot_be_asked_for_ends(live: Live, heartbeats: None, monkeypatch: Any) -> None:
    away: list[bool] = []

    def ask(*_: Any) -> bool:
        if away:
            raise DatabaseError("the database is away")
        return True

    monkeypatch.setattr("webapp.monitoring.api.still_allowed", ask)
    assert live.watch_to_the_end(lambda: away.append(True))[-1:] == ENDED


def test_an_open_page_learns_that_the_runner_is_dead_and_another_recovers_without_a_reconciler(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_stream, "LOOK_S", 0.05)
    organisation, run = str(live.person.organisation.pk), live.run
    with organisation_context(live.person.organisation.pk):
        Run.objects.filter(pk=run).update(observed="running")
    lease = {"token": "t", "host": "h", "pid": 1, "beat_at": 0}
    live.connection.set(keys.lease(organisation), json.dumps({**lease, "started_at": 0}))
    entries = [json.loads(live.watch(1)[0]["data"])["observed"]]

    def dies() -> None:
        live.connection.delete(keys.lease(organisation))

    entries += [json.loads(frame["data"])["observed"] for frame in live.watch(2, then=dies, after=1)]

    def another() -> None:
        later = round(timezone.now().timestamp() * 1e6) + 1
        live.connection.set(keys.lease(organisation), json.dumps({**lease, "started_at": later}))

    entries += [json.loads(frame["data"])["observed"] for frame in live.watch(2, then=another, after=1)]
    assert entries == ["running", "running", "lost", "lost", "recovering"]
