"""A real runner by `punctual-serve runner`: its logs with those of the JVM as JSON, and its end on request."""

import json
import signal
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import redis

from deploy.installation.waiting import wait_until
from streaming.wire import keys
from streaming.wire.messages import RunnerLease
from tests.deploy.test_serve import environment, run, started

STARTS_S, ENDS_S = 120, 30


@pytest.mark.spark
def test_a_runner_logs_only_records_and_ends_on_request(tmp_path: Path, redis_server_url: str) -> None:
    whose = str(uuid4())
    file = tmp_path / "configuration"
    file.write_text(json.dumps({"redis": redis_server_url, "keys": []}))
    data = tmp_path / "data"
    env = environment(data, PUNCTUAL_LOG_FORMAT="json", PUNCTUAL_RUNNER_CONFIGURATION_FILE=str(file))
    with (
        redis.Redis.from_url(redis_server_url) as client,
        started(env, "runner", "--organisation", whose, "--idle-exit-s", "inf") as process,
    ):

        def has_session() -> bool:
            content: Any = client.get(keys.lease(whose))
            return content is not None and RunnerLease.model_validate_json(content).session_at is not None

        assert wait_until(has_session, timeout_s=STARTS_S)
        assert run(env, "health", "runner", "--organisation", whose).returncode == 0
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=ENDS_S)[0]
    assert process.returncode == 0, output
    records: list[Any] = [json.loads(line) for line in output.splitlines()]
    assert records
    assert all({"at", "level", "where", "message"} <= record.keys() for record in records)
    assert run(env, "health", "runner", "--organisation", whose).returncode == 1
