"""Results and quarantine by pages: committed rows only, newest first, without a gap or a double."""

from pathlib import Path
from typing import Any

import pytest

from streaming.storage.results import Commit
from streaming.wire.messages import LateEvent, ResultRow
from tests.webapp.conftest import Person
from tests.wire.written import write_commit, write_part

OUTCOMES = ["adjusted", "dropped_late", "malformed"]


def late(number: int) -> LateEvent:
    return LateEvent(
        input="cars",
        lane="0",
        position=number,
        start=number,
        end=None,
        cti=number + 10,
        outcome=OUTCOMES[number % 3],
        reason=None,
        policy="adjust",
        moved_by=None,
        raw=f"row {number}",
    )


def result(number: int) -> ResultRow:
    return ResultRow(output="out", start=number, end=number + 1, payload={"n": number})


@pytest.fixture
def run(alice: Person, binding: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    """A run whose binding has three committed batches of two parts, five rows each, and one that is not committed."""
    started: dict[str, Any] = alice.post(f"bindings/{binding['id']}/start/").json()
    folder = tmp_path / str(alice.organisation.pk) / "results" / binding["id"]
    for batch in range(4):
        numbers = [[batch * 10 + task * 5 + row for row in range(5)] for task in range(2)]
        parts = [write_part(folder, "late", batch, task, [late(n) for n in numbers[task]]) for task in range(2)]
        parts += [write_part(folder, "results", batch, task, [result(n) for n in numbers[task]]) for task in range(2)]
        if batch < 3:
            write_commit(folder, Commit(batch=batch, parts=parts, totals={"run": started["id"]}))
    return started


def all_pages(person: Person, path: str, **asked: str) -> list[dict[str, Any]]:
    rows, before = [], None
    while True:
        query = "&".join(f"{name}={value}" for name, value in (asked | ({"before": before} if before else {})).items())
        page = person.get(f"{path}?{query}").json()
        rows += page["rows"]
        before = page["next"]
        if before is None:
            return rows


@pytest.mark.parametrize("limit", ["1", "4", "7", "30", "500"])
def test_pages_join_without_a_gap_or_a_double(alice: Person, run: dict[str, Any], limit: str) -> None:
    results = all_pages(alice, f"runs/{run['id']}/results/", limit=limit)
    assert [row["payload"]["n"] for row in results] == list(reversed(range(30)))
    assert len({row["id"] for row in results}) == 30
    quarantine = all_pages(alice, f"runs/{run['id']}/quarantine/", limit=limit)
    assert [row["raw"] for row in quarantine] == [f"row {number}" for number in reversed(range(30))]


def test_quarantine_is_filtered_by_outcome(bob: Person, run: dict[str, Any]) -> None:
    rows = all_pages(bob, f"runs/{run['id']}/quarantine/", outcome="malformed", limit="3")
    assert [row["position"] for row in rows] == [number for number in reversed(range(30)) if number % 3 == 2]


@pytest.mark.parametrize(
    ("query", "field"), [("before=x", "before"), ("limit=0", "limit"), ("limit=501", "limit"), ("outcome=x", "outcome")]
)
def test_what_cannot_be_asked_is_a_fault(alice: Person, run: dict[str, Any], query: str, field: str) -> None:
    answered = alice.get(f"runs/{run['id']}/quarantine/?{query}")
    assert (answered.status_code, [fault["field"] for fault in answered.json()["faults"]]) == (422, [field])


def test_a_run_without_results_has_an_empty_page(alice: Person, binding: dict[str, Any]) -> None:
    run = alice.post(f"bindings/{binding['id']}/start/").json()
    assert alice.get(f"runs/{run['id']}/results/").json() == {"rows": [], "next": None}
