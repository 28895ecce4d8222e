"""Dedicated bindings and the shared carrier: places of runs, isolated failures, moves, division of the limit."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from streaming.runtime.carriers.carrier import DEATHS, FIRST_PAUSE_S, REST_AFTER_S, TRIES
from streaming.runtime.carriers.locations import MAIN, BindingLocations
from streaming.spark.errors import WORKER_AWAY, EngineGone, RunFailure
from streaming.wire import keys
from streaming.wire.messages import RunLimits, RunSpec
from streaming.wire.progress import ProgressReport
from tests.runtime.paper import ORGANISATION, Desk
from tests.spark.specs import spec

FULL = RunFailure("external", "The disk is full.", "")
AWAY = RunFailure("external", WORKER_AWAY, "")
A = spec("a", "rows.jsonl")


def alone(binding: str, run: str | None = None) -> RunSpec:
    """Return a dedicated run."""
    return spec(binding, "rows.jsonl", run=run).model_copy(update={"dedicated": True})


B = alone("b")


@pytest.fixture
def desk(redis_server_url: str, tmp_path: Path) -> Iterator[Desk]:
    with redis.Redis.from_url(redis_server_url, decode_responses=True) as connection:
        yield Desk.laid(connection, tmp_path)


def ran_before(desk: Desk, binding: str) -> None:
    """Write a commit, as if a run of `binding` had results."""
    commits = desk.carriers.folder / "results" / binding / "commits"
    commits.mkdir(parents=True, exist_ok=True)
    (commits / "1.json").write_text("{}")


def test_a_dedicated_run_has_its_own_carrier_and_reports_like_any_other(desk: Desk) -> None:
    desk.desire(A, B)
    desk.runner.turn()
    assert (desk.carriers[MAIN].commands, desk.carriers["b"].commands) == (["add a-1"], ["add b-1"])
    desk.carriers["b"].commit("running", received=5, run="b-1")
    desk.runner.turn()
    assert (desk.observed("a-1").state, desk.observed("b-1").state) == ("starting", "running")
    report = desk.connection.hget(keys.progress(ORGANISATION), "b-1")
    assert ProgressReport.model_validate_json(str(report)).inputs["readings"].received == 5


def by_two_keys(binding: str, run: str | None = None) -> RunSpec:
    """Return a dedicated run that counts by device, then the rows of all devices."""
    once = alone(binding, run)
    nodes = [node.model_dump(mode="json") for node in once.query.nodes if node.kind != "output"]
    counted = {
        "id": "over_all",
        "kind": "window",
        "input": nodes[-1]["id"],
        "window": {"kind": "tumbling", "size": "1h"},
    }
    counted |= {"aggregates": [{"name": "all", "function": "count"}]}
    query = {
        **once.query.model_dump(mode="json"),
        "nodes": [*nodes, counted, {"id": "out", "kind": "output", "input": "over_all"}],
    }
    return RunSpec.model_validate_json(json.dumps({**once.model_dump(mode="json"), "query": query}))


def test_a_plan_with_a_second_stage_moves_to_a_carrier_with_one(desk: Desk) -> None:
    desk.desire(B)
    desk.runner.turn()
    desk.carriers["b"].commit("running", run="b-1")
    desk.runner.turn()
    desk.desire()
    desk.runner.turn()
    desk.carriers["b"].commit("stopped", run="b-1")
    desk.runner.turn()
    ran_before(desk, "b")
    desk.desire(by_two_keys("b", "b-2"))
    desk.runner.turn()
    assert desk.carriers["b"].commands == ["add b-1", "stop b flush=False", "save b to move"]
    desk.carriers["b"].there.add("b.arrow")
    desk.runner.turn()
    assert desk.carriers["b.2"].commands == ["add b-2 from b.arrow"]


def test_queries_start_one_after_the_other(desk: Desk) -> None:
    desk.desire(A, B, alone("c"))
    desk.runner.turn()
    desk.runner.turn()
    running = [[name for name, each in desk.carriers.items() if each.running]]
    for name in (MAIN, "b"):
        desk.carriers[name].ready = True
        desk.runner.turn()
        running.append([name for name, each in desk.carriers.items() if each.running])
    assert running == [[MAIN], [MAIN, "b"], [MAIN, "b", "c"]]


def test_a_query_that_does_not_plan_delays_others_for_only_a_minute(desk: Desk) -> None:
    desk.desire(A, B)
    desk.runner.turn()
    desk.clock[0] = 59.0
    desk.runner.turn()
    assert not desk.carriers["b"].running
    desk.clock[0] = 60.0
    desk.runner.turn()
    assert desk.carriers["b"].running


def test_the_shared_query_is_not_started_for_a_dedicated_run(desk: Desk) -> None:
    desk.desire(B)
    desk.runner.turn()
    assert [name for name, each in desk.carriers.items() if each.running] == ["b"]


def started(desk: Desk, *specs: RunSpec) -> None:
    desk.desire(*specs)
    for _ in specs:
        desk.runner.turn()
        for carrier in desk.carriers.values():
            carrier.ready = carrier.running
    for each in specs:
        desk.carriers[each.binding if each.dedicated else MAIN].commit("running", run=each.run)
    desk.runner.turn()
    assert {desk.observed(each.run).state for each in specs} == {"running"}


def test_a_dedicated_query_that_stops_fails_its_run_and_no_other(desk: Desk) -> None:
    started(desk, A, B)
    desk.carriers["b"].stopped_by = FULL
    desk.runner.turn()
    assert (desk.observed("a-1").state, desk.observed("b-1").state) == ("running", "failed")
    assert (desk.carriers[MAIN].running, desk.carriers["b"].running) == (True, False)


def test_the_shared_query_that_stops_leaves_a_dedicated_run_alone(desk: Desk) -> None:
    started(desk, A, B)
    desk.carriers[MAIN].stopped_by = FULL
    desk.runner.turn()
    assert (desk.observed("a-1").state, desk.observed("b-1").state) == ("failed", "running")
    assert desk.carriers["b"].running


def test_a_start_without_an_answer_of_a_worker_is_retried_a_limited_number_of_times(desk: Desk) -> None:
    desk.desire(B)
    desk.runner.turn()
    carrier, seen = desk.carriers["b"], []
    for pause in (2.0, 4.0, 8.0):
        carrier.stopped_by = AWAY
        desk.runner.turn()
        desk.clock[0] += pause - 0.1
        desk.runner.turn()
        seen.append((carrier.starts, desk.observed("b-1").state))
        desk.clock[0] += 0.1
        desk.runner.turn()
    assert seen == [(1, "starting"), (2, "starting"), (3, "starting")]
    carrier.stopped_by = AWAY
    desk.runner.turn()
    assert (carrier.starts, desk.observed("b-1").state) == (TRIES, "failed")
    assert desk.observed("b-1").message == WORKER_AWAY


def test_a_query_whose_worker_died_at_work_restarts_a_limited_number_of_times_without_a_batch(desk: Desk) -> None:
    """Each restart repeats the batch, to find the binding to blame (streaming.spark.session.memory)."""
    started(desk, B)
    carrier, states = desk.carriers["b"], []
    for death in range(2 * DEATHS):
        if death == DEATHS - 1:
            carrier.commit(None, received=9, run="b-1")
            desk.runner.turn()
        carrier.stopped_by = AWAY
        desk.runner.turn()
        states.append(desk.observed("b-1").state)
        desk.clock[0] += FIRST_PAUSE_S
        desk.runner.turn()
        carrier.ready = True
        desk.runner.turn()
    assert states.index("failed") == 2 * DEATHS - 2


def test_an_unneeded_dedicated_query_is_closed_after_a_while_and_the_shared_one_is_not(desk: Desk) -> None:
    started(desk, A, B)
    desk.desire()
    desk.runner.turn()
    assert desk.carriers["b"].commands[-1] == "stop b flush=False"
    desk.clock[0] = REST_AFTER_S
    desk.runner.turn()
    assert (desk.carriers[MAIN].running, desk.carriers["b"].running) == (True, False)


def test_a_restarted_runner_resumes_dedicated_runs_and_sends_missing_reports(desk: Desk) -> None:
    started(desk, A, B)
    desk.carriers["b"].commit(None, received=9, run="b-1")
    desk.restart()
    desk.runner.turn()
    desk.carriers[MAIN].ready = True
    desk.runner.turn()
    desk.carriers["b"].ready = True
    desk.runner.turn()
    assert {desk.observed(run).state for run in ("a-1", "b-1")} == {"running"}
    assert [desk.connection.xlen(keys.reports(ORGANISATION, run)) for run in ("a-1", "b-1")] == [1, 2]
    assert (desk.carriers[MAIN].commands, desk.carriers["b"].commands) == (["add a-1"], ["add b-1"])


def test_a_shared_run_that_becomes_dedicated_resumes_with_its_state(desk: Desk) -> None:
    started(desk, A)
    ran_before(desk, "a")
    second = alone("a", "a-2")
    desk.desire(second)
    desk.runner.turn()
    assert desk.carriers[MAIN].commands == ["add a-1", "stop a flush=False", "save a to move"]
    assert desk.carriers["a"].commands == []
    desk.carriers[MAIN].there.add("a.arrow")
    desk.runner.turn()
    assert desk.carriers["a"].commands == ["add a-2 from a.arrow"]
    assert desk.observed("a-2").state == "starting"
    desk.carriers["a"].commit("running", run="a-2", batch=7)
    desk.runner.turn()
    assert BindingLocations(desk.carriers.folder / "carriers").of("a") == "a"
    assert desk.observed("a-2").state == "running"


def test_a_dedicated_run_that_becomes_shared_resumes_with_its_state(desk: Desk) -> None:
    ran_before(desk, "b")
    homes = BindingLocations(desk.carriers.folder / "carriers")
    homes.note("b", "b", 1)
    homes.keep()
    desk.restart()
    shared = spec("b", "rows.jsonl", run="b-2")
    desk.desire(shared)
    desk.runner.turn()
    assert (desk.carriers["b"].commands, desk.carriers["b"].running) == (["save b to move"], True)
    assert desk.carriers[MAIN].commands == []
    desk.carriers["b"].there.add("b.arrow")
    desk.runner.turn()
    assert desk.carriers[MAIN].commands == ["add b-2 from b.arrow"]
    desk.carriers[MAIN].commit("running", run="b-2", batch=8)
    desk.runner.turn()
    assert BindingLocations(desk.carriers.folder / "carriers").of("b") == MAIN


def test_a_run_without_stored_state_starts_without_a_savepoint(desk: Desk) -> None:
    ran_before(desk, "a")
    desk.desire(alone("a", "a-2"))
    desk.runner.turn()
    desk.carriers[MAIN].nothing_kept.add("a.arrow")
    desk.runner.turn()
    assert desk.carriers["a"].commands == ["add a-2"]


def test_a_run_that_is_stopped_while_it_waits_for_its_state_has_stopped(desk: Desk) -> None:
    ran_before(desk, "a")
    second = alone("a", "a-2")
    desk.desire(second)
    desk.runner.turn()
    desk.desire(second.model_copy(update={"desired": "stopped"}))
    desk.runner.turn()
    desk.carriers[MAIN].there.add("a.arrow")
    desk.runner.turn()
    assert desk.observed("a-2").state == "stopped"
    assert "a" not in desk.carriers or desk.carriers["a"].commands == []


def test_a_run_whose_state_cannot_move_fails_with_the_message_of_its_old_carrier(desk: Desk) -> None:
    ran_before(desk, "a")
    desk.desire(alone("a", "a-2"))
    desk.runner.turn()
    desk.carriers[MAIN].stopped_by = FULL
    desk.runner.turn()
    assert (desk.observed("a-2").state, desk.observed("a-2").message) == ("failed", FULL.message)


def test_a_run_that_failed_in_its_new_carrier_moves_again_from_the_old_one(desk: Desk) -> None:
    ran_before(desk, "a")
    second = alone("a", "a-2")
    desk.desire(second)
    desk.runner.turn()
    desk.carriers[MAIN].there.add("a.arrow")
    desk.runner.turn()
    desk.carriers["a"].commit("failed", run="a-2", message="No answer.")
    desk.runner.turn()
    assert desk.observed("a-2").state == "failed"
    for wanted in ((), (second,)):
        desk.desire(*wanted)
        desk.runner.turn()
    desk.runner.turn()
    assert desk.carriers[MAIN].commands == ["save a to move", "save a to move"]
    assert desk.carriers["a"].commands == ["add a-2 from a.arrow", "add a-2 from a.arrow"]


def test_a_run_that_changes_back_before_its_query_answers_waits_for_the_answer(desk: Desk) -> None:
    desk.desire(alone("a", "a-1"))
    desk.runner.turn()
    ran_before(desk, "a")
    desk.desire(spec("a", "rows.jsonl", run="a-2"))
    desk.runner.turn()
    desk.runner.turn()
    assert desk.carriers["a"].commands == ["add a-1", "stop a flush=False"]
    desk.carriers["a"].commit("stopped", run="a-1")
    desk.runner.turn()
    desk.runner.turn()
    assert desk.carriers["a"].commands[-1] == "save a to move"
    assert desk.carriers[MAIN].commands == []


def test_a_restart_in_the_middle_of_a_move_starts_it_again(desk: Desk) -> None:
    ran_before(desk, "a")
    desk.desire(alone("a", "a-2"))
    desk.runner.turn()
    desk.restart()
    desk.runner.turn()
    desk.carriers[MAIN].there.add("a.arrow")
    desk.runner.turn()
    assert desk.carriers[MAIN].commands == ["save a to move", "save a to move"]
    assert desk.carriers["a"].commands == ["add a-2 from a.arrow"]


def test_a_restart_before_a_move_was_recorded_finds_the_binding_in_its_new_carrier(desk: Desk) -> None:
    ran_before(desk, "a")
    desk.carriers["a"].commit("running", run="a-2", batch=7)
    desk.carriers[MAIN].commit("running", run="a-1", batch=6)
    desk.restart()
    desk.desire(alone("a", "a-3"))
    desk.runner.turn()
    assert desk.carriers["a"].commands == ["add a-3"]


def limit(desk: Desk, events: int | None) -> None:
    desk.connection.set(keys.limits(ORGANISATION), RunLimits(events_per_second=events).model_dump_json())


def test_the_limit_is_divided_by_bindings_before_any_run_is_carried_and_removed_from_all(desk: Desk) -> None:
    limit(desk, 900)
    desk.desire(A, spec("c", "rows.jsonl"), B)
    desk.runner.turn()
    assert (desk.carriers[MAIN].limits, desk.carriers["b"].limits) == ([600], [300])
    limit(desk, None)
    desk.runner.turn()
    assert (desk.carriers[MAIN].limits, desk.carriers["b"].limits) == ([600, None], [300, None])


def test_the_unused_part_of_one_carrier_goes_to_a_delayed_one(desk: Desk) -> None:
    limit(desk, 1_000)
    started(desk, A, B)
    assert (desk.carriers[MAIN].limits, desk.carriers["b"].limits) == ([500], [500])
    desk.carriers["b"].commit(None, received=5_000, held_back=500, run="b-1")
    desk.runner.turn()
    desk.clock[0] += 5.0
    desk.runner.turn()
    assert (desk.carriers[MAIN].limits[-1], desk.carriers["b"].limits[-1]) == (50, 950)
    report = desk.connection.hget(keys.progress(ORGANISATION), "b-1")
    assert ProgressReport.model_validate_json(str(report)).held_back == 1_000


def test_the_home_is_the_carrier_with_the_highest_batch_in_whatever_order(tmp_path: Path) -> None:
    homes = BindingLocations(tmp_path)
    assert homes.of("a") == MAIN
    for name, batch in (("a", 5), (MAIN, 3), (MAIN, 9), ("a", 7)):
        homes.note("a", name, batch)
        homes.keep()
    assert (homes.of("a"), BindingLocations(tmp_path).of("a")) == (MAIN, MAIN)


def test_a_full_disk_delays_the_record_of_homes_and_the_runner_lives(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("streaming.runtime.carriers.locations.write_atomically", full)
        started(desk, B)
    assert BindingLocations(desk.carriers.folder / "carriers").of("b") == MAIN
    desk.runner.turn()
    assert BindingLocations(desk.carriers.folder / "carriers").of("b") == "b"


def test_the_end_of_the_jvm_fails_no_run(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.desire(A)

    def start() -> None:
        raise EngineGone

    monkeypatch.setattr(desk.carrier, "start", start)
    with pytest.raises(EngineGone):
        desk.runner.turn()
    assert desk.connection.hget(keys.observed(ORGANISATION), A.run) is None
