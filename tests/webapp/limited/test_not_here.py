"""Computations on a person's input run in a limited process, and no transaction waits for them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from tests.webapp.conftest import POINTS, Person, file_adapter, graph
from tests.webapp.uploads.bringing import brought
from tests.webapp.uploads.test_bringing import parquet
from webapp.core.limited import running
from webapp.core.limited.jobs import Limits
from webapp.core.limited.places import place
from webapp.queries import following

COMPUTES = (
    "webapp.queries.checking.check",
    "webapp.queries.checking.check_sql",
    "webapp.queries.checking.print_sql",
    "webapp.queries.checking.rewrite_sql",
    "webapp.queries.checking.load_graph",
    "webapp.queries.jobs.check",
    "webapp.queries.jobs.complete_sql",
    "webapp.queries.jobs.explaining.explain",
    "webapp.queries.preflights.examine_graph",
    "webapp.queries.preflights.examine_text",
    "webapp.queries.preflights.preflight",
    "webapp.queries.preflights.sampled",
    "webapp.queries.texts.parse_sql",
    "webapp.queries.texts.print_sql",
    "webapp.queries.written_texts.parse_sql",
    "webapp.queries.written_texts.print_sql",
    "webapp.queries.written_texts.rewrite_sql",
    "webapp.runs.inputs.checking.check",
    "webapp.runs.inputs.checking.check_binding",
    "webapp.runs.inputs.checking.check_event_times",
    "webapp.runs.inputs.checking.check_held",
    "webapp.runs.inputs.checking.find_held_nodes",
    "webapp.runs.inputs.checking.in_force",
    "webapp.streams.adapters.input_adapter",
    "webapp.streams.adapters.preview.check",
    "webapp.streams.adapters.preview.sample",
    "webapp.streams.checking.check_advance",
    "webapp.streams.inferring.propose",
    "webapp.streams.inferring.sample_input",
    "webapp.uploads.examining.pq.ParquetFile",
    "webapp.streams.checking.check_fields",
)
"""Where the web application has what parses, checks, plans or reads, as it is called there."""


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of it works here, and no limited process is waited for inside of a transaction."""

    def refused(*_: Any, **__: Any) -> Any:
        raise AssertionError("this was computed in the web process")

    for name in COMPUTES:
        monkeypatch.setattr(name, refused)

    @contextmanager
    def unlocked(organisation: UUID | None, limits: Limits) -> Iterator[int]:
        assert not connection.savepoint_ids, "a limited process is waited for in a transaction"
        with place(organisation, limits) as beside:
            yield beside

    monkeypatch.setattr(running, "place", unlocked)


@pytest.mark.usefixtures("elsewhere")
def test_the_way_from_a_stream_to_a_run_and_to_other_names_computes_nothing_here(
    alice: Person, cars_file: str, redis_connection: Any
) -> None:
    def sent(answered: Any, status: int = 200) -> Any:
        assert answered.status_code == status, answered.content
        return answered.json() if answered.content else None

    brought(alice, "f.parquet", parquet())
    assert sent(alice.post("streams/infer/", {"adapter": file_adapter(cars_file)}))["faults"] == []
    stream = {"name": "cars", "definition": POINTS, "adapter": file_adapter(cars_file)}
    made = sent(alice.post("streams/", stream), 201)
    assert sent(alice.get(f"streams/{made['id']}/sample/"))["faults"] == []
    query = sent(alice.post("queries/", {"graph": graph(), "comment": ""}), 201)
    sent(alice.post("queries/validate/", {"graph": graph()}))
    sent(alice.post("queries/explain/", {"graph": graph()}))
    sent(alice.post("queries/preflight/", {"graph": graph()}))
    sent(alice.post("queries/complete/", {"text": "QUERY q;", "at": 8}))
    binding = sent(alice.post("bindings/", {"name": "watch", "query_version": query["current"]["id"]}), 201)
    sent(alice.get(f"bindings/{binding['id']}/next-start/"))
    run = sent(alice.post(f"bindings/{binding['id']}/start/"), 201)
    sent(alice.get(f"runs/{run['id']}/definition/"))
    sent(alice.get(f"bindings/{binding['id']}/next-start/"))
    sent(alice.put(f"queries/{query['id']}/", {"name": "fast"}))
    sent(alice.put(f"streams/{made['id']}/", {**stream, "name": "vehicles"}))
    assert "vehicles" in sent(alice.get(f"queries/{query['id']}/"))["current"]["text"]
    exported = sent(alice.get("definitions/"))
    sent(alice.post("definitions/plan/", {"files": exported["files"]}))


def test_a_query_that_is_made_while_its_stream_gets_another_name_is_not_left_behind(
    alice: Person, cars: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    drafted = following.all_drafted

    def slowly(changes: Any) -> Any:
        assert alice.post("queries/", {"graph": graph(), "comment": ""}).status_code == 201
        return drafted(changes)

    monkeypatch.setattr(following, "all_drafted", slowly)
    renamed = {"name": "vehicles", "definition": cars["definition"], "adapter": cars["adapter"]}
    refused = alice.put(f"streams/{cars['id']}/", renamed)
    assert refused.status_code == 409
    assert refused.json()["message"] == "A query that names cars has changed since then. Send your change again."
    monkeypatch.setattr(following, "all_drafted", drafted)
    assert alice.put(f"streams/{cars['id']}/", renamed).status_code == 200
