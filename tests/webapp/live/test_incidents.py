"""The page of an incident: figures equal to those of the query, a timeline of stored events, and an export."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from tests.webapp.conftest import Person
from tests.webapp.live.reporting import MINUTE, SECOND, Reporting, input_counts, lane
from tests.webapp.scene import Scene
from webapp.alerts.models import Incident, Transition
from webapp.core.context import organisation_context
from webapp.live.incidents import timeline as timelines
from webapp.runs.lifecycle.journal import RunEventKind, note
from webapp.runs.models import Run


@pytest.fixture
def losing(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Reporting:
    """A run of 40 minutes that reports every minute; from the 30th on it loses 4 of 100 rows, 3 of them in lane 7."""
    monkeypatch.setattr(timezone, "now", scene.clock)
    reporting = Reporting(scene)
    scene.lease()
    start = scene.clock()
    reporting.state(created_at=start, changed_at=start, observed="running", observed_at=1)
    begin, lost = reporting.now, 0
    for minute in range(40):
        lost += 4 if minute >= 30 else 0
        rows = 100 * (minute + 1)
        outcomes = {"on_time": rows - lost - minute, "adjusted": minute, "dropped_late": lost}
        lanes = [lane("7", received=rows // 2, dropped=lost * 3 // 4), lane("8", received=rows // 2, dropped=lost // 4)]
        scene.clock.pass_by(60)
        reporting.report(input_counts(outcomes, reporting.now, lanes))
    reporting.know(scene.run_id, [(begin, reporting.now + MINUTE)], from_zero=True)
    return reporting


def opened(reporting: Reporting, *, ago_min: int = 5, **more: Any) -> dict[str, Any]:
    """Let a rule have opened an incident some minutes ago."""
    at = reporting.now - ago_min * MINUTE
    values = {"title": "Rows lost", "rule": "rows_lost", "level": "page", "begin": at, "opened_at": at, **more}
    with organisation_context(reporting.scene.person.organisation.pk):
        made = Incident(number=31, binding_id=reporting.scene.binding["id"], **values)
        made.save()
    return page(reporting.scene.person, str(made.pk))


def page(person: Person, incident: str) -> dict[str, Any]:
    answered = person.get(f"incidents/{incident}/")
    assert answered.status_code == 200, answered.content
    return dict(answered.json())


def dashboard(reporting: Reporting, figures: dict[str, Any]) -> dict[str, Any]:
    """The page of the query in the range of the incident."""
    query = urlencode({"begin": figures["begin"], "end": figures["end"]})
    answered = reporting.scene.person.get(f"home/{reporting.scene.binding['id']}/?{query}")
    assert answered.status_code == 200, answered.content
    return dict(answered.json())


def summed(shown: dict[str, Any]) -> dict[str, int]:
    found: dict[str, int] = {}
    for step in shown["steps"]:
        for name, rows in step["outcomes"].items():
            found[name] = found.get(name, 0) + rows
    return found


@pytest.mark.parametrize("ago_min", [1, 5, 9, 25])
@pytest.mark.parametrize("resolved", [False, True])
def test_the_figures_are_those_of_the_query_in_this_range(losing: Reporting, ago_min: int, resolved: bool) -> None:
    ended = {"resolved_at": losing.now - 30 * SECOND} if resolved else {}
    figures = opened(losing, ago_min=ago_min, **ended)["figures"]
    whole = summed(dashboard(losing, figures))
    assert figures["lost"] == whole["dropped_late"] > 0
    assert figures["received"] == sum(whole.values())
    assert {name: rows for name, rows in figures["outcomes"].items() if rows} == {
        name: rows for name, rows in whole.items() if name != "on_time"
    }
    budget = losing.scene.person.get(f"home/{losing.scene.binding['id']}/budget/").json()
    assert (figures["budget_left"], figures["budget_rows"]) == (budget["left"], budget["rows"])


def test_the_span_begins_with_the_first_lost_row(losing: Reporting) -> None:
    figures = opened(losing)["figures"]
    assert losing.now - 11 * MINUTE < figures["loss_at"] <= losing.now - 9 * MINUTE
    assert (figures["begin"], figures["end"]) == (figures["loss_at"], losing.now + 1)
    assert figures["lost"] == 40
    assert {(each["lane"], each["dropped"]) for each in figures["by_lane"]["lanes"]} == {("7", 30), ("8", 10)}
    assert sum(step["lost"] for step in figures["chart"]["steps"]) == 40
    assert figures["chart"]["begin"] <= figures["begin"] - 30 * MINUTE + MINUTE


def test_a_span_without_reports_is_named(losing: Reporting) -> None:
    now = losing.now
    losing.know(losing.scene.run_id, [(now - 41 * MINUTE, now - 4 * MINUTE)], from_zero=True)
    figures = opened(losing)["figures"]
    [unknown] = figures["unknown"]
    assert (unknown["begin"], unknown["end"]) == (now - 4 * MINUTE, now)
    assert any(step["knowledge"] == "unknown" for step in figures["chart"]["steps"])
    assert "Not known: reports from" in exported(losing, figures)


def exported(reporting: Reporting, _: object) -> str:
    with organisation_context(reporting.scene.person.organisation.pk):
        incident = Incident.objects.get()
    answered = reporting.scene.person.get(f"incidents/{incident.pk}/file/")
    assert answered.status_code == 200
    assert answered["Content-Type"].startswith("text/markdown")
    return str(answered.content.decode())


def test_the_timeline_has_what_was_stored_in_order(losing: Reporting) -> None:
    scene, now = losing.scene, losing.now
    scene.person.post(
        "annotations/", {"binding": scene.binding["id"], "begin": now - 12 * MINUTE, "text": "Firmware 4.2.1"}
    )
    with organisation_context(scene.person.organisation.pk):
        for at, after in ((now - 7 * MINUTE, "pending"), (now - 5 * MINUTE, "firing")):
            values = {"at": at, "before": "ok", "after": after, "level": "page", "value": 1.0, "sentence": "4 % lost."}
            Transition(rule="rows_lost", binding_id=scene.binding["id"], **values).save()
        run = Run.objects.get(pk=scene.run_id)
        note(run, RunEventKind.CHANGED, message="Version 8 reads next to it.", at=scene.clock() - timedelta(minutes=3))
    shown = opened(losing)
    assert scene.person.post(f"incidents/{shown['incident']['id']}/take/").status_code == 200
    losing.repair({"1": "dropped_late", "2": "adjusted"}, scene.clock())
    found = page(scene.person, shown["incident"]["id"])["timeline"]
    assert [(each["mark"], each["kind"]) for each in found if each["kind"] != "run"][:5] == [
        (found[0]["mark"], "note"),
        ("", "loss"),
        *[(each["mark"], "alert") for each in found if each["kind"] == "alert"],
        *[(each["mark"], "version") for each in found if each["kind"] == "version"],
    ]
    assert [each["mark"] for each in found if each["kind"] != "loss"] == list("ABCDEFGHIJ")[: len(found) - 1]
    remarks = {each["kind"]: each["remark"] for each in found}
    assert remarks["alert"] == "opened this incident"
    assert remarks["repair"] == "1 lost row back in results, refunded to the budget"
    assert [each["text"] for each in found if each["kind"] == "action"] == ["Took this incident"]


def test_what_precedes_the_loss_by_less_than_five_minutes_has_its_distance(losing: Reporting) -> None:
    loss = opened(losing)["figures"]["loss_at"]
    for at in (loss - 5 * MINUTE, loss - 28 * SECOND, loss, loss + MINUTE):
        losing.scene.person.post("annotations/", {"begin": at, "text": str(at - loss)})
    with organisation_context(losing.scene.person.organisation.pk):
        incident = Incident.objects.get()
    found = page(losing.scene.person, str(incident.pk))["timeline"]
    distances = {each["text"]: each["before_loss"] for each in found if each["kind"] == "note"}
    assert distances == {
        str(-5 * MINUTE): None,
        str(-28 * SECOND): 28 * SECOND,
        "0": None,
        str(MINUTE): None,
    }
    assert "28 s before the first lost row" in exported(losing, None)
    assert "cause" not in exported(losing, None)


def test_a_long_timeline_says_what_is_left_out(losing: Reporting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timelines, "MOST_ENTRIES", 3)
    for number in range(5):
        losing.scene.person.post("annotations/", {"begin": losing.now - number, "text": f"note {number}"})
    shown = opened(losing)
    assert shown["left_out"]
    notes = [each["text"] for each in shown["timeline"] if each["kind"] == "note"]
    assert notes == ["note 2", "note 1", "note 0"]
    assert "Earlier entries are left out." in exported(losing, None)


def test_letters_continue_after_z() -> None:
    letters = timelines._letters()
    found = [next(letters) for _ in range(28)]
    assert (found[0], found[25:]) == ("A", ["Z", "AA", "AB"])


def test_the_export_escapes_markup_and_conceals_tokens(losing: Reporting) -> None:
    text = "see | <img src=x> [link](http://x) pct_abcdefghijkl_0123456789abcdef"
    losing.scene.person.post("annotations/", {"begin": losing.now, "text": text})
    opened(losing)
    content = exported(losing, None)
    assert "# Incident 31: Rows lost on watch" in content
    assert "| In no result | 40 |" in content
    assert r"see \| \<img src=x\> \[link\](http://x) pct\_abcdefghijkl\_…" in content
    assert "0123456789abcdef" not in content


def test_an_incident_of_the_organisation_has_a_timeline_and_no_figures(scene: Scene) -> None:
    made = scene.person.post("incidents/", {"title": "Disk full"}).json()
    shown = page(scene.person, made["id"])
    assert shown["figures"] is None
    assert [each["text"] for each in shown["timeline"]] == ["Opened this incident"]
    assert scene.person.get(f"incidents/{made['id']}/file/").status_code == 200


def test_the_live_page_leads_to_the_incident(losing: Reporting) -> None:
    shown = opened(losing)
    [listed] = losing.home()["incidents"]
    assert (listed["incident"], listed["title"], listed["firing"]) == (shown["incident"]["id"], "Rows lost", 0)
    losing.scene.person.post(f"incidents/{shown['incident']['id']}/take/")
    [listed] = losing.home()["incidents"]
    assert listed["taken_by"] == losing.scene.person.user.email


def test_incidents_of_others_do_not_exist(losing: Reporting, charlie: Person) -> None:
    shown = opened(losing)
    for path in ("", "file/"):
        assert charlie.get(f"incidents/{shown['incident']['id']}/{path}").status_code == 404
