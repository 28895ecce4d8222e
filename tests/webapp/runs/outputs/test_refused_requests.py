"""Rows that a target refused: listed, read, and dismissed so that the delivery continues; only for their owners."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from streaming.storage.refused_requests import StoredRefusedRequest, stored_refused, write_refused
from tests.webapp.conftest import Person
from tests.webapp.runs.outputs.bound_output import output_with_refused
from webapp.core.context import organisation_context
from webapp.runs.kept_folders import rows_beside
from webapp.runs.models import Binding
from webapp.runs.outputs import refused_requests
from webapp.runs.outputs.bound_outputs import outputs_of


@pytest.fixture
def output(alice: Person, binding: dict[str, Any]) -> str:
    with organisation_context(alice.organisation.pk):
        return output_with_refused(UUID(binding["id"]))


@pytest.fixture
def address(binding: dict[str, Any], output: str) -> str:
    return f"bindings/{binding['id']}/outputs/{output}/refused/"


def test_refused_requests_are_listed_and_each_is_read_with_its_rows(alice: Person, address: str) -> None:
    listed = alice.get(address).json()
    fields = {"batch": 3, "part": 0, "at": 5_000_000, "reason": "it is full", "row_count": 1}
    assert listed == [{**fields, "rows": None}]
    row = {"output": "out", "start": 1, "payload": {"n": 1}}
    assert alice.get(f"{address}?batch=3&part=0").json() == [{**fields, "rows": [row]}]
    assert alice.get(f"{address}?batch=4&part=0").json() == []


@pytest.mark.parametrize(
    "query", ["batch=3", "part=0", "batch=x&part=0", "batch=-1&part=0", f"batch={'9' * 40}&part=0"]
)
def test_what_names_no_refused_request_is_refused(alice: Person, address: str, query: str) -> None:
    answered = alice.get(f"{address}?{query}")
    assert answered.status_code == 422
    assert "no such refused request" in answered.json()["faults"][0]["message"]


def test_only_the_listed_rows_are_dismissed_and_the_delivery_continues(
    alice: Person,
    binding: dict[str, Any],
    output: str,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    entries = []
    monkeypatch.setattr(refused_requests, "reconcile_soon", entries.append)
    with django_capture_on_commit_callbacks(execute=False) as waiting:
        assert alice.client.delete(alice.url(address)).json() == {"requests": 1}
    with organisation_context(alice.organisation.pk):
        folder = rows_beside(UUID(binding["id"]))
        newer = StoredRefusedRequest(number=9, part=0, at=6, reason="it came meanwhile", row_count=0)
        write_refused(folder, output, newer, [])
        for each in waiting:
            each()
        assert stored_refused(folder, output) == [newer]
        assert [each.revision for each in outputs_of(Binding.objects.get())] == [2], "another revision is tried at once"
    assert entries == [alice.organisation.pk]


def test_nothing_to_put_aside_changes_nothing(
    alice: Person, address: str, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        alice.client.delete(alice.url(address))
    assert alice.client.delete(alice.url(address)).json() == {"requests": 0}
    with organisation_context(alice.organisation.pk):
        assert [each.revision for each in outputs_of(Binding.objects.get())] == [2]


def test_an_output_that_is_not_there_has_none(alice: Person, binding: dict[str, Any], output: str) -> None:
    assert alice.get(f"bindings/{binding['id']}/outputs/{uuid4()}/refused/").status_code == 404
    assert alice.get(f"bindings/{uuid4()}/outputs/{output}/refused/").status_code == 404
