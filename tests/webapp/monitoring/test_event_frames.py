"""The part of a report in a frame of the live stream, and the wait of a quiet stream."""

import json

from streaming.wire.progress import ProgressReport, read_without_rows
from tests.webapp.monitoring.test_events import report
from webapp.monitoring.live_stream import ReaderDoor


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
