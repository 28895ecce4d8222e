"""The ledger: rows by day that add up, unknown days, and a signed file that an auditor checks without our code."""

import base64
import csv
import importlib
import io
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streaming.temporal.outcomes import Outcome
from tests.webapp.conftest import Person
from tests.webapp.live.reporting import MINUTE, SECOND, Reporting, input_counts
from tests.webapp.scene import Scene
from webapp.core.context import organisation_context
from webapp.live.ledger.counting import ledger_of
from webapp.live.ledger.signed_file import signed_file
from webapp.monitoring.models import RunRollup
from webapp.monitoring.reading import RunSample
from webapp.monitoring.rollups import _write
from webapp.runs.models import Binding, Repair, Run

HOUR = 60 * MINUTE
DAY = 24 * HOUR
MOST_QUERIES = 25
TAKEN = {"7-0-0": "dropped_late", "7-0-1": "malformed", "8-0-0": "adjusted"}
"""The rows of a repair; the third one had been in results before."""


@pytest.fixture
def reporting(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Reporting:
    """A run that started two days ago, at 12:00 on 19 November 2026, and is known from then on."""
    monkeypatch.setattr(timezone, "now", scene.clock)
    found = Reporting(scene)
    begin = scene.clock() - timedelta(days=2)
    found.state(created_at=begin, changed_at=begin, observed="running", observed_at=1)
    scene.lease()
    know(found, (found.now - 2 * DAY, found.now))
    return found


def know(reporting: Reporting, *spans: tuple[int, int]) -> None:
    reporting.know(reporting.scene.run_id, list(spans), from_zero=True)


def file(reporting: Reporting) -> bytes:
    answered = reporting.scene.person.get(f"home/{reporting.scene.binding['id']}/ledger/file/?days=7")
    assert answered.status_code == 200, answered.content
    content: bytes = answered.content
    return content


def test_rows_count_on_the_day_of_their_report_and_add_up(reporting: Reporting) -> None:
    now = reporting.now
    reporting.report(input_counts({"on_time": 100, "dropped_late": 3}, now), at=now - 12 * HOUR - 1, results=10)
    reporting.report(input_counts({"on_time": 140, "dropped_late": 3, "malformed": 2}, now), results=14)
    reporting.repair(TAKEN, reporting.scene.clock())

    found = reporting.ledger()

    assert [(each["day"], each["counts"]) for each in found["days"][:2]] == [
        (
            "2026-11-21",
            {"received": 42, "outcomes": {"on_time": 40, "malformed": 2}, "difference": 0, "results": 4},
        ),
        (
            "2026-11-20",
            {"received": 103, "outcomes": {"on_time": 100, "dropped_late": 3}, "difference": 0, "results": 10},
        ),
    ]
    assert [each["knowledge"] for each in found["days"]] == ["known"] * 3 + ["none"] * 4
    assert [each["repaired"] for each in found["days"]] == [2, 0, 0, 0, 0, 0, 0]
    assert found["total"] == {
        "received": 145,
        "outcomes": {"on_time": 140, "dropped_late": 3, "malformed": 2},
        "difference": 0,
        "results": 14,
    }
    assert (found["repaired"], found["unknown_days"]) == (2, 0)


def test_a_repair_counts_in_the_dashboard_and_in_the_file(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 100, "dropped_late": 3}, reporting.now))
    reporting.repair(TAKEN, reporting.scene.clock())
    path = f"home/{reporting.scene.binding['id']}/?seconds=900"
    assert reporting.scene.person.get(path).json()["repaired_rows"] == 2
    content = file(reporting)
    [columns] = lines_of(content, "columns")
    [total] = [dict(zip(columns, line, strict=True)) for line in lines_of(content, "total")]
    assert total["repaired"] == "2"


def test_repairs_of_earlier_releases_are_counted(reporting: Reporting) -> None:
    reporting.repair(TAKEN, reporting.scene.clock())
    reporting.repair({"9-0-0": "late_kept"}, reporting.scene.clock())
    migration = importlib.import_module("webapp.runs.migrations.0026_repair_lost")
    with organisation_context(reporting.scene.person.organisation.pk):
        Repair.objects.update(lost={})
        migration.count(apps, None)
        assert {each.taken[0]: each.lost for each in Repair.objects.all()} == {"7-0-0": {"7": 2}, "9-0-0": {}}


