"""Decisions of a runner: desired against carried runs."""

import pytest

from streaming.runtime.run_decisions import AddRun, RunDecisions, RunStateSeen, Step, StopRun
from streaming.spark.errors import RunFailure
from streaming.spark.query.manifests import RunChange
from streaming.wire.messages import RunSpec
from tests.spark.specs import spec

FULL = RunFailure("external", "The disk is full.", "a stack trace")


def stopped(wanted: RunSpec, *, flush: bool = False) -> RunSpec:
    return wanted.model_copy(update={"desired": "stopped", "flush": flush})


A, B = spec("a", "rows.jsonl"), spec("b", "rows.jsonl")


@pytest.fixture
def books() -> RunDecisions:
    """Return decisions with the running binding a."""
    books = RunDecisions()
    books.decide({"a": A})
    books.note("a", RunStateSeen("a-1", "running"))
    return books


def test_a_desired_run_is_added_once_and_reported_as_starting() -> None:
    books = RunDecisions()
    steps: list[Step] = [AddRun(A), RunStateSeen("a-1", "starting")]
    assert books.decide({"a": A}) == steps
    assert books.decide({"a": A}) == []


def test_a_run_is_reported_as_running_when_a_manifest_says_so() -> None:
    books = RunDecisions()
    books.decide({"a": A})
    assert books.note("a", RunStateSeen("a-1", "running")) == [RunStateSeen("a-1", "running")]


def test_a_run_that_is_no_longer_desired_is_stopped_and_keeps_its_state(books: RunDecisions) -> None:
    assert books.decide({}) == [StopRun("a", flush=False)]


@pytest.mark.parametrize("flush", [True, False])
def test_a_stop_is_commanded_once_and_reported_until_a_manifest_ends_it(books: RunDecisions, flush: bool) -> None:
    wanted = {"a": stopped(A, flush=flush)}
    assert books.decide(wanted) == [StopRun("a", flush), RunStateSeen("a-1", "stopping")]
    assert books.decide(wanted) == []
    assert books.note("a", RunStateSeen("a-1", "stopped")) == [RunStateSeen("a-1", "stopped")]
    assert books.decide(wanted) == []


def test_the_stop_of_a_run_that_was_never_carried_is_reported_at_once() -> None:
    assert RunDecisions().decide({"a": stopped(A)}) == [RunStateSeen("a-1", "stopped")]


def test_another_run_of_the_same_binding_replaces_the_first(books: RunDecisions) -> None:
    second = spec("a", "rows.jsonl", run="a-2")
    assert books.decide({"a": second}) == [StopRun("a", flush=False), AddRun(second), RunStateSeen("a-2", "starting")]
    assert books.note("a", RunStateSeen("a-1", "stopped")) == [RunStateSeen("a-1", "stopped")]
    assert books.note("a", RunStateSeen("a-2", "running")) == [RunStateSeen("a-2", "running")]


def test_an_input_that_ended_is_not_started_again_while_it_stays_desired(books: RunDecisions) -> None:
    assert books.note("a", RunStateSeen("a-1", "completed", None, "The input has ended.")) != []
    assert books.decide({"a": A}) == []
    assert not books.active


def test_a_failed_run_is_retried_once_it_has_been_absent(books: RunDecisions) -> None:
    books.note("a", RunStateSeen("a-1", "failed", "external", "No answer."))
    assert books.decide({"a": A}) == []
    assert books.decide({}) == []
    assert books.decide({"a": A}) == [AddRun(A), RunStateSeen("a-1", "starting")]


def test_when_the_query_stops_every_run_fails_once(books: RunDecisions) -> None:
    books.decide({"a": A, "b": B})
    reports = books.fail_all(FULL, {"a", "b"})
    assert {seen.run: seen.message for seen in reports} == {"a-1": FULL.message, "b-1": FULL.message}
    assert books.fail_all(FULL, {"a", "b"}) == []
    assert books.decide({"a": A, "b": B}) == []
    assert not books.active


