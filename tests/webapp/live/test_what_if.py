"""The effect of other delays on the rows of a binding, counted from its quarantine."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from streaming.storage.results import Commit, RunBatches
from streaming.wire.messages import LateEvent
from tests.webapp.conftest import Person
from tests.webapp.live.reporting import MINUTE, SECOND, Reporting, input_counts
from tests.webapp.live.test_details import measured
from tests.webapp.scene import Scene
from tests.wire.written import write_commit, write_part
from webapp.core.context import organisation_context
from webapp.runs.models import Run

MOST_QUERIES = 20
DELAY = 5 * SECOND


@pytest.fixture
def reporting(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Reporting:
    """A run with a delay of five seconds that has been running for 90 minutes, at 12:00 of the clock."""
    monkeypatch.setattr(timezone, "now", scene.clock)
    found = Reporting(scene)
    found.state(created_at=scene.clock() - timedelta(minutes=90), observed="running", observed_at=1)
    found.know(scene.run_id, [(found.now - 90 * MINUTE, found.now)], from_zero=True)
    scene.lease()
    advance(found, {"generate": {"every": 1, "delay": "5s", "basis": "max"}, "late": "drop"})
    return found


def advance(reporting: Reporting, settings: dict[str, Any]) -> None:
    """Let the run have these settings of its input."""
    with organisation_context(reporting.scene.person.organisation.pk):
        run = Run.objects.get(pk=reporting.scene.run_id)
        run.spec["inputs"]["cars"]["advance"] = settings
        run.save(update_fields=["spec"])


def late(missed: float, *, outcome: str = "dropped_late", lasts: float = 0, policy: str = "drop") -> LateEvent:
    """A row that missed its CTI by so many seconds."""
    start = 1_000 * SECOND
    return LateEvent(
        input="cars",
        lane="0",
        position=0,
        start=start,
        end=start + round(lasts * SECOND) or start + 1,
        cti=start + round(missed * SECOND),
        outcome=outcome,
        reason="before_cti",
        policy=policy,
        moved_by=None,
        raw="{}",
    )


def quarantine(reporting: Reporting, tmp_path: Path, at: int, rows: Sequence[LateEvent]) -> None:
    """Store the late rows of the batch that was reported at tick `at`."""
    folder = tmp_path / reporting.scene.organisation / "results" / reporting.scene.binding["id"]
    batch = at // SECOND
    runs = [RunBatches(run=reporting.scene.run_id, first=batch, last=batch)]
    write_commit(folder, Commit(batch=batch, parts=[write_part(folder, "late", batch, 0, rows)], totals={}, runs=runs))


def answered(reporting: Reporting, query: str = "?seconds=3600") -> dict[str, Any]:
    found = reporting.scene.person.get(f"home/{reporting.scene.binding['id']}/what-if/{query}")
    assert found.status_code == 200, found.content
    body: dict[str, Any] = found.json()
    return body


def rows_of(found: dict[str, Any]) -> dict[str, Any]:
    [cars] = found["inputs"]
    assert cars["reason"] is None
    rows: dict[str, Any] = cars["rows"]
    return rows


def with_delay(rows: dict[str, Any], seconds: float) -> tuple[int, int]:
    """Return the rows lost and changed with the longest listed delay up to so many seconds."""
    each = [each for each in rows["delays"] if each["delay"] <= seconds * SECOND][-1]
    return each["lost"], each["changed"]


def test_longer_delays_keep_the_rows_that_missed_their_ctis_by_less(reporting: Reporting, tmp_path: Path) -> None:
    now = reporting.now
    reporting.report(input_counts({"on_time": 100, "dropped_late": 1}, now - 80 * MINUTE), at=now - 80 * MINUTE)
    quarantine(reporting, tmp_path, now - 80 * MINUTE, [late(2)])  # before the range
    counts = {"on_time": 990, "dropped_late": 8, "dropped_early": 1, "malformed": 2}
    reporting.report(input_counts(counts, now - MINUTE), at=now - MINUTE)
    quarantine(reporting, tmp_path, now - MINUTE, [late(1), late(4.5), late(5), late(5), late(9), late(9), late(30)])

    found = answered(reporting)
    rows = rows_of(found)

    assert (rows["received"], rows["lost"], rows["dropped_late"], rows["stored"]) == (900, 10, 7, 7)
    assert [with_delay(rows, seconds)[0] for seconds in (5, 6, 9.5, 10, 14, 35)] == [10, 9, 8, 6, 4, 3]
    assert rows["goals"] == [
        {"share": 99.5, "delay": 14 * SECOND},  # at most 4 rows of 900
        {"share": 99.9, "delay": None},  # 3 rows are lost in any case
    ]
    page = reporting.scene.person.get(f"home/{reporting.scene.binding['id']}/?seconds=3600").json()
    assert sum(sum(each["outcomes"].values()) for each in page["steps"]) == rows["received"]
    assert (found["begin"], found["end"]) == (page["begin"], page["end"])


def test_rows_that_are_no_longer_stored_count_as_lost(reporting: Reporting, tmp_path: Path) -> None:
    counts = {"on_time": 900, "dropped_late": 100}
    reporting.report(input_counts(counts, None), at=reporting.now - MINUTE)
    quarantine(reporting, tmp_path, reporting.now - MINUTE, [late(1) for _ in range(60)])
    rows = rows_of(answered(reporting))
    assert (rows["dropped_late"], rows["stored"]) == (100, 60)
    assert (with_delay(rows, 5), with_delay(rows, 6)) == ((100, 0), (40, 0))
    assert [goal["delay"] for goal in rows["goals"]] == [None, None]


def test_adjusted_rows_are_kept_today_and_unchanged_later(reporting: Reporting, tmp_path: Path) -> None:
    advance(reporting, {"generate": {"every": 1, "delay": "5s"}, "late": "adjust"})
    reporting.report(input_counts({"on_time": 7, "dropped_late": 1, "adjusted": 2}, None), at=reporting.now - MINUTE)
    ways = {"policy": "adjust"}
    stored = [late(9, lasts=6, **ways), *(late(2, lasts=6, outcome="adjusted", **ways) for _ in range(2))]
    quarantine(reporting, tmp_path, reporting.now - MINUTE, stored)
    rows = rows_of(answered(reporting))
    assert [with_delay(rows, seconds) for seconds in (5, 7, 8.1, 14)] == [(1, 2), (1, 0), (0, 1), (0, 1)]


def test_a_report_counts_before_it_is_rolled_up(reporting: Reporting, tmp_path: Path) -> None:
    reporting.report(input_counts({"on_time": 50}, None), at=reporting.now - MINUTE)
    reporting.report(input_counts({"on_time": 59, "dropped_late": 1}, None), rolled_up=False)
    quarantine(reporting, tmp_path, reporting.now, [late(1)])
    rows = rows_of(answered(reporting))
    assert (rows["received"], rows["lost"], rows["stored"]) == (60, 1, 1)


def test_without_late_rows_today_is_enough(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 50}, None))
    rows = rows_of(answered(reporting))
    assert rows["delays"] == [{"delay": DELAY, "lost": 0, "changed": 0}]
    assert [goal["delay"] for goal in rows["goals"]] == [DELAY, DELAY]


def test_shorter_delays_are_estimated_from_distances(reporting: Reporting) -> None:
    # Bucket 53 has distances of 8.39 to 10.49 s, bucket 45 those of 2.1 to 2.62 s, bucket 0 those below 1.02 ms.
    counts = measured(input_counts({"on_time": 97, "dropped_late": 3}, None), {0: 60, 45: 37, 53: 3}, 9 * SECOND)
    reporting.report(counts)
    rows = rows_of(answered(reporting, "?seconds=7200"))
    assert rows["measured"] == 100
    estimates = {each["delay"] / SECOND: (each["fewest"], each["most"]) for each in rows["shorter"]}
    assert estimates == {3.75: (3, 3), 2.5: (3, 40), 1.25: (40, 40), 0.5: (40, 40), 0: (40, 100)}


def test_lanes_that_are_left_out_have_no_estimate(reporting: Reporting) -> None:
    advance(reporting, {"generate": {"every": 1, "delay": "5s"}, "late": "drop", "idle_after": "30s"})
    reporting.report(measured(input_counts({"on_time": 100}, None), {0: 100}, 9))
    assert rows_of(answered(reporting))["shorter"] is None


def test_runs_with_another_delay_are_left_out_and_named(reporting: Reporting, tmp_path: Path) -> None:
    now = reporting.now
    with organisation_context(reporting.scene.person.organisation.pk):
        old = Run.objects.get(pk=reporting.scene.run_id)
        old.pk, old.created_at, old.ended_at = None, old.created_at - timedelta(minutes=9), old.created_at
        old._state.adding = True
        old.spec["inputs"]["cars"]["advance"]["generate"]["delay"] = "2s"
        reached = {"cti": 900 * SECOND, "largest_start": 1_001 * SECOND}
        old.progress = {"at": now - 91 * MINUTE, "batch": 1, "inputs": {"cars": reached}}
        old.save(force_insert=True)
    reporting.report(input_counts({"on_time": 8, "dropped_late": 2}, None), at=now - MINUTE)
    undecided = late(-1).model_copy(update={"start": 998 * SECOND})  # it met 999 s, as far as the delay of 2 s reached
    quarantine(reporting, tmp_path, now - MINUTE, [late(1), undecided])
    rows = rows_of(answered(reporting, "?seconds=7200"))
    assert rows["since"] == now - 90 * MINUTE
    assert (rows["received"], rows["stored"], rows["undecided"]) == (10, 1, 1)
    assert with_delay(rows, 6) == (1, 0)


def test_an_input_without_generated_ctis_says_why(reporting: Reporting) -> None:
    advance(reporting, {"late": "drop"})
    reporting.report(input_counts({"on_time": 100}, None))
    [cars] = answered(reporting)["inputs"]
    assert (cars["rows"], "no delay" in cars["reason"]) == (None, True)


def test_the_results_of_another_binding_bring_their_ctis(reporting: Reporting) -> None:
    with organisation_context(reporting.scene.person.organisation.pk):
        run = Run.objects.get(pk=reporting.scene.run_id)
        run.spec["inputs"]["cars"]["adapter"] = {"kind": "binding", "options": {}}
        run.save(update_fields=["spec"])
    [cars] = answered(reporting)["inputs"]
    assert "another binding" in cars["reason"]


def test_a_damaged_quarantine_says_so(reporting: Reporting, tmp_path: Path) -> None:
    reporting.report(input_counts({"on_time": 8, "dropped_late": 2}, None))
    quarantine(reporting, tmp_path, reporting.now, [late(1), late(2)])
    folder = tmp_path / reporting.scene.organisation / "results" / reporting.scene.binding["id"]
    [part] = (folder / "quarantine").iterdir()
    part.write_bytes(part.read_bytes()[:90])
    refused = reporting.scene.person.get(f"home/{reporting.scene.binding['id']}/what-if/?seconds=3600")
    assert (refused.status_code, "damaged" in refused.json()["message"]) == (409, True)


def test_a_binding_without_a_run_has_no_input(alice: Person, binding: dict[str, Any]) -> None:
    assert alice.get(f"home/{binding['id']}/what-if/").json()["inputs"] == []


def test_every_range_has_few_queries(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 60, "dropped_late": 1}, None))
    with CaptureQueriesContext(connection) as captured:
        answered(reporting, "?seconds=7776000")
    assert len(captured) <= MOST_QUERIES


def test_a_viewer_reads_it_and_a_stranger_does_not(
    bob: Person, charlie: Person, alice: Person, binding: dict[str, Any]
) -> None:
    path = f"home/{binding['id']}/what-if/"
    assert alice.get(path).status_code == 200
    assert charlie.get(path).status_code == 404
    assert bob.get(path).status_code == 200