def test_a_difference_is_shown_as_such(reporting: Reporting) -> None:
    counts = input_counts({"on_time": 100}, reporting.now).model_copy(update={"received": 103})
    reporting.report(counts, results=1)
    found = reporting.ledger()
    assert (found["days"][0]["counts"]["difference"], found["total"]["difference"]) == (3, 3)


def test_an_unknown_day_has_no_counts(reporting: Reporting) -> None:
    noon = reporting.now
    know(reporting, (noon - 2 * DAY, noon - 2 * DAY + HOUR), (noon - HOUR, noon))
    reporting.report(input_counts({"on_time": 100}, noon), at=noon - 2 * DAY + 10 * MINUTE)
    reporting.report(input_counts({"on_time": 160}, noon))

    today, yesterday, first = reporting.ledger()["days"][:3]

    midnight = noon - 12 * HOUR
    assert (today["knowledge"], today["counts"]["received"]) == ("unknown", 60)
    assert today["unknown"] == [{"begin": midnight, "end": noon - HOUR}]
    assert (yesterday["knowledge"], yesterday["counts"]) == ("unknown", None)
    assert yesterday["unknown"] == [{"begin": midnight - DAY, "end": midnight}]
    assert (first["counts"]["received"], first["unknown"]) == (
        100,
        [{"begin": noon - 2 * DAY + HOUR, "end": midnight - DAY}],
    )


def test_time_since_the_last_sign_of_a_silent_runner_is_unknown(reporting: Reporting) -> None:
    noon = reporting.now
    know(reporting, (noon - 2 * DAY, noon - 13 * HOUR))
    reporting.report(input_counts({"on_time": 100}, noon), at=noon - 13 * HOUR)
    today, yesterday = reporting.ledger()["days"][:2]
    assert (today["knowledge"], today["counts"]) == ("unknown", None)
    assert today["unknown"] == [{"begin": noon - 12 * HOUR, "end": noon}]
    assert yesterday["unknown"] == [{"begin": noon - 13 * HOUR, "end": noon - 12 * HOUR}]


