"""Concurrent requests are counted once each, and no place is taken twice."""

import threading
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests.webapp.conftest import POINTS, Person, file_adapter, founded, graph, join
from webapp.accounts.limits import previews
from webapp.accounts.limits.quotas import set_limit
from webapp.accounts.models import PreviewUse
from webapp.accounts.permissions import Role
from webapp.core.context import organisation_context
from webapp.core.limited.admission import set_aside
from webapp.runs.inputs.checking import BoundChecked
from webapp.runs.models import Run
from webapp.runs.starts import services

DAY = date(2026, 11, 21)
LINE = '{"at": "2026-01-01T00:00:00Z", "plate": "AB 1", "speed": 130.5}\n'


def together(works: Sequence[Callable[[], None]]) -> None:
    """Do all `works` at once, each on a connection of its own."""

    def work_alone(work: Callable[[], None]) -> None:
        try:
            work()
        finally:
            connection.close()

    threads = [threading.Thread(target=work_alone, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.django_db(transaction=True)
def test_additions_to_the_time_of_previews_at_the_same_moment_are_all_counted() -> None:
    acme = founded("acme", "Acme")
    ready = threading.Barrier(4)

    def add() -> None:
        ready.wait(timeout=30)
        with organisation_context(acme.pk):
            for _ in range(25):
                previews._add(previews.PREVIEW, DAY, 100)

    together([add] * 4)
    with organisation_context(acme.pk):
        assert dict(PreviewUse.objects.values_list("day", "milliseconds")) == {DAY: 10_000}


def bound(person: Person, folder: Path, count: int) -> list[str]:
    """So many bindings of one query; their ids."""
    folder.mkdir(parents=True)
    (folder / "cars.jsonl").write_text(LINE)
    person.post("streams/", {"name": "cars", "definition": POINTS, "adapter": file_adapter("files/cars.jsonl")})
    version = person.post("queries/", {"graph": graph(), "comment": ""}).json()["current"]["id"]
    made = [person.post("bindings/", {"name": f"b{n}", "query_version": version}) for n in range(count)]
    return [each.json()["id"] for each in made]


@pytest.mark.django_db(transaction=True)
def test_starts_at_the_same_moment_take_one_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, redis_connection: Any
) -> None:
    person = join("alice@acme.example", founded("acme", "Acme"), Role.OWNER)
    organisation = person.organisation.pk
    bindings = bound(person, tmp_path / str(organisation) / "files", 4)
    with organisation_context(organisation):
        set_limit("runs", 1)
    ready = threading.Barrier(len(bindings))

    def meet(_: Any) -> BoundChecked:
        """Report no error: all are valid, and continue at the same moment; requests hold no place during a check."""
        with set_aside():
            ready.wait(timeout=30)
        return BoundChecked([])

    monkeypatch.setattr(services, "checked_before_start", meet)
    monkeypatch.setattr(services, "reconcile_soon", lambda _: None)
    codes: list[int] = []

    def start(binding: str) -> None:
        codes.append(person.post(f"bindings/{binding}/start/").status_code)

    together([lambda binding=binding: start(binding) for binding in bindings])  # type: ignore[misc]
    assert sorted(codes) == [201, 409, 409, 409]
    with organisation_context(organisation):
        assert Run.objects.count() == 1
    assert redis_connection.ping()
