"""The cost of a scrape: as many database queries for 1,000 bindings as for ten; its time is printed, never asserted."""

import time
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from streaming.wire.progress import InputMeasures
from tests.webapp.conftest import Person
from tests.webapp.live.reporting import SECOND, input_counts, lane
from tests.webapp.rows.filling import fill
from tests.webapp.telemetry.scraping import OPENMETRICS, authorization
from webapp.core.context import organisation_context
from webapp.runs.models import Run


def running(person: Person, count: int, clock: Any, *, begin: int = 0) -> None:
    """Give acme `count` bindings whose runs report rich figures: three lanes, all outcomes, all measures."""
    fill(person.organisation, count, begin=begin, people=False)
    names = ["on_time", "reordered", "adjusted", "shifted", "late_kept", "dropped_late", "dropped_early", "malformed"]
    lanes = [lane(str(n), received=10, dropped=1, cti=clock.ticks - SECOND) for n in range(3)]
    filled = {str(bucket): 5 for bucket in range(30, 60)}
    measures = InputMeasures.model_validate(
        {
            **dict.fromkeys(["behind", "moved", "transport"], filled),
            **dict.fromkeys(["largest_behind", "largest_late", "largest_moved", "largest_transport"], 10**6),
            "last_arrival": clock.ticks,
        }
    )
    counts = input_counts(dict.fromkeys(names, 100), clock.ticks - SECOND, lanes)
    counts = counts.model_copy(update={"measures": measures, "reasons": {"past_cti": 100, "not_json": 100}})
    progress = {
        "at": clock.ticks,
        "inputs": {"cars": counts.model_dump(mode="json")},
        "output_ctis": {"out": clock.ticks - SECOND},
        "results": 10,
        "quarantined": 2,
        "batch_s": 0.5,
        "failed": 0,
        "recent_results": [{"payload": "x" * 200}] * 20,
        "recent_late": [{"raw": "x" * 300}] * 20,
    }
    with organisation_context(person.organisation.pk):
        Run.objects.update(observed="running", desired="running", ended_at=None, progress=progress)


@pytest.mark.parametrize("address", ["/metrics", "/api/t/acme/metrics"])
def test_a_thousand_bindings_cost_no_more_database_queries(
    alice: Person, redis_connection: Any, clock: Any, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(timezone, "now", clock)
    running(alice, 10, clock)
    token = authorization() if address == "/metrics" else {}

    def scrape() -> tuple[Any, int]:
        with CaptureQueriesContext(connection) as captured:
            answered = alice.client.get(address, headers={"accept": OPENMETRICS, "host": "127.0.0.1", **token})
        return answered, len(captured)

    scrape()
    few, queries = scrape()
    running(alice, 990, clock, begin=10)
    began, processor = time.perf_counter(), time.process_time()
    many, queries_of_many = scrape()
    took = f"{time.perf_counter() - began:.2f} s ({time.process_time() - processor:.2f} s of processor time)"
    print(f"\n{address} with 1,000 bindings: {took}, {len(many.content) / 2**20:.1f} MiB, {queries_of_many} queries")
    assert few.content.count(b"punctual_binding_info{") == 10
    assert many.content.count(b"punctual_binding_info{") == 1_000
    assert queries_of_many == queries