def test_when_a_query_stops_the_runs_of_other_queries_continue(books: RunDecisions) -> None:
    books.decide({"a": A, "b": B})
    assert books.fail_all(FULL, {"b"}) == [RunStateSeen("b-1", "failed", "external", FULL.message)]
    assert books.active == {"a"}


def test_after_the_query_stopped_its_runs_do_not_restart_unless_desired(books: RunDecisions) -> None:
    books.decide({"a": A, "b": B})
    books.fail_all(FULL, {"a", "b"})
    assert books.decide({}) == [StopRun("a", flush=False), StopRun("b", flush=False)]
    assert books.decide({"a": A}) == [AddRun(A), RunStateSeen("a-1", "starting")]


def test_a_failed_run_that_waits_for_its_retry_is_not_reported_as_stopped(books: RunDecisions) -> None:
    books.fail_all(FULL, {"a"})
    assert books.decide({}) == [StopRun("a", flush=False)]
    assert books.note("a", RunStateSeen("a-1", "stopped")) == []
    assert books.decide({"a": A}) == [AddRun(A), RunStateSeen("a-1", "starting")]


def test_the_end_of_a_failed_attempt_does_not_count_for_the_next_one(books: RunDecisions) -> None:
    books.fail_all(FULL, {"a"})
    books.decide({})
    books.decide({"a": A})
    assert books.note("a", RunStateSeen("a-1", "stopped")) == []
    assert books.note("a", RunStateSeen("a-1", "running")) == [RunStateSeen("a-1", "running")]
    assert books.decide({"a": stopped(A)}) == [StopRun("a", flush=False), RunStateSeen("a-1", "stopping")]
    assert books.note("a", RunStateSeen("a-1", "stopped")) == [RunStateSeen("a-1", "stopped")]


def test_a_run_that_a_user_stops_before_its_retry_runs_has_stopped(books: RunDecisions) -> None:
    books.fail_all(FULL, {"a"})
    books.decide({})
    books.decide({"a": A})
    books.decide({"a": stopped(A)})
    assert books.note("a", RunStateSeen("a-1", "stopped")) == [RunStateSeen("a-1", "stopped")]


def test_a_run_that_was_absent_for_a_moment_continues_also_in_another_runner(books: RunDecisions) -> None:
    books.decide({})
    books.note("a", RunStateSeen("a-1", "stopped"))
    assert books.decide({"a": A})[0] == AddRun(A)
    other = RunDecisions()
    other.resume({"a-1": RunChange("a", "a-1", "stopped")})
    assert other.decide({"a": A})[0] == AddRun(A)
    assert other.decide({"a": stopped(A)})[0] == StopRun("a", flush=False)


def test_a_stop_that_the_previous_runner_commanded_does_not_end_a_run_of_this_one() -> None:
    books = RunDecisions()
    books.decide({"a": A})
    assert books.note("a", RunStateSeen("a-1", "stopped")) == []
    assert books.note("a", RunStateSeen("a-1", "running")) == [RunStateSeen("a-1", "running")]


def test_a_restarted_runner_resumes_the_runs_of_the_control_log() -> None:
    books = RunDecisions(carried={"a": "a-1"})
    books.resume({"a-1": RunChange("a", "a-1", "running")})
    assert books.decide({"a": A}) == [RunStateSeen("a-1", "starting")]
    assert books.ready({"a-1": RunChange("a", "a-1", "running")}) == [RunStateSeen("a-1", "running")]
    assert books.ready({"a-1": RunChange("a", "a-1", "running")}) == []


def test_a_restarted_runner_keeps_the_message_of_the_start() -> None:
    books = RunDecisions(carried={"a": "a-1"})
    books.decide({"a": A})
    assert books.ready({"a-1": RunChange("a", "a-1", "running", None, "It starts again.")}) == [
        RunStateSeen("a-1", "running", None, "It starts again.")
    ]


