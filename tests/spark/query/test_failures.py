"""Failures of expressions in the totals of a binding: exact over restarts and repeated batches."""

from pathlib import Path

import pytest

from streaming.spark.query.failures import report_failures
from streaming.spark.query.manifests import Manifest
from streaming.wire.execution.failures import FailureCount, FailureTally
from streaming.wire.progress import MOST_FAILURES, ProgressReport
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import BATCHES, STAGES, add

WHERE = "100 / (value % 2) > 0 or value >= 0"


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    return Loop(tmp_path)


def last_report(manifests: list[Manifest]) -> ProgressReport:
    return manifests[-1].reports[0]


def test_a_report_lists_failed_expressions_with_counts_and_examples(loop: Loop) -> None:
    add(loop, spec("a", "readings.jsonl", where=WHERE))
    report = last_report(loop.run())
    (failure,) = report.failures
    assert (failure.node, failure.field, failure.kind, failure.text) == ("some", "where", "division_by_zero", WHERE)
    assert failure.example == {"value": "0"}
    admitted = [number for number in range(BATCHES * 4) if number % 5 != 4]
    assert failure.count == report.failed == sum(1 for number in admitted if number % 2 == 0)


@pytest.mark.parametrize("stage", STAGES)
def test_a_repeated_batch_is_counted_once(loop: Loop, tmp_path: Path, stage: str) -> None:
    add(loop, spec("a", "readings.jsonl", where=WHERE))
    loop.batch()
    loop.killed_at(stage)
    manifests = loop.run()
    other = Loop(tmp_path / "other")
    write_readings(other.home / "readings.jsonl", BATCHES)
    add(other, spec("a", "readings.jsonl", where=WHERE))
    assert last_report(manifests).failures == last_report(other.run()).failures


def test_a_report_lists_the_most_frequent_failures_and_counts_all() -> None:
    tally = FailureTally()
    for number in range(MOST_FAILURES + 5):
        tally.add(FailureCount("p", f"c{number:02}", "overflow", number + 1, {}))
    failures, failed = report_failures(spec("a", "x").query, tally.to_json())
    assert [each.count for each in failures] == list(range(MOST_FAILURES + 5, 5, -1))
    assert failed == sum(range(1, MOST_FAILURES + 6))
