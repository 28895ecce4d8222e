"""What happens to runs inside of a runner and is no state of theirs: told once, to whom it concerns."""

import pytest
import redis

from streaming.runtime.incidents import where
from streaming.runtime.mailbox import Mailbox
from streaming.wire import keys
from streaming.wire.messages import RunIncident
from tests.runtime.paper import ORGANISATION, Desk
from tests.runtime.test_fleet import A, B, alone, desk, ran_before
from tests.spark.specs import spec

__all__ = ["desk"]  # a fixture


def incidents(desk: Desk) -> list[tuple[str, str | None, str | None]]:
    """What was told of runs beside their states, oldest first."""
    told = desk.connection.xrange(keys.incidents(ORGANISATION))
    found = [RunIncident.model_validate_json(fields["incident"]) for _, fields in told]
    return [(each.run, each.place, each.died) for each in found]


def test_a_run_that_is_carried_elsewhere_with_what_it_keeps_tells_so_once(desk: Desk) -> None:
    ran_before(desk, "a")
    desk.desire(A)
    desk.runner.turn()
    desk.carrier.commit("running")
    desk.carrier.commit("stopped")
    desk.runner.turn()
    desk.desire(alone("a", "a-2"))
    desk.runner.turn()
    assert incidents(desk) == [], "its savepoint is not there yet"
    desk.carrier.there.add("a.arrow")
    desk.runner.turn()
    desk.runner.turn()
    assert desk.carriers["a"].commands == ["add a-2 from a.arrow"]
    assert incidents(desk) == [("a-2", "dedicated", None)]


def test_a_worker_that_died_is_told_to_the_runs_of_its_query_and_to_no_other(desk: Desk) -> None:
    desk.desire(A, spec("c", "rows.jsonl"), spec("d", "rows.jsonl"), B)
    desk.runner.turn()
    desk.carrier.died = {"a": "alone", "c": "among"}
    desk.runner.turn()
    desk.runner.turn()
    assert incidents(desk) == [("a-1", None, "alone"), ("c-1", None, "among"), ("d-1", None, "beside")]


def test_incidents_wait_for_redis(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.desire(A)
    desk.runner.turn()
    desk.carrier.died = {"a": "again"}
    with monkeypatch.context() as away:
        away.setattr(Mailbox, "tell_incidents", raises)
        desk.runner.turn()
    assert incidents(desk) == []
    desk.runner.turn()
    assert incidents(desk) == [("a-1", None, "again")]


def raises(*_: object) -> None:
    raise redis.ConnectionError


@pytest.mark.parametrize(
    ("name", "common", "place"),
    [
        ("main", ("main",), "shared"),
        ("b.2", ("main",), "dedicated"),
        ("pool-1", ("pool-1", "pool-1.apart"), "pooled"),
        ("pool-1.apart", ("pool-1", "pool-1.apart"), "apart"),
    ],
)
def test_what_a_carrier_is_to_a_run(name: str, common: tuple[str, ...], place: str) -> None:
    assert where(name, common) == place