def test_live_figures_and_ledger_are_equal(reporting: Reporting) -> None:
    noon = reporting.now
    for hours, rows in ((40, 5), (30, 80), (13, 200), (12, 210), (2, 444)):
        reporting.report(input_counts({"on_time": rows, "adjusted": rows // 2}, noon), at=noon - hours * HOUR)
    reporting.report(input_counts({"on_time": 460, "adjusted": 230}, noon), rolled_up=False)
    path, begin = f"home/{reporting.scene.binding['id']}/", noon - 12 * HOUR
    for each in reporting.ledger()["days"][:3]:
        steps = reporting.scene.person.get(f"{path}?begin={begin}&end={begin + DAY}").json()["steps"]
        live: Counter[str] = Counter()
        for step in steps:
            live.update(step["outcomes"])
        assert dict(live) == each["counts"]["outcomes"]
        begin -= DAY


def test_reports_before_the_range_are_no_rows_of_it(reporting: Reporting) -> None:
    noon = reporting.now
    reporting.report(input_counts({"on_time": 70}, noon), at=noon - 30 * HOUR, results=7)
    reporting.report(input_counts({"on_time": 100}, noon), results=9)
    found = reporting.ledger("?first=2026-11-21&last=2026-11-21")
    assert [each["day"] for each in found["days"]] == ["2026-11-21"]
    assert (found["total"]["received"], found["total"]["results"]) == (30, 2)


def test_deliveries_are_shown_as_their_runner_reports_them(reporting: Reporting) -> None:
    reporting.delivers("retrying", waiting=900, message="It does not answer.")
    assert reporting.ledger()["deliveries"] == [
        {
            "node": "out",
            "state": "retrying",
            "waiting_rows": 900,
            "waiting_exact": True,
            "refused_requests": 0,
            "deleted_rows": 0,
        }
    ]


# The auditor: reads the file with a CSV reader and nothing of the application.


class Refused(Exception):
    """Something follows the signature."""


def verify(content: bytes) -> None:
    """Raise an error unless the installation has signed the whole file."""
    [key, *_] = Client().get("/api/ledger-keys/").json()["keys"]
    *before, last = content.splitlines(keepends=True)
    if not last.startswith(b"signature,ed25519:") or not last.endswith(b"\r\n"):
        raise Refused
    signed, signature = b"".join(before), last.removeprefix(b"signature,ed25519:").removesuffix(b"\r\n")
    public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key["public_key"]))
    public.verify(base64.b64decode(signature, validate=True), signed)
    assert f"public_key,ed25519:{key['public_key']}\r\n".encode() in signed


def lines_of(content: bytes, kind: str) -> Iterator[list[str]]:
    """Return the lines of one kind, without it."""
    return (line for first, *line in csv.reader(io.StringIO(content.decode(), newline="")) if first == kind)


def test_an_auditor_adds_the_file_up_again(reporting: Reporting) -> None:
    noon = reporting.now
    know(reporting, (noon - 2 * DAY, noon - DAY), (noon - HOUR, noon))
    for hours, rows in ((47, 5), (30, 80), (1, 200)):
        counts = input_counts({"on_time": rows, "reordered": 7, "dropped_late": rows // 5}, noon)
        reporting.report(counts, at=noon - hours * HOUR, results=rows // 2)

    content = file(reporting)

    verify(content)
    [columns] = lines_of(content, "columns")
    days = [dict(zip(columns, line, strict=True)) for line in lines_of(content, "day")]
    [total] = [dict(zip(columns, line, strict=True)) for line in lines_of(content, "total")]
    outcomes = [each.value for each in Outcome]
    for day in [*days, total]:
        assert int(day["received"]) == sum(int(day[name]) for name in outcomes) + int(day["difference"])
    for name in ("unknown_s", "received", *outcomes, "difference", "results", "repaired"):
        assert int(total[name]) == sum(int(day[name]) for day in days), name
    assert {name: total[name] for name in ("received", "dropped_late", "results", "difference", "unknown_s")} == {
        "received": "247",
        "dropped_late": "40",
        "results": "100",
        "difference": "0",
        "unknown_s": str(23 * 3_600),
    }
    assert [day["day"] for day in days[:2]] == ["2026-11-21", "2026-11-20"]
    assert list(lines_of(content, "unknown")) == [
        ["2026-11-21T00:00:00Z", "2026-11-21T11:00:00Z"],
        ["2026-11-20T12:00:00Z", "2026-11-21T00:00:00Z"],
    ]
    assert [name for name, _ in lines_of(content, "definition")] == columns
    assert set(columns) > set(outcomes)


def test_a_file_with_a_changed_byte_fails(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 1_000, "dropped_late": 3}, reporting.now))
    content = file(reporting)
    verify(content)
    signed = len(content.rpartition(b"signature,ed25519:")[0])
    for place in range(0, signed, 7):
        changed = bytearray(content)
        changed[place] ^= 1
        with pytest.raises((Refused, InvalidSignature)):
            verify(bytes(changed))


@pytest.mark.parametrize("added", [b"day,2026-11-22,known,0\r\n", b"\r\n", b"\n", b" ", b"signature,ed25519:\r\n"])
def test_a_file_with_something_after_its_signature_fails(reporting: Reporting, added: bytes) -> None:
    reporting.report(input_counts({"on_time": 1_000}, reporting.now))
    content = file(reporting)
    verify(content)
    with pytest.raises((Refused, InvalidSignature)):
        verify(content + added)
    [[how]] = lines_of(content, "verify")
    assert "must be the last one: refuse a file with anything after it" in how


def test_an_unknown_day_is_empty_in_the_file(reporting: Reporting) -> None:
    know(reporting, (reporting.now - 1, reporting.now))
    content = file(reporting)
    [columns] = lines_of(content, "columns")
    yesterday = [dict(zip(columns, line, strict=True)) for line in lines_of(content, "day")][1]
    assert (yesterday["knowledge"], yesterday["received"], yesterday["results"]) == ("unknown", "", "")
    assert yesterday["unknown_s"] == "86400"


@pytest.mark.parametrize(("exact", "written"), [(True, "yes"), (False, "no")])
def test_the_file_says_whether_waiting_rows_are_exact(reporting: Reporting, exact: bool, written: str) -> None:
    reporting.delivers("retrying", waiting=900, exact=exact)
    content = file(reporting)
    [columns] = lines_of(content, "delivery_columns")
    [delivery] = [dict(zip(columns, line, strict=True)) for line in lines_of(content, "delivery")]
    assert (delivery["waiting_rows"], delivery["waiting_exact"]) == ("900", written)
    assert [name for name, _ in lines_of(content, "delivery_definition")] == columns


def test_a_name_never_becomes_a_formula(reporting: Reporting) -> None:
    with organisation_context(reporting.scene.person.organisation.pk):
        binding = Binding.objects.get()
        binding.name = "=1+1"
        day = date(2026, 11, 21)
        content = signed_file(ledger_of(binding, day, day, reporting.scene.clock()), "@acme")
    assert [line[0] for line in lines_of(content, "binding")] == ["'=1+1"]
    assert [line[0] for line in lines_of(content, "organisation")] == ["'@acme"]


@pytest.mark.parametrize(
    "query",
    [
        "days=8",
        "first=2026-11-20",
        "first=20261120&last=2026-11-21",
        "first=2026-11-21&last=2026-11-20",
        "first=2026-11-21&last=2026-11-22",
        "first=2026-08-01&last=2026-11-21",
        "first=2026-02-30&last=2026-03-01",
    ],
)
def test_other_ranges_are_refused(reporting: Reporting, query: str) -> None:
    path = f"home/{reporting.scene.binding['id']}/ledger/"
    for each in (path, f"{path}file/"):
        answered = reporting.scene.person.get(f"{each}?{query}")
        assert answered.status_code == 422
        assert answered.json()["faults"]


def test_strangers_see_no_ledger(charlie: Person, binding: dict[str, Any]) -> None:
    assert charlie.get(f"home/{binding['id']}/ledger/").status_code == 404
    assert charlie.get(f"home/{binding['id']}/ledger/file/").status_code == 404


def test_a_ledger_takes_few_queries(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 60}, reporting.now))
    with CaptureQueriesContext(connection) as captured:
        assert len(reporting.ledger("?days=90")["days"]) == 90
    assert len(captured) <= MOST_QUERIES


