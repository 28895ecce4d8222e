"""A query that ends to repeat its batch in another way restarts at once, and no run fails."""

from streaming.runtime.carriers.carrier import DEATHS
from streaming.runtime.carriers.locations import MAIN
from streaming.spark.errors import BATCH_REPEATED, RunFailure
from tests.runtime.carriers.test_fleet import A, B, desk, started
from tests.runtime.paper import Desk

__all__ = ["desk"]


def test_a_query_that_repeats_its_batch_restarts_at_once_and_no_run_fails(desk: Desk) -> None:
    started(desk, A, B)
    carrier = desk.carriers[MAIN]
    for attempt in range(1, 3 * DEATHS):
        carrier.stopped_by = RunFailure("internal", BATCH_REPEATED, "", again=True)
        desk.runner.turn()
        assert (carrier.starts, carrier.running) == (1 + attempt, True)
        carrier.ready = True
        desk.runner.turn()
    assert (desk.observed("a-1").state, desk.observed("b-1").state) == ("running", "running")
