"""An adapter that does not answer stops its own binding at a deadline; every other binding continues."""

import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.rows.adapter import RowsAdapter
from streaming.engine.operators.bucket import BucketOperators
from streaming.spark.abandonable_calls import AbandonableCall, CallAbandoned, CallSeries, Patience
from streaming.spark.errors import explain_query
from streaming.spark.planning.adapter_queries import AdapterQueries
from streaming.spark.query.manifests import Manifest
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import BATCHES, add, rows, states, undisturbed

__all__ = ["undisturbed"]
DEADLINE_S = 2
"""Long enough for every call that answers, also on a busy machine."""
SILENT = "The input readings did not answer within 2 s."
Undisturbed = tuple[list[str], list[str]]


@pytest.fixture
def answers() -> Iterator[threading.Event]:
    """Return an event that lets hanging calls continue; it is set at the end, so that no thread stays."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    for name in ("hung", "stuck"):
        write_readings(tmp_path / f"{name}.jsonl", BATCHES)
    return Loop(tmp_path, read_deadline_s=DEADLINE_S, compute_deadline_s=DEADLINE_S)


def hang_reading(monkeypatch: pytest.MonkeyPatch, answers: threading.Event, at: int = 3) -> list[str]:
    """Make reads of files other than readings hang before their row `at`; return the hanging ones in order."""
    read, hung = RowsAdapter.read, []

    def reading(self: RowsAdapter, lane: str, start: int, end: int) -> Iterator[Any]:
        if end == at and self._options.path != "readings.jsonl":
            hung.append(self._options.path)
            answers.wait()
        yield from read(self, lane, start, end)

    monkeypatch.setattr(RowsAdapter, "read", reading)
    return hung


def one_failure(manifests: list[Manifest], binding: str) -> str:
    (failed,) = [each for each in states(manifests, binding) if each[0] == "failed"]
    assert failed[1] == "external"
    return str(failed[2])


@pytest.mark.parametrize("partitions", [1, 2])
def test_a_hanging_read_fails_its_own_run_which_resumes_later(
    tmp_path: Path,
    loop: Loop,
    undisturbed: Undisturbed,
    answers: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
    partitions: int,
) -> None:
    loop = Loop(tmp_path / str(partitions), partitions=partitions, read_deadline_s=DEADLINE_S)
    for name in ("hung", "readings"):
        write_readings(loop.home / f"{name}.jsonl", BATCHES)
    hang_reading(monkeypatch, answers)
    add(loop, spec("hung", "hung.jsonl"))
    add(loop, spec("a", "readings.jsonl"))
    manifests = loop.run()
    assert one_failure(manifests, "hung").startswith(SILENT)
    assert rows(loop, "a") == undisturbed
    monkeypatch.undo()
    add(loop, spec("hung", "hung.jsonl", run="hung-2"))
    loop.run()
    assert rows(loop, "hung") == undisturbed


def test_bindings_that_hang_together_share_one_wait(
    loop: Loop, undisturbed: Undisturbed, answers: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    hung = hang_reading(monkeypatch, answers)
    for name in ("hung", "stuck", "readings"):
        add(loop, spec(name, f"{name}.jsonl"))
    manifests = loop.run()
    assert sorted(hung) == ["hung.jsonl", "stuck.jsonl"]
    failed = [batch for batch, state in changes(manifests) if state == "failed"]
    assert len(failed) == 2
    assert len(set(failed)) == 1
    assert rows(loop, "readings") == undisturbed


def changes(manifests: list[Manifest]) -> list[tuple[int, str]]:
    """Return the batch and the state of each change."""
    return [(manifest.batch, change.state) for manifest in manifests for change in manifest.changes]


def test_a_slow_read_within_the_deadline_is_accepted(
    loop: Loop, undisturbed: Undisturbed, answers: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = Loop(loop.home, read_deadline_s=60.0)
    hang_reading(monkeypatch, answers)
    add(loop, spec("hung", "hung.jsonl"))
    add(loop, spec("a", "readings.jsonl"))
    read = RowsAdapter.read

    def releasing(self: RowsAdapter, lane: str, start: int, end: int) -> Iterator[Any]:
        if end == 3 and self._options.path == "readings.jsonl":
            answers.set()
        yield from read(self, lane, start, end)

    monkeypatch.setattr(RowsAdapter, "read", releasing)
    loop.run()
    assert rows(loop, "hung") == rows(loop, "a") == undisturbed


def test_an_adapter_that_sends_rows_slowly_reaches_the_same_deadline(
    loop: Loop, undisturbed: Undisturbed, answers: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = RowsAdapter.read

    def trickling(self: RowsAdapter, lane: str, start: int, end: int) -> Iterator[Any]:
        yield from read(self, lane, start, end)
        while self._options.path == "hung.jsonl":
            answers.wait(DEADLINE_S / 5)
            yield from read(self, lane, start, end)

    monkeypatch.setattr(RowsAdapter, "read", trickling)
    add(loop, spec("hung", "hung.jsonl"))
    add(loop, spec("a", "readings.jsonl"))
    assert one_failure(loop.run(), "hung").startswith(SILENT)
    assert rows(loop, "a") == undisturbed


def test_an_adapter_that_does_not_answer_a_poll_delays_no_batch(
    loop: Loop, undisturbed: Undisturbed, answers: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    latest = RowsAdapter.latest

    def hanging(self: RowsAdapter, start: Mapping[str, int], *, now: int, limit_rows: int) -> Mapping[str, int]:
        if self._options.path == "hung.jsonl":
            answers.wait()
        return latest(self, start, now=now, limit_rows=limit_rows)

    monkeypatch.setattr(RowsAdapter, "latest", hanging)
    add(loop, spec("hung", "hung.jsonl"))
    add(loop, spec("a", "readings.jsonl"))
    manifests = loop.run()
    assert one_failure(manifests, "hung").startswith(SILENT)
    assert rows(loop, "a") == undisturbed


def test_operators_that_compute_too_long_fail_their_own_run_and_then_leave_the_state_alone(
    loop: Loop, undisturbed: Undisturbed, answers: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, after = BucketOperators.turn, list[BaseException]()

    def slow(self: BucketOperators, batch: int, envelopes: Any) -> Any:
        if batch == 3 and any(each.input == "readings" for each in envelopes) and slow_one(self):
            answers.wait()
            try:
                self._state.get("anything")  # type: ignore[attr-defined]
            except CallAbandoned as fault:
                after.append(fault)
                raise
        return turn(self, batch, envelopes)

    slowed: list[BucketOperators] = []

    def slow_one(operators: BucketOperators) -> bool:
        slowed.append(operators)
        return len(slowed) == 1

    begin = BucketOperators.__init__

    def begun(self: BucketOperators, plan: Any, bucket: int, state: Any) -> None:
        self._state = state  # type: ignore[attr-defined]
        begin(self, plan, bucket, state)

    monkeypatch.setattr(BucketOperators, "__init__", begun)
    monkeypatch.setattr(BucketOperators, "turn", slow)
    add(loop, spec("a", "readings.jsonl"))
    add(loop, spec("b", "readings.jsonl"))
    manifests = loop.run()
    failed = [name for name in "ab" if states(manifests, name)[-1][0] == "failed"]
    assert len(failed) == 1
    (well,) = set("ab") - set(failed)
    assert rows(loop, well) == undisturbed
    assert "longer than 2 s" in str(states(manifests, failed[0])[-1][2])
    answers.set()
    assert AbandonableCall(lambda: wait_for(lambda: bool(after))).wait(30)
    monkeypatch.undo()
    add(loop, spec(failed[0], "readings.jsonl", run="again"))
    loop.run()
    assert rows(loop, failed[0]) == undisturbed


def wait_for(reached: Callable[[], bool]) -> None:
    pause = threading.Event()
    while not reached():
        pause.wait(0.01)


def test_a_query_that_an_adapter_stops_reports_its_message() -> None:
    sentence = "The input x did not answer within 2 s. Check that its source can be reached"
    spark_says = RuntimeError(f"Traceback ...\nstreaming.adapters.contract.AdapterError: {sentence}\n\tat org...")
    assert explain_query(spark_says).message == sentence
    assert explain_query(spark_says).domain == "external"


def test_a_question_is_not_repeated_before_its_answer(answers: threading.Event) -> None:
    asked: list[int] = []
    inquiries = AdapterQueries(60.0, 0.05)

    def question() -> str:
        asked.append(1)
        answers.wait()
        return "well"

    inquiries.begin()
    ask = partial(inquiries.ask, "name", "The input a", question, otherwise="nothing")
    assert ask() == "nothing"
    inquiries.begin()
    assert ask() == "nothing"
    answers.set()
    assert AbandonableCall(lambda: wait_for(lambda: ask() == "well")).wait(30)
    assert asked == [1]


def test_the_thread_of_a_late_call_serves_another_call(answers: threading.Event) -> None:
    threads: list[threading.Thread] = []

    def late() -> None:
        threads.append(threading.current_thread())
        answers.wait()

    errand = AbandonableCall(late)
    assert not errand.wait(0.01)
    answers.set()
    assert errand.wait(30)
    assert AbandonableCall(lambda: threads.append(threading.current_thread())).wait(30)
    assert threads[0] is threads[1]
    assert threads[0].daemon


def test_an_exception_reaches_the_waiting_caller() -> None:
    def fails() -> None:
        raise LookupError("nothing there")

    errand = AbandonableCall(fails)
    assert errand.wait(30)
    with pytest.raises(LookupError, match="nothing there"):
        errand.result()


def test_one_thread_makes_the_calls_of_a_series_in_order_and_each_ends_separately(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streaming.spark.abandonable_calls._DELAYED_S", 60.0)  # a busy machine delays no call
    made: list[tuple[int, threading.Thread]] = []

    def call(number: int) -> int:
        made.append((number, threading.current_thread()))
        if number == 3:
            raise LookupError("nothing there")
        return number * 2

    calls = CallSeries.start(partial(call, number) for number in range(9))
    assert all(each.wait(30) for each in calls)
    with pytest.raises(LookupError, match="nothing there"):
        calls[3].result()
    assert [each.result() for number, each in enumerate(calls) if number != 3] == [0, 2, 4, 8, 10, 12, 14, 16]
    assert [number for number, _ in made] == list(range(9))
    assert len({thread for _, thread in made}) == 1


@pytest.mark.parametrize("asked_first", [0, 1, 4])
def test_a_hanging_call_of_a_series_does_not_block_the_later_ones_in_any_order_of_waiting(
    answers: threading.Event, asked_first: int
) -> None:
    hangs = {0, 2}
    series = CallSeries.start(
        partial(answers.wait, 60) if number in hangs else partial(pow, number, 2) for number in range(5)
    )
    order = sorted(range(5), key=lambda number: (number - asked_first) % 5)
    answered = {number for number in order if series[number].wait(30 if number not in hangs else 0.01)}
    assert answered == {1, 3, 4}
    assert [series[number].result() for number in sorted(answered)] == [1, 9, 16]
    assert series[0].age_s > 0
    answers.set()
    assert all(series[number].wait(30) for number in hangs)


def test_a_prepared_question_is_asked_once_and_stays_open_without_an_answer(
    answers: threading.Event,
) -> None:
    asked: list[str] = []

    def ask(name: str) -> str:
        asked.append(name)
        if name == "slow":
            answers.wait(60)
        return name

    queries = AdapterQueries(deadline_s=60, patience_s=0.2)
    for _ in range(2):
        queries.begin()
        queries.prepare((name, partial(ask, name)) for name in ("slow", "quick"))
        assert queries.ask("slow", "The input a", partial(ask, "slow"), otherwise="later") == "later"
        wait_for(lambda: "quick" in asked)
    answers.set()
    queries.begin()
    wait_for(lambda: queries.ask("slow", "The input a", partial(ask, "slow"), otherwise="later") == "slow")
    assert asked.count("slow") == 1


def test_patience_adds_up_waits_and_ends() -> None:
    patience = Patience()
    assert list(patience.over(iter([1, 2]))) == [1, 2]
    assert patience.spent_s > 0
    assert patience.waiting_s == 0
    patience.give_up()
    with pytest.raises(CallAbandoned):
        next(patience.over(iter([1])))
