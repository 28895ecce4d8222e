"""A runner with a newer web application: it reads known fields; runs with unreadable specs continue unchanged."""

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from streaming.runtime.lease import LeaseHeartbeat
from streaming.runtime.mailbox import Mailbox
from streaming.runtime.runner import RunnerExit
from streaming.wire import keys
from streaming.wire.deliveries import BindingDeliveries, kept_from, refused_folder
from streaming.wire.message import RELEASE
from streaming.wire.messages import RunIncident
from tests.delivery.targets import TARGET, commit
from tests.runtime.paper import ORGANISATION, Desk
from tests.runtime.test_deliveries import until
from tests.spark.specs import spec

A, B = spec("a", "rows.jsonl"), spec("b", "rows.jsonl")


@pytest.fixture
def desk(redis_server_url: str, tmp_path: Path) -> Iterator[Desk]:
    with redis.Redis.from_url(redis_server_url, decode_responses=True) as connection:
        yield Desk.laid(connection, tmp_path)


def write(desk: Desk, binding: str, content: Any) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    desk.connection.hset(keys.desired(ORGANISATION), binding, text)


def unknown_node(run: str = "a-1") -> dict[str, Any]:
    """Return a spec of a newer web application, with a kind of node that this release doesn't have."""
    content: dict[str, Any] = json.loads(A.model_copy(update={"run": run}).model_dump_json())
    content["query"]["nodes"].append({"id": "later", "kind": "later", "input": "some"})
    return content


def incidents(desk: Desk) -> list[RunIncident]:
    entries: Any = desk.connection.xrange(keys.incidents(ORGANISATION))
    return [RunIncident.model_validate_json(fields["incident"]) for _, fields in entries]


def test_an_additional_field_in_a_spec_changes_nothing(desk: Desk) -> None:
    write(desk, "a", {**json.loads(A.model_dump_json()), "later": {"of": "a newer release"}})
    desk.runner.turn()
    assert desk.carrier.commands == ["add a-1"]
    assert incidents(desk) == []


def test_a_run_with_an_unreadable_spec_stays_as_it_is_and_others_follow_theirs(desk: Desk) -> None:
    desk.desire(A, B)
    desk.runner.turn()
    desk.carrier.commit("running")
    desk.runner.turn()
    desk.connection.hset(keys.releases(ORGANISATION), keys.WEB, "9.0.0")
    for content in (unknown_node(), "{", unknown_node()):
        write(desk, "a", content)
        desk.runner.turn()
    desk.connection.hdel(keys.desired(ORGANISATION), "b")
    desk.runner.turn()
    assert desk.carrier.commands == ["add a-1", "add b-1", "stop b flush=False"]
    assert desk.observed().state == "running"
    reported = [(each.run, each.what, each.release) for each in incidents(desk)]
    assert reported == [("a-1", "unread", RELEASE)] * 2, "once for each text"
    desk.desire(A)
    desk.runner.turn()
    assert desk.carrier.commands[3:] == []


def test_an_unreadable_spec_starts_no_other_run(desk: Desk) -> None:
    desk.desire(A)
    desk.runner.turn()
    write(desk, "a", unknown_node("a-2"))
    desk.runner.turn()
    assert desk.carrier.commands == ["add a-1"]
    assert [each.run for each in incidents(desk)] == ["a-1"]


def test_a_runner_that_starts_with_unreadable_specs_resumes_the_runs_of_its_carrier(desk: Desk) -> None:
    desk.desire(A)
    desk.carrier.commit("running")
    desk.runner.turn()
    write(desk, "a", unknown_node())
    desk.restart()
    desk.runner.turn()
    assert desk.carrier.commands == ["add a-1"]
    assert desk.carrier.running
    desk.clock[0] = 1_000.0
    assert desk.runner.turn() is None, "a runner that carries something isn't idle"


def test_a_move_waits_until_the_specs_are_readable(desk: Desk) -> None:
    desk.desire(A)
    desk.runner.turn()
    write(desk, "a", unknown_node())
    desk.connection.set(keys.place(ORGANISATION), keys.pool_name(1))
    assert desk.runner.turn() is None
    desk.desire(A)
    assert desk.runner.turn() is RunnerExit.MOVED


def test_deliveries_to_unreadable_outputs_continue_and_their_rows_are_kept(desk: Desk, tmp_path: Path) -> None:
    results = tmp_path / "results/b"
    wanted = BindingDeliveries(binding="b", results="results/b", targets=[TARGET])
    desk.connection.hset(keys.deliveries(ORGANISATION), "b", wanted.model_dump_json())
    commit(results, 1, [[0]])
    desk.runner.turn()
    until(lambda: kept_from(results) == 1)
    refused_folder(results, TARGET.identity).mkdir()
    content = {**json.loads(wanted.model_dump_json()), "targets": "later"}
    desk.connection.hset(keys.deliveries(ORGANISATION), "b", json.dumps(content))
    commit(results, 2, [[1]])
    desk.runner.turn()
    until(lambda: (desk.runner.turn(), kept_from(results) == 2)[1])
    desk.runner.close()
    assert desk.carriers.shelf.rows == [0, 1]
    assert refused_folder(results, TARGET.identity).exists()


def test_unreadable_reports_do_not_prevent_the_start_of_a_runner(desk: Desk) -> None:
    desk.connection.hset(keys.progress(ORGANISATION), "other", json.dumps({"kind": "later"}))
    desk.desire(A)
    desk.carrier.commit("running", received=5)
    desk.restart()
    desk.runner.turn()
    assert desk.connection.xlen(keys.reports(ORGANISATION, "a-1")) == 1


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"token": "other", "host": socket.gethostname(), "pid": "of a dead process"}),
        json.dumps({"host": socket.gethostname(), "pid": os.getpid()}),
        "[]",
        "packed",
    ],
    ids=["a process of another form", "no token", "a list", "no JSON"],
)
def test_an_unreadable_lease_is_not_taken(desk: Desk, content: str) -> None:
    desk.connection.set(keys.lease("o2"), content)
    heart = LeaseHeartbeat(Mailbox(desk.connection, "o2"), "mine")
    assert not heart.take()
    heart.stop()
    assert desk.connection.get(keys.lease("o2")) == content


def test_a_lease_with_more_fields_is_read(desk: Desk) -> None:
    dead = {"token": "t", "host": socket.gethostname(), "pid": 2**22, "started_at": 0, "beat_at": 0, "later": 1}
    desk.connection.set(keys.lease("o2"), json.dumps(dead))
    assert LeaseHeartbeat(Mailbox(desk.connection, "o2"), "mine").take()


def test_a_runner_reports_its_release(desk: Desk) -> None:
    assert desk.connection.hget(keys.releases(ORGANISATION), keys.RUNNER) == RELEASE
