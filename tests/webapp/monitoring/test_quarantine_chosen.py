"""Rows of a quarantine that a person chooses: by pages, as a file, and for a spreadsheet without formulas."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.storage.results import Commit
from streaming.wire.messages import LateEvent
from streaming.wire.quarantine_choice import QuarantineChoice
from tests.webapp.conftest import Person
from tests.webapp.monitoring.test_pages import all_pages
from tests.wire.written import write_commit, write_part

S = 1_000_000
WAYS = ["dropped_late", "malformed", "adjusted"]
REASONS = ["before_cti", "bad_row", None]


def late(number: int) -> LateEvent:
    malformed = number % 3 == 1
    return LateEvent(
        input="cars" if number % 2 else "lorries",
        lane=str(number % 4),
        position=number,
        start=None if malformed else number * S,
        end=None,
        cti=(number + 10) * S,
        outcome=WAYS[number % 3],
        reason=REASONS[number % 3],
        policy="drop",
        moved_by=None,
        raw=f'{{"plate": "Äb {number:02}"}}' if number else "=cmd()",
    )


ROWS = [late(number) for number in range(24)]


@pytest.fixture
def run(alice: Person, binding: dict[str, Any], tmp_path: Path) -> str:
    started = alice.post(f"bindings/{binding['id']}/start/").json()
    folder = tmp_path / str(alice.organisation.pk) / "results" / binding["id"]
    for batch in range(4):
        parts = [write_part(folder, "late", batch, 0, ROWS[batch * 6 : batch * 6 + 6])]
        write_commit(folder, Commit(batch=batch, parts=parts, totals={"run": started["id"]}))
    return str(started["id"])


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ({}, lambda n: True),
        ({"reason": "before_cti"}, lambda n: n % 3 == 0),
        ({"input": "cars"}, lambda n: n % 2),
        ({"lane": "2"}, lambda n: n % 4 == 2),
        ({"text": "äB 1"}, lambda n: 10 <= n < 20),
        ({"since": str(5 * S)}, lambda n: n >= 5 and n % 3 != 1),
        ({"until": str(5 * S)}, lambda n: n < 5 and n % 3 != 1),
        ({"late_by": str(10 * S)}, lambda n: n % 3 != 1),
        ({"late_by": str(10 * S - 1)}, lambda n: False),
        ({"outcome": "adjusted", "lane": "1", "since": "0"}, lambda n: n % 3 == 2 and n % 4 == 1),
        ({"lane": "no such"}, lambda n: False),
    ],
)
def test_pages_and_files_hold_what_is_chosen_newest_first(
    alice: Person, run: str, asked: dict[str, str], meant: Any
) -> None:
    chosen = [number for number in reversed(range(24)) if meant(number)]
    paged = all_pages(alice, f"runs/{run}/quarantine/", limit="3", **asked)
    assert [row["position"] for row in paged] == chosen
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    lines = alice.get(f"runs/{run}/quarantine/file/?format=json_lines&{query}").getvalue().decode()
    assert [json.loads(line) for line in lines.splitlines()] == paged
    table = alice.get(f"runs/{run}/quarantine/file/?format=csv&{query}").getvalue().decode()
    cells = list(csv.DictReader(io.StringIO(table)))
    assert [int(row["position"]) for row in cells] == chosen
    assert [row["id"] for row in cells] == [row["id"] for row in paged]


def test_a_spreadsheet_computes_nothing_and_reads_times(alice: Person, run: str) -> None:
    answered = alice.get(f"runs/{run}/quarantine/file/?format=csv&until=1")
    [row] = csv.DictReader(io.StringIO(answered.getvalue().decode()))
    assert (row["raw"], row["start"], row["cti"]) == ("'=cmd()", "1970-01-01T00:00:00Z", "1970-01-01T00:00:10Z")
    assert answered.headers["Content-Disposition"] == f'attachment; filename="quarantine-{run}.csv"'
    assert answered.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "query", ["format=xlsx", "", "format=csv&outcome=x", "format=csv&since=x", "format=csv&lanes=1"]
)
def test_a_file_that_cannot_be_asked_is_a_fault(alice: Person, run: str, query: str) -> None:
    assert alice.get(f"runs/{run}/quarantine/file/?{query}").status_code in {404, 422}


def test_a_run_of_others_has_no_file(charlie: Person, run: str) -> None:
    assert charlie.get(f"runs/{run}/quarantine/file/?format=csv").status_code == 404


@pytest.mark.usefixtures("run")
def test_what_is_chosen_is_what_a_sample_takes(alice: Person, binding: dict[str, Any]) -> None:
    taken = alice.post("samples/quarantine/", {"binding": binding["id"], "rows": 50, "text": "äb 13"}).json()
    none = alice.post("samples/quarantine/", {"binding": binding["id"], "rows": 50, "text": "nowhere"}).json()
    assert none["rows"] == []
    assert taken != none


TEXTS = st.one_of(st.none(), st.sampled_from(["cars", "lorries", "0", "3", "Ä", "b 1", "before_cti"]))
TIMES = st.one_of(st.none(), st.integers(-1, 25).map(lambda n: n * S))


@given(TEXTS, TEXTS, TEXTS, TEXTS, TIMES, TIMES)
def test_what_fits_all_fits_each(
    reason: str | None, source: str | None, lane: str | None, text: str | None, since: int | None, until: int | None
) -> None:
    fields = {"reason": reason, "input": source, "lane": lane, "text": text, "since": since, "until": until}
    alone = [QuarantineChoice.model_validate({name: value}) for name, value in fields.items()]
    together = QuarantineChoice.model_validate(fields)
    for row in ROWS:
        stored = row.model_dump(mode="json")
        assert together.fits(stored) == all(each.fits(stored) for each in alone)
