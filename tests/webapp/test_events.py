"""The live stream of a run: real Redis, an asynchronous client, every frame as a browser receives it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest
import redis
from asgiref.sync import async_to_sync
from django.test import AsyncClient

from streaming.wire import keys
from streaming.wire.messages import ProgressReport
from tests.webapp.conftest import Person
from webapp.core.context import organisation_context
from webapp.monitoring import events
from webapp.runs.models import Run
from webapp.runs.state_events import announce

PATIENCE_S = 10.0


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
        self, count: int, *, last: str | None = None, then: Callable[[], None] = lambda: None, after: int = 0
    ) -> list[dict[str, str]]:
        """Return the first `count` frames; `then` happens when `after` of them have come."""

        async def collect() -> list[dict[str, str]]:
            client = AsyncClient()
            client.cookies = self.person.client.cookies
            headers = {"accept": "text/event-stream"} | ({"last-event-id": last} if last else {})
            answered = await client.get(self.path, headers=headers)
            assert answered.status_code == 200, answered.content
            assert answered["Content-Type"].startswith("text/event-stream")
            stream = aiter(answered.streaming_content)
            frames: list[dict[str, str]] = []
            while len(frames) < count:
                if len(frames) == after:
                    await asyncio.to_thread(then)
                frames += [read(text) for text in await next_frame(stream)]
            await stream.aclose()
            return frames

        return run_async(collect)


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


def test_the_state_comes_first_then_the_history(live: Live) -> None:
    live.reports(1, 2, 3)
    frames = live.watch(4)
    assert frames[0]["event"] == "state"
    assert json.loads(frames[0]["data"])["observed"] == "requested"
    assert batches(frames) == [1, 2, 3]


def test_a_new_report_comes_as_it_is_made(live: Live) -> None:
    live.reports(1)
    frames = live.watch(4, then=lambda: live.reports(2, 3), after=2)
    assert batches(frames) == [1, 2, 3]


def test_a_page_that_comes_back_misses_nothing_and_sees_nothing_twice(live: Live) -> None:
    live.reports(1, 2)
    first = live.watch(3)
    live.reports(3)
    again = live.watch(2, last=first[-1]["id"])
    assert batches(again) == [3]


@pytest.mark.parametrize("last", ["nonsense", "1_2_3", "-_-", "1-0", "9" * 500])
def test_an_unreadable_last_event_id_starts_from_the_beginning(live: Live, last: str) -> None:
    live.reports(1)
    assert batches(live.watch(2, last=last)) == [1]


def test_the_history_is_limited(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "HISTORY", 2)
    live.reports(1, 2, 3, 4)
    assert batches(live.watch(3)) == [3, 4]


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
    monkeypatch.setattr(events, "HEARTBEAT_S", 0.01)
    assert live.watch(2)[1] == {"comment": ": still here"}


def test_the_stream_ends_after_its_lifetime(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "LIFETIME_S", 0.0)
    with pytest.raises(StopAsyncIteration):
        live.watch(2)


def test_a_redis_that_is_gone_ends_the_stream_with_a_comment(live: Live, settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert "comes back" in live.watch(1)[0]["comment"]


def test_charlie_and_nobody_are_refused_in_json(live: Live, charlie: Person) -> None:
    stranger = charlie.client.get(live.path, headers={"accept": "text/event-stream"})
    assert (stranger.status_code, stranger.json()["code"]) == (404, "not_found")
    charlie.client.logout()
    nobody = charlie.client.get(live.path, headers={"accept": "text/event-stream"})
    assert (nobody.status_code, nobody.json()["code"]) == (401, "not_signed_in")
