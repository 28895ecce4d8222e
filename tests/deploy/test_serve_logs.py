"""JSON logs: each record is one line, whatever the process and its JVM print."""

import json
import signal
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from deploy.serve.logs import RecordWriter, must_wrap
from tests.conftest import ROOT

NOW = datetime(2026, 11, 27, tzinfo=UTC)


def written(*lines: str) -> list[Any]:
    found: list[str] = []
    writer = RecordWriter(found.append, lambda: NOW)
    for line in lines:
        writer.line(line)
    writer.flush()
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in found)
    return [json.loads(line) for line in found]


def test_a_record_passes_unchanged() -> None:
    record = {"at": "2026-11-27T00:00:00+00:00", "level": "info", "where": "streaming.runtime", "message": "ready"}
    assert written(json.dumps(record)) == [record]


def test_a_message_of_spark_has_its_level_and_class_and_keeps_its_stack_trace() -> None:
    [record] = written(
        "26/11/27 20:44:48 WARN TaskSetManager: Lost task 0.0",
        "java.lang.OutOfMemoryError".join(("\t", "")),
        "\tat org.apache.spark.Executor.run(Executor.scala:1)",
        "Caused by: java.io.IOException: closed",
    )
    assert (record["level"], record["where"]) == ("warning", "TaskSetManager")
    assert record["message"].splitlines()[-1] == "Caused by: java.io.IOException: closed"
    assert record["at"] == "2026-11-27T00:00:00.000+00:00"


def test_a_python_traceback_is_one_record_with_its_exception() -> None:
    trace, after = written(
        "Traceback (most recent call last):", '  File "x.py", line 1, in <module>', "ValueError: no", "bye"
    )
    assert (trace["level"], trace["message"].splitlines()[-1]) == ("error", "ValueError: no")
    assert after["message"] == "bye"


@pytest.mark.parametrize("line", ["{not json}", '{"at": 1}', "[1]", "{"])
def test_what_only_looks_like_a_record_is_wrapped(line: str) -> None:
    assert written(line) == [
        {"at": NOW.isoformat(timespec="milliseconds"), "level": "info", "where": "output", "message": line}
    ]


def test_blank_lines_are_no_records_and_endless_output_is_cut_into_some() -> None:
    assert written("", "  ") == []
    assert len(written("head", *[" more"] * 1_200)) == 3


@pytest.mark.parametrize(
    ("role", "environment", "wraps"),
    [
        ("web", {"PUNCTUAL_LOG_FORMAT": "json"}, True),
        ("runner", {"PUNCTUAL_LOG_FORMAT": "json"}, True),
        ("check", {"PUNCTUAL_LOG_FORMAT": "json"}, False),
        ("web", {}, False),
        ("web", {"PUNCTUAL_LOG_FORMAT": "json", "_SERVE_LOGS_ARE_WRAPPED": "1"}, False),
    ],
)
def test_only_a_process_with_json_logs_has_a_parent(role: str, environment: dict[str, str], wraps: bool) -> None:
    assert must_wrap(role, environment) is wraps


def test_signals_reach_the_process_and_its_exit_code_is_the_parents() -> None:
    child = (
        "import signal, sys\n"
        "def end(*_):\n    print('asked', flush=True)\n    sys.exit(5)\n"
        "signal.signal(signal.SIGTERM, end)\nprint('up', flush=True)\nsignal.pause()"
    )
    program = f"import sys; from deploy.serve.logs import wrapped; sys.exit(wrapped([sys.executable, '-c', {child!r}]))"
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert json.loads(parent.stdout.readline())["message"] == "up"
        parent.send_signal(signal.SIGTERM)
        assert json.loads(parent.stdout.readline())["message"] == "asked"
        assert parent.wait(30) == 5