OUTCOMES = st.dictionaries(st.sampled_from([each.value for each in Outcome]), st.integers(1, 50), max_size=3)
BATCHES = st.lists(st.tuples(st.integers(1, 30 * 3_600), OUTCOMES, st.integers(0, 9)), max_size=12)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=BATCHES, turn=st.integers(1, 5), before=st.integers(0, 3))
def test_a_ledger_is_the_plain_sum_of_all_batches(
    reporting: Reporting, batches: list[tuple[int, dict[str, int], int]], turn: int, before: int
) -> None:
    """Batches at drawn times, rolled up in groups of `turn`; the first day of the ledger is `before` days later."""
    begin = datetime(2026, 11, 1, tzinfo=UTC)
    at, samples, plain = int(begin.timestamp()) * SECOND, [], {}
    totals: Counter[str] = Counter()
    results = 0
    for pause_s, outcomes, rows in batches:
        at += pause_s * SECOND
        totals.update(outcomes)
        results += rows
        day = plain.setdefault(str(datetime.fromtimestamp(at / SECOND, UTC).date()), Counter())
        day.update(outcomes)
        day["results"] += rows
        inputs = {"cars": {"received": totals.total(), "outcomes": dict(totals), "cti": None, "ended": False}}
        inputs["cars"]["largest_start"] = None
        samples.append(
            RunSample.model_validate(
                {"at": at, "batch": at, "batch_s": 0.5, "inputs": inputs, "output_ctis": {}, "quarantined": 0}
                | {"results": results}
            )
        )
    reporting.state(created_at=begin)
    with organisation_context(reporting.scene.person.organisation.pk):
        RunRollup.objects.all().delete()
        run = Run.objects.get(pk=UUID(reporting.scene.run_id))
        for place in range(0, len(samples), turn):
            _write(run, samples[place : place + turn], {})
        know(reporting, (int(begin.timestamp()) * SECOND, reporting.now))
        first = begin.date() + timedelta(days=before)
        found = ledger_of(Binding.objects.get(), first, date(2026, 11, 21), reporting.scene.clock())
    counted = {}
    for each in found.days:
        assert each.counts is not None
        assert each.counts.received == sum(each.counts.outcomes.values())
        if each.counts.received or each.counts.results:
            counted[str(each.day)] = Counter(each.counts.outcomes) + Counter(results=each.counts.results)
    assert counted == {day: +counts for day, counts in plain.items() if day >= str(first) and counts.total()}
