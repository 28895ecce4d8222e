"""What of a report goes into a frame of the live stream, and how long a quiet stream waits."""

import json

from streaming.wire.messages import ProgressReport
from tests.webapp.test_events import report
from webapp.monitoring import events


def test_a_report_comes_without_the_rows_in_it() -> None:
    full = json.loads(report("run", 1))
    full["recent_results"] = [{"output": "out", "start": 1, "end": 2, "payload": {"text": "x" * 5_000}}]
    told = events._slim(full)
    assert len(told) < 1_000
    assert ProgressReport.model_validate_json(told).results == 1


def test_a_quiet_stream_waits_for_events_only_until_its_right_is_asked_for() -> None:
    at = 0.0
    door = events._Door(lambda: True, lambda: at)
    at = 14.0
    assert door.seconds_left == 1.0
