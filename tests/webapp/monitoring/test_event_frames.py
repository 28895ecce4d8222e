"""The part of a report in a frame of the live stream, the wait of a quiet stream, and the end of a long one."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from streaming.wire.progress import ProgressReport, read_without_rows
from tests.webapp.monitoring.test_events import report
from webapp.monitoring.live_stream import LIFETIME_S, ReaderDoor, live_stream


def test_a_report_comes_without_the_rows_in_it() -> None:
    full = json.loads(report("run", 1))
    full["recent_results"] = [{"output": "out", "start": 1, "end": 2, "payload": {"text": "x" * 5_000}}]
    reported = read_without_rows(full).model_dump_json()
    assert len(reported) < 1_000
    assert ProgressReport.model_validate_json(reported).results == 1


def test_a_quiet_stream_waits_for_events_only_until_its_right_is_asked_for() -> None:
    at = 0.0
    door = ReaderDoor(lambda: True, lambda: at)
    at = 14.0
    assert door.seconds_left == 1.0


class LongTurns:
    """Turns of three frames. Every frame takes some seconds of the clock `now`."""

    def __init__(self, opening_s: float, following_s: float) -> None:
        self.now, self.opening_s, self.following_s = 0.0, opening_s, following_s
        self.closed = 0

    def opening(self) -> AsyncGenerator[str]:
        return self._turn("opening", self.opening_s)

    def following(self, seconds: float) -> AsyncGenerator[str]:
        assert seconds > 0
        return self._turn("following", self.following_s)

    async def _turn(self, name: str, seconds: float) -> AsyncGenerator[str]:
        try:
            for _ in range(3):
                self.now += seconds
                yield name
        finally:
            self.closed += 1


@pytest.mark.parametrize(
    ("opening_s", "following_s", "frames"),
    [(LIFETIME_S, 1.0, ["opening"]), (1.0, LIFETIME_S, ["opening"] * 3 + ["following"])],
)
def test_a_stream_ends_after_its_lifetime_also_inside_a_turn(
    opening_s: float, following_s: float, frames: list[str], settings: Any
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    followed = LongTurns(opening_s, following_s)

    async def read() -> list[str]:
        return [each async for each in live_stream(lambda _: followed, lambda: True, lambda: followed.now)]

    assert async_to_sync(read)() == frames
    assert followed.closed == len(set(frames)), "every turn is closed at once"
