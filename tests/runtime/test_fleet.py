"""Dedicated bindings beside the shared carrier: who is carried where, what fails alone, what is moved, who may read."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from streaming.runtime.binding_locations import MAIN, BindingLocations
from streaming.runtime.carriers import DEATHS, FIRST_PAUSE_S, REST_AFTER_S, TRIES
from streaming.runtime.rate_split import CarrierNeed, shares
from streaming.spark.errors import WORKER_AWAY, RunFailure
from streaming.wire import keys
from streaming.wire.messages import ProgressReport, RunLimits, RunSpec
from tests.runtime.paper import ORGANISATION, Desk
from tests.spark.specs import spec

FULL = RunFailure("external", "The disk is full.", "")
AWAY = RunFailure("external", WORKER_AWAY, "")
A = spec("a", "rows.jsonl")


def alone(binding: str, run: str | None = None) -> RunSpec:
    """A run that wants a query of its own."""
    return spec(binding, "rows.jsonl", run=run).model_copy(update={"dedicated": True})


B = alone("b")


@pytest.fixture
def desk(redis_server_url: str, tmp_path: Path) -> Iterator[Desk]:
    with redis.Redis.from_url(redis_server_url, decode_responses=True) as connection:
        yield Desk.laid(connection, tmp_path)


def ran_before(desk: Desk, binding: str) -> None:
    """A run of `binding` has written results."""
    commits = desk.carriers.folder / "results" / binding / "commits"
    commits.mkdir(parents=True, exist_ok=True)
    (commits / "1.json").write_text("{}")


def test_a_dedicated_run_has_a_carrier_of_its_own_and_reports_as_any_other(desk: Desk) -> None:
    desk.desire(A, B)
    desk.runner.turn()
    assert (desk.carriers[MAIN].commands, desk.carriers["b"].commands) == (["add a-1"], ["add b-1"])
    desk.carriers["b"].commit("running", received=5, run="b-1")
    desk.runner.turn()
    assert (desk.observed("a-1").state, desk.observed("b-1").state) == ("starting", "running")
    told = desk.connection.hget(keys.progress(ORGANISATION), "b-1")
    assert ProgressReport.model_validate_json(str(told)).inputs["readings"].received == 5


def by_two_keys(binding: str, run: str | None = None) -> RunSpec:
    """A dedicated run that counts by device, then the rows of all devices."""
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


def test_a_plan_that_needs_a_second_stage_has_a_carrier_that_has_one_and_moves_to_it(desk: Desk) -> None:
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


def test_queries_are_started_one_after_the_other(desk: Desk) -> None:
    desk.desire(A, B, alone("c"))
    desk.runner.turn()
    desk.runner.turn()
    running = [[name for name, each in desk.carriers.items() if each.running]]
    for name in (MAIN, "b"):
        desk.carriers[name].ready = True
        desk.runner.turn()
        running.append([name for name, each in desk.carriers.items() if each.running])
    assert running == [[MAIN], [MAIN, "b"], [MAIN, "b", "c"]]


def test_a_query_that_does_not_plan_holds_the_others_up_for_a_minute_only(desk: Desk) -> None:
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


def test_a_start_for_which_a_worker_did_not_answer_is_tried_again_later_and_not_for_ever(desk: Desk) -> None:
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


def test_a_query_whose_worker_died_at_work_is_started_again_until_no_batch_comes_for_long(desk: Desk) -> None:
    """Each time the batch is repeated, and who is to blame is found (streaming.spark.memory)."""
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


def test_a_dedicated_query_that_nobody_needs_is_closed_after_a_while_and_the_shared_one_is_not(desk: Desk) -> None:
    started(desk, A, B)
    desk.desire()
    desk.runner.turn()
    assert desk.carriers["b"].commands[-1] == "stop b flush=False"
    desk.clock[0] = REST_AFTER_S
    desk.runner.turn()
    assert (desk.carriers[MAIN].running, desk.carriers["b"].running) == (True, False)


def test_a_restarted_runner_takes_up_dedicated_runs_and_sends_what_was_not_sent(desk: Desk) -> None:
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


def test_a_shared_run_that_becomes_dedicated_goes_on_with_what_was_kept(desk: Desk) -> None:
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


def test_and_back_again(desk: Desk) -> None:
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


def test_where_nothing_is_kept_the_run_begins_without(desk: Desk) -> None:
    ran_before(desk, "a")
    desk.desire(alone("a", "a-2"))
    desk.runner.turn()
    desk.carriers[MAIN].nothing_kept.add("a.arrow")
    desk.runner.turn()
    assert desk.carriers["a"].commands == ["add a-2"]


def test_a_run_that_is_stopped_while_it_waits_for_what_is_kept_has_stopped(desk: Desk) -> None:
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


def test_a_run_whose_binding_cannot_be_fetched_fails_with_the_sentence_of_where_it_was(desk: Desk) -> None:
    ran_before(desk, "a")
    desk.desire(alone("a", "a-2"))
    desk.runner.turn()
    desk.carriers[MAIN].stopped_by = FULL
    desk.runner.turn()
    assert (desk.observed("a-2").state, desk.observed("a-2").message) == ("failed", FULL.message)


def test_a_run_that_did_not_get_in_is_fetched_again_from_where_it_was(desk: Desk) -> None:
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


def test_a_run_that_changes_back_before_its_query_answered_waits_for_the_answer(desk: Desk) -> None:
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


def test_a_restart_in_the_middle_of_a_move_begins_it_anew(desk: Desk) -> None:
    ran_before(desk, "a")
    desk.desire(alone("a", "a-2"))
    desk.runner.turn()
    desk.restart()
    desk.runner.turn()
    desk.carriers[MAIN].there.add("a.arrow")
    desk.runner.turn()
    assert desk.carriers[MAIN].commands == ["save a to move", "save a to move"]
    assert desk.carriers["a"].commands == ["add a-2 from a.arrow"]


def test_a_restart_before_the_begin_was_noted_finds_the_binding_where_it_began(desk: Desk) -> None:
    ran_before(desk, "a")
    desk.carriers["a"].commit("running", run="a-2", batch=7)
    desk.carriers[MAIN].commit("running", run="a-1", batch=6)
    desk.restart()
    desk.desire(alone("a", "a-3"))
    desk.runner.turn()
    assert desk.carriers["a"].commands == ["add a-3"]


def limit(desk: Desk, events: int | None) -> None:
    desk.connection.set(keys.limits(ORGANISATION), RunLimits(events_per_second=events).model_dump_json())


def test_the_limit_is_divided_by_bindings_before_anything_is_carried_and_taken_away_from_all(desk: Desk) -> None:
    limit(desk, 900)
    desk.desire(A, spec("c", "rows.jsonl"), B)
    desk.runner.turn()
    assert (desk.carriers[MAIN].limits, desk.carriers["b"].limits) == ([600], [300])
    limit(desk, None)
    desk.runner.turn()
    assert (desk.carriers[MAIN].limits, desk.carriers["b"].limits) == ([600, None], [300, None])


def test_what_one_carrier_does_not_use_goes_to_the_one_that_is_held_back_which_is_told_the_whole_limit(
    desk: Desk,
) -> None:
    limit(desk, 1_000)
    started(desk, A, B)
    assert (desk.carriers[MAIN].limits, desk.carriers["b"].limits) == ([500], [500])
    desk.carriers["b"].commit(None, received=5_000, held_back=500, run="b-1")
    desk.runner.turn()
    desk.clock[0] += 5.0
    desk.runner.turn()
    assert (desk.carriers[MAIN].limits[-1], desk.carriers["b"].limits[-1]) == (50, 950)
    told = desk.connection.hget(keys.progress(ORGANISATION), "b-1")
    assert ProgressReport.model_validate_json(str(told)).held_back == 1_000


@pytest.mark.parametrize(
    ("limit", "needs", "expected"),
    [
        (100, {}, {}),
        (0, {MAIN: CarrierNeed(1)}, {MAIN: 0}),
        (100, {MAIN: CarrierNeed(1)}, {MAIN: 100}),
        (100, {MAIN: CarrierNeed(3), "b": CarrierNeed(1)}, {MAIN: 75, "b": 25}),
        (100, {MAIN: CarrierNeed(1, rate=20), "b": CarrierNeed(1, held=True)}, {MAIN: 40, "b": 60}),
        (100, {MAIN: CarrierNeed(1, rate=49, held=True), "b": CarrierNeed(1, rate=49, held=True)}, {MAIN: 50, "b": 50}),
        (1, {MAIN: CarrierNeed(5), "b": CarrierNeed(1)}, {MAIN: 1, "b": 1}),
    ],
)
def test_shares(limit: int, needs: dict[str, CarrierNeed], expected: dict[str, int]) -> None:
    assert shares(limit, needs) == expected


def test_homes_are_where_the_highest_batch_was_in_whatever_order_it_is_told(tmp_path: Path) -> None:
    homes = BindingLocations(tmp_path)
    assert homes.of("a") == MAIN
    for name, batch in (("a", 5), (MAIN, 3), (MAIN, 9), ("a", 7)):
        homes.note("a", name, batch)
        homes.keep()
    assert (homes.of("a"), BindingLocations(tmp_path).of("a")) == (MAIN, MAIN)


def test_a_full_disk_lets_the_runner_live_and_where_a_binding_is_at_home_is_written_later(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("streaming.runtime.binding_locations.write_atomically", full)
        started(desk, B)
    assert BindingLocations(desk.carriers.folder / "carriers").of("b") == MAIN
    desk.runner.turn()
    assert BindingLocations(desk.carriers.folder / "carriers").of("b") == "b"
