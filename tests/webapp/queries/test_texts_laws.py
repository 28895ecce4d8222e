"""Laws of the API of texts: whatever text or graph is sent, it is answered, and what is stored says the same."""

import uuid
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from tests.definition.sql.drawn.graphs import GRAPHS
from tests.definition.sql.drawn.texts import TEXTS, mistaken
from tests.webapp.conftest import POINTS, Person, join
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import Role
from webapp.core.context import organisation_context
from webapp.streams.models import Stream

STREAMS = ["cars", "owners", "a", "b", "s", "from"]
FIELDS = {"plate": "string", "speed": "double", "k": "string", "n": "long", "v": "long"}
MANY = pytest.param(500, marks=pytest.mark.thorough)


def furnished() -> Person:
    """Somebody in a new organisation with some streams."""
    name = f"law-{uuid.uuid4().hex[:12]}"
    person = join(f"{name}@law.example", Organisation.objects.create(slug=name, name=name), Role.DESIGNER)
    adapter = {"kind": "file", "options": {"path": "files/x.jsonl"}}
    with organisation_context(person.organisation.pk):
        rows = [Stream(name=each, definition={**POINTS, "fields": FIELDS}, adapter=adapter) for each in STREAMS]
        Stream.objects.bulk_create(rows)
    return person


def post_to(person: Person, path: str, body: dict[str, Any], *expected: int) -> dict[str, Any]:
    answered = person.post(path, body)
    assert answered.status_code in expected, (path, body, answered.content)
    answer: dict[str, Any] = answered.json()
    return answer


@pytest.mark.django_db
@pytest.mark.parametrize("examples", [20, MANY])
def test_any_text_is_answered_and_what_is_stored_says_what_was_sent(examples: int) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(text=(TEXTS | mistaken()).filter(lambda text: "\0" not in text), at=st.integers(0, 500))
    def answers(text: str, at: int) -> None:
        with transaction.atomic():
            person = furnished()
            found = post_to(person, "queries/validate/", {"text": text}, 200)
            assert found["text"] == text
            post_to(person, "queries/complete/", {"text": text, "at": at}, 200)
            post_to(person, "queries/explain/", {"text": text}, 200, 422)
            stored = post_to(person, "queries/", {"text": text}, 201, 422)
            sound = not [each for each in found["faults"] if each["severity"] == "error"]
            assert sound == ("current" in stored)
            if sound:
                assert stored["current"]["text"] == text
                assert parse_sql(text).graph == QueryGraph.model_validate(stored["current"]["graph"])
                post_to(person, f"queries/{stored['id']}/versions/", {"graph": stored["current"]["graph"]}, 200)
            transaction.set_rollback(True)

    answers()


@pytest.mark.django_db
@pytest.mark.parametrize("examples", [20, MANY])
def test_any_graph_is_answered_with_a_text_that_says_it(examples: int) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(graph=GRAPHS, text=TEXTS.filter(lambda text: "\0" not in text))
    def answers(graph: QueryGraph, text: str) -> None:
        raw = graph.model_dump(mode="json")
        if "\\u0000" in graph.model_dump_json():
            return
        with transaction.atomic():
            person = furnished()
            found = post_to(person, "queries/validate/", {"graph": raw}, 200)
            assert parse_sql(found["text"]).graph == graph
            rewritten = post_to(person, "queries/validate/", {"graph": raw, "text": text}, 200)
            assert parse_sql(rewritten["text"]).graph == graph
            post_to(person, "queries/explain/", {"graph": raw}, 200, 422)
            post_to(person, "queries/", {"graph": raw}, 201, 422)
            transaction.set_rollback(True)

    answers()
