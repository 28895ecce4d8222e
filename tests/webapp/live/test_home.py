"""The live page: each condition with its sentence, tiles that are the sums of the rows, filters, size and queries."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.webapp.conftest import Person
from tests.webapp.live.reporting import MINUTE, SECOND, Reporting, input_counts, lane
from tests.webapp.resources.alerts import TICK, firing
from tests.webapp.rows.filling import fill
from tests.webapp.scene import Scene
from webapp.alerts.models import Acknowledgement
from webapp.core.context import organisation_context
from webapp.live.api import PAGE
from webapp.live.conditions import Condition
from webapp.runs.models import Binding, Run

MOST_QUERIES = 25
"""Sign-in, rights and organisation included."""
MOST_BYTES = 50_000


@pytest.fixture
def reporting(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Reporting:
    """A run that has been running for an hour, at 12:00 of the clock that the API follows; its runner is alive."""
    monkeypatch.setattr(timezone, "now", scene.clock)
    found = Reporting(scene)
    earlier = scene.clock() - timedelta(hours=1)
    found.state(created_at=earlier, changed_at=earlier, observed="running", observed_at=1)
    scene.lease()
    return found


def test_a_query_whose_rows_are_in_time_is_healthy_and_its_outcomes_add_up(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 1_000}, reporting.now - 30 * MINUTE), at=reporting.now - 20 * MINUTE)
    reporting.report(input_counts({"on_time": 1_700, "reordered": 195, "adjusted": 5}, reporting.now - 6 * SECOND))

    row = reporting.row()

    assert (row["condition"], row["sentence"], row["others"]) == ("healthy", "", 0)
    assert row["recent"] == {"on_time": 700, "reordered": 195, "adjusted": 5}
    assert row["rate"] == 1.0  # 900 rows in 15 minutes
    assert (row["received_of_day"], row["lost_of_day"]) == (1_900, 0)
    assert row["lag_s"] == 6.0
    assert row["lags_s"] == [*[None] * 30, 600, 6]


def test_a_lane_that_has_most_of_the_lost_rows_is_named(reporting: Reporting) -> None:
    cti = reporting.now - 6 * SECOND
    lanes = [lane("6", received=900, dropped=1, cti=cti), lane("7", received=100, dropped=84, cti=cti)]
    reporting.report(input_counts({"on_time": 915, "dropped_late": 84, "malformed": 1}, cti, lanes))

    row = reporting.row()

    assert row["condition"] == "rows_lost"
    assert row["sentence"] == (
        "85 rows (8.5 %) lost in 15 minutes. Lane 7 of cars has 84 of the 85 dropped rows of this run."
    )
    assert row["lost_of_day"] == 85


def test_a_run_without_reports_for_long_is_not_healthy(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 10}, reporting.now - 40 * MINUTE), at=reporting.now - 34 * MINUTE)

    row = reporting.row()

    assert row["condition"] == "no_rows"
    assert row["sentence"] == "No row has arrived for 34 min, since 11:26. Check the source."


def test_rows_that_arrive_while_the_cti_does_not_move_are_no_output(reporting: Reporting) -> None:
    cti, silent = reporting.now - 34 * MINUTE, reporting.now - 33 * MINUTE
    lanes = [
        lane("2", received=5, dropped=0, cti=reporting.now - SECOND),
        lane("3", received=5, dropped=0, cti=cti, last_arrival=silent),
    ]
    reporting.report(input_counts({"on_time": 10}, cti, lanes), at=reporting.now - 20 * MINUTE)
    reporting.report(input_counts({"on_time": 900}, cti, lanes))

    row = reporting.row()

    assert row["condition"] == "no_output"
    assert row["sentence"] == (
        "Waits for lane 3 of cars. Its last row came 33 min ago, at 11:27. The CTI of 'cars' is at 11:26 UTC."
    )
    assert row["lag_s"] == 34 * 60


def test_an_input_without_a_clock_is_explained_in_the_words_of_the_simulator(reporting: Reporting) -> None:
    no_clock = {"node": "per_plate", "inputs": ["cars"], "certain": True, "message": "", "remedy": ""}
    reporting.state(without_clock=[no_clock])
    reporting.report(input_counts({"on_time": 10}, None), at=reporting.now - 20 * MINUTE)
    reporting.report(input_counts({"on_time": 900}, None))

    row = reporting.row()

    assert row["condition"] == "no_output"
    assert row["sentence"] == "Nothing brings CTIs on 'cars', so its time never moves before it ends."
    assert row["lag_s"] is None


def test_the_figures_of_a_run_without_a_runner_are_unknown(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 10}, reporting.now - SECOND))
    reporting.scene.silence()

    home = reporting.home()
    [row] = home["rows"]

    assert (row["condition"], row["observed"], row["lag_s"], row["rate"]) == ("unknown", "lost", None, None)
    assert row["sentence"].startswith("Unknown since 12:00:00 UTC")
    assert (home["tiles"]["unknown_lags"], home["tiles"]["unknown_rates"]) == (1, 1)


def test_a_failed_run_says_why(reporting: Reporting) -> None:
    reporting.state(
        observed="failed", message="axle_kg is a text.", changed_at=reporting.scene.clock() - timedelta(minutes=11)
    )

    row = reporting.row()

    assert (row["condition"], row["sentence"]) == ("failed", "Failed at 11:49: axle_kg is a text.")


def test_a_run_that_should_run_and_does_not_needs_attention_after_two_minutes(reporting: Reporting) -> None:
    reporting.state(observed="requested", changed_at=reporting.scene.clock() - timedelta(seconds=119))
    assert reporting.row()["condition"] == "starting"
    reporting.state(changed_at=reporting.scene.clock() - timedelta(seconds=120))
    assert reporting.row()["sentence"] == "Should run, and has not run since 11:58."
    assert reporting.row()["condition"] == "not_running"


def test_a_stopped_delivery_names_its_waiting_rows(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 10}, reporting.now - SECOND))
    reporting.delivers("stopped", waiting=18_204, message="The disk of city_dw is full.")

    row = reporting.row()

    assert row["condition"] == "delivery_stopped"
    assert row["sentence"] == (
        "The delivery of out stopped at 11:34. 18,204 rows waiting. The disk of city_dw is full."
    )
    assert row["deliveries"] == {"total": 1, "flowing": 0, "unknown": 0, "waiting_rows": 18_204}


def test_a_delivery_that_no_runner_has_reported_is_unknown(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 10}, reporting.now - SECOND))
    with organisation_context(reporting.scene.person.organisation.pk):
        Binding.objects.update(outputs=[{"identity": "one", "node": "out", "revision": 1}])

    assert reporting.row()["deliveries"] == {"total": 1, "flowing": 0, "unknown": 1, "waiting_rows": 0}


@pytest.mark.parametrize(
    ("outcomes", "condition", "sentence"),
    [
        (
            {"on_time": 100, "dropped_early": 3},
            "clock_ahead",
            "3 rows from the future dropped in 15 minutes: a sender's clock is ahead.",
        ),
        (
            {"on_time": 380, "adjusted": 15, "shifted": 5},
            "often_adjusted",
            "5 % of the rows in 15 minutes had their start moved.",
        ),
        ({"on_time": 9_991, "dropped_late": 9}, "healthy", ""),
        ({"on_time": 19_990, "dropped_late": 10}, "healthy", ""),
    ],
)
def test_smaller_troubles(reporting: Reporting, outcomes: dict[str, int], condition: str, sentence: str) -> None:
    reporting.report(input_counts(outcomes, reporting.now - SECOND))
    row = reporting.row()
    assert (row["condition"], row["sentence"]) == (condition, sentence)


def test_a_firing_rule_is_an_incident_with_the_person_who_took_it(reporting: Reporting) -> None:
    person, binding = reporting.scene.person, reporting.scene.binding["id"]
    reporting.report(input_counts({"on_time": 10}, reporting.now - SECOND))
    with organisation_context(person.organisation.pk):
        firing(binding, "It failed.").save()
    [incident] = reporting.home()["incidents"]
    assert incident == {
        "incident": None,
        "binding": binding,
        "name": "watch",
        "run": reporting.scene.run_id,
        "title": "Failed: Punctual",
        "paging": True,
        "since": TICK,
        "firing": 1,
        "taken_by": None,
    }
    with organisation_context(person.organisation.pk):
        Acknowledgement(
            rule="failed_internal", binding_id=binding, fired_at=TICK, at=reporting.scene.clock(), by_label="bob"
        ).save()

    home = reporting.home()

    assert home["incidents"][0]["taken_by"] == "bob"
    assert (home["rows"][0]["condition"], home["rows"][0]["sentence"]) == ("failed", "It failed.")
    assert home["tiles"]["alerts"] == {"firing": 1, "pending": 0, "unknown": 0}


def test_a_stopped_run_is_not_live(reporting: Reporting) -> None:
    reporting.state(observed="stopped", ended_at=reporting.scene.clock())
    home = reporting.home()
    assert (home["total"], home["rows"], home["idle"]) == (0, [], {"never": 0, "stopped": 1, "completed": 0})


def test_a_delivery_that_fails_after_its_run_has_ended_needs_attention(reporting: Reporting) -> None:
    reporting.state(observed="completed", ended_at=reporting.scene.clock())
    reporting.delivers("retrying", waiting=3, message="The table lacks total.")
    home = reporting.home()
    [row] = home["rows"]
    assert (row["condition"], row["lag_s"]) == ("delivery_failing", None)
    assert row["sentence"] == "The delivery of out has failed since 11:34. 3 rows waiting. The table lacks total."
    with organisation_context(reporting.scene.person.organisation.pk):
        Binding.objects.update(outputs=[{"identity": "one", "node": "out", "revision": 2}])
    assert reporting.home()["idle"] == {"never": 0, "stopped": 0, "completed": 1}  # the report is about old settings


def test_others_see_none_of_it(reporting: Reporting, charlie: Person) -> None:
    reporting.report(input_counts({"on_time": 10}, reporting.now - SECOND))
    assert charlie.get("home/").json()["total"] == 0


def _live(person: Person, count: int, clock: Any) -> None:
    """Give acme `count` running queries, the even ones with the tag `even`, each with its own counts."""
    fill(person.organisation, count, people=False)
    with organisation_context(person.organisation.pk):
        for number, run in enumerate(Run.objects.select_related("binding__query_version__query").order_by("pk")):
            cti = clock.ticks - (number + 1) * SECOND
            outcomes = {"on_time": 1_000 + number, "reordered": number, "dropped_late": number % 7}
            counts = input_counts({name: n for name, n in outcomes.items() if n}, cti).model_dump(mode="json")
            Run.objects.filter(pk=run.pk).update(
                observed="running",
                desired="running",
                ended_at=None,
                created_at=clock(),
                changed_at=clock(),
                progress={"at": clock.ticks, "of_run": True, "inputs": {"cars": counts}},
            )
            query = run.binding.query_version.query
            query.tags = ["even"] if number % 2 == 0 else ["odd", "rest"]
            query.save(update_fields=["tags"])


def test_tiles_are_the_sums_of_the_rows(
    alice: Person, redis_connection: Any, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timezone, "now", clock)
    _live(alice, 40, clock)
    home = alice.get("home/").json()
    rows, tiles = home["rows"], home["tiles"]
    assert (home["total"], home["listed"], len(rows)) == (40, 40, 40)
    assert sum(tiles["conditions"].values()) == 40
    for condition in Condition:
        assert tiles["conditions"].get(condition, 0) == sum(row["condition"] == condition for row in rows)
    assert tiles["received_of_day"] == sum(row["received_of_day"] for row in rows) > 40_000
    assert tiles["lost_of_day"] == sum(row["lost_of_day"] for row in rows) > 0
    for row in rows:
        assert sum(row["recent"].values()) == row["received_of_day"]


def test_tags_owner_and_name_filter_rows_and_tiles(
    alice: Person, bob: Person, redis_connection: Any, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timezone, "now", clock)
    _live(alice, 10, clock)
    first = alice.get("home/?order=name").json()["rows"][0]
    labels = {"tags": ["tolling", "even"], "owner": "BOB@acme.example"}
    labelled = alice.put(f"queries/{first['query']}/labels/", labels)
    assert labelled.json() == {"tags": ["even", "tolling"], "owner": "bob@acme.example"}

    every = alice.get("home/").json()
    mine = alice.get("home/?owner=bob@acme.example").json()
    odd = alice.get("home/?tag=odd").json()

    assert {each["label"]: each["count"] for each in every["tags"]}["tolling"] == 1
    assert every["owners"] == [{"label": "bob@acme.example", "count": 1}]
    assert [row["binding"] for row in mine["rows"]] == [first["binding"]]
    assert mine["tiles"]["received_of_day"] == first["received_of_day"]
    assert (odd["listed"], odd["total"]) == (sum("odd" in row["tags"] for row in every["rows"]), 10)
    assert [row["name"] for row in alice.get("home/?name=WATCH_003").json()["rows"]] == ["watch_003"]


def test_labels_name_a_member_and_few_tags(alice: Person, charlie: Person, speeding: dict[str, Any]) -> None:
    path = f"queries/{speeding['id']}/labels/"
    stranger = alice.put(path, {"tags": [], "owner": "charlie@zeta.example"})
    assert stranger.status_code == 422
    assert stranger.json()["faults"][0]["message"] == "charlie@zeta.example isn't a member of this organisation."
    assert alice.put(path, {"tags": ["a,b"], "owner": None}).status_code == 422
    assert alice.put(path, {"tags": [str(n) for n in range(11)], "owner": None}).status_code == 422
    assert alice.put(path, {"tags": ["b", "a", "b"], "owner": None}).json() == {"tags": ["a", "b"], "owner": None}
    assert alice.get(f"queries/{speeding['id']}/").json()["tags"] == ["a", "b"]
    assert len(alice.get(f"queries/{speeding['id']}/versions/").json()) == 1


def test_a_thousand_queries_cost_no_more_database_queries_and_less_than_50_kb(
    alice: Person, redis_connection: Any, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timezone, "now", clock)
    _live(alice, 1_000, clock)
    alice.get("home/")
    with CaptureQueriesContext(connection) as captured:
        answered = alice.get("home/")
    assert len(captured) <= MOST_QUERIES
    home = answered.json()
    assert (home["total"], len(home["rows"])) == (1_000, PAGE)
    assert len(answered.content) <= MOST_BYTES
    seen = [row["binding"] for row in home["rows"]]
    more = alice.get(f"home/?skip={PAGE}").json()["rows"]
    assert len(set(seen) | {row["binding"] for row in more}) == 2 * PAGE
    assert UUID(seen[0])
