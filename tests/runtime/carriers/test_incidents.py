"""Incidents of runs: reported once, to the organisations concerned."""

import pytest
import redis

from streaming.runtime.carriers.incidents import where
from streaming.runtime.mailbox import Mailbox
from streaming.wire import keys
from streaming.wire.messages import RunIncident
from tests.runtime.carriers.test_fleet import A, B, alone, desk, ran_before
from tests.runtime.paper import ORGANISATION, Desk
from tests.spark.specs import spec

__all__ = ["desk"]  # a fixture


def incidents(desk: Desk) -> list[tuple[str, str | None, str | None]]:
    """Return the reported incidents, oldest first."""
    entries = desk.connection.xrange(keys.incidents(ORGANISATION))
    reported = [RunIncident.model_validate_json(fields["incident"]) for _, fields in entries]
    return [(each.run, each.place, each.died) for each in reported]


def test_a_run_that_moves_to_another_carrier_with_its_state_is_reported_once(desk: Desk) -> None:
    ran_before(desk, "a")
    desk.desire(A)
    desk.runner.turn()
    desk.carrier.commit("running")
    desk.carrier.commit("stopped")
    desk.runner.turn()
    desk.desire(alone("a", "a-2"))
    desk.runner.turn()
    assert incidents(desk) == [], "its savepoint doesn't exist yet"
    desk.carrier.there.add("a.arrow")
    desk.runner.turn()
    desk.runner.turn()
    assert desk.carriers["a"].commands == ["add a-2 from a.arrow"]
    assert incidents(desk) == [("a-2", "dedicated", None)]


def test_a_dead_worker_is_reported_to_the_runs_of_its_query_only(desk: Desk) -> None:
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
        away.setattr(Mailbox, "report_incidents", raises)
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
def test_the_kind_of_a_carrier(name: str, common: tuple[str, ...], place: str) -> None:
    assert where(name, common) == place