def test_a_restarted_runner_reports_ended_runs_again() -> None:
    books = RunDecisions(carried={"a": "a-1"})
    books.resume({"a-1": RunChange("a", "a-1", "completed", None, "The input has ended.")})
    assert books.decide({"a": A}) == [RunStateSeen("a-1", "completed", None, "The input has ended.")]
    assert not books.active


def test_a_stopping_run_is_not_reported_as_running_again(books: RunDecisions) -> None:
    books.decide({"a": stopped(A)})
    assert books.note("a", RunStateSeen("a-1", "running")) == []


def discarded(wanted: RunSpec) -> RunSpec:
    return stopped(wanted).model_copy(update={"discard": True})


def test_a_discard_is_commanded_once_without_a_flush(books: RunDecisions) -> None:
    wanted = {"a": discarded(A).model_copy(update={"flush": True})}
    assert books.decide(wanted) == [StopRun("a", flush=False, discard=True), RunStateSeen("a-1", "stopping")]
    assert books.decide(wanted) == []


@pytest.mark.parametrize("flush", [True, False])
def test_a_discard_while_a_run_stops_is_commanded_after_the_stop(books: RunDecisions, flush: bool) -> None:
    books.decide({"a": stopped(A, flush=flush)})
    assert books.decide({"a": discarded(A)}) == [StopRun("a", flush=False, discard=True)]
    assert books.note("a", RunStateSeen("a-1", "stopped")) == [RunStateSeen("a-1", "stopped")]
    assert books.decide({"a": discarded(A)}) == []


def test_a_discard_after_the_run_has_ended_is_commanded_too(books: RunDecisions) -> None:
    books.decide({"a": stopped(A)})
    books.note("a", RunStateSeen("a-1", "stopped"))
    assert books.decide({"a": discarded(A)}) == [StopRun("a", flush=False, discard=True)]


def test_a_discard_keeps_the_state_of_another_run(books: RunDecisions) -> None:
    assert books.decide({"a": discarded(spec("a", "rows.jsonl", run="a-0"))})[-1:] == [RunStateSeen("a-0", "stopped")]
    assert not any(
        isinstance(step, StopRun) and step.discard for step in RunDecisions({"a": "a-2"}).decide({"a": discarded(A)})
    )


NEXT = A.model_copy(update={"run": "a-c", "beside": True})
OVER = A.model_copy(update={"run": "a-2", "takes_over": "a-c"})


def test_a_parallel_run_has_a_name_of_its_own_and_another_takes_over_without_a_stop(
    books: RunDecisions,
) -> None:
    both = {"a": A, "a~next": NEXT}
    assert books.decide(both) == [AddRun(NEXT), RunStateSeen("a-c", "starting")]
    assert books.note("a~next", RunStateSeen("a-c", "running")) == [RunStateSeen("a-c", "running")]
    assert books.decide(both) == []
    wanted: list[Step] = [StopRun("a", flush=False), AddRun(OVER), RunStateSeen("a-2", "starting")]
    assert books.decide({"a": OVER}) == wanted
    assert books.note("a", RunStateSeen("a-1", "stopped")) == [RunStateSeen("a-1", "stopped")]
    assert books.note("a", RunStateSeen("a-2", "running")) == [RunStateSeen("a-2", "running")]
    assert books.decide({"a": OVER}) == []
    assert books.carried == {"a": "a-2"}


def test_a_cancelled_change_ends_only_the_parallel_run(books: RunDecisions) -> None:
    books.decide({"a": A, "a~next": NEXT})
    assert books.decide({"a": A}) == [StopRun("a~next", flush=False)]
    assert books.note("a~next", RunStateSeen("a-c", "stopped")) == []
    assert books.decide({"a": A}) == []


def test_a_successor_of_a_runner_killed_during_a_leave_reports_no_run_as_stopped() -> None:
    books = RunDecisions()
    books.resume({"a-1": RunChange("a", "a-1", "running")})  # the control log already contains its stop
    assert books.decide({}) == []
    assert books.note("a", RunStateSeen("a-1", "stopped")) == []
    assert books.decide({"a": A})[0] == AddRun(A)
