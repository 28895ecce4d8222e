"""Scenarios of queries: kept, run on versions and drafts, written and read as transcripts, counted."""

from pathlib import Path
from typing import Any

import pytest

from streaming.transcripts.judge import judge
from streaming.transcripts.load import load
from tests.webapp.conftest import POINTS, Person, file_adapter, join
from tests.webapp.queries.test_texts import TIMED, saved
from tests.webapp.queries.test_versions import send
from webapp.accounts.limits.quotas import set_limit
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import Role
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context
from webapp.queries.models import QueryVersion
from webapp.scenarios.models import Scenario, ScenarioVerdict
from webapp.scenarios.tasks import run_scenarios

ROWS: list[dict[str, Any]] = [
    {"stream": "cars", "start": 1_000_000, "payload": {"plate": "A", "speed": 130.0}},
    {"stream": "cars", "start": 2_000_000, "payload": {"plate": "B", "speed": 100.0}},
]
FAST = {"start": 1_000_000, "payload": {"plate": "A", "speed": 130.0}}
"""Only the first is faster than 120."""


def body(name: str = "one fast car", events: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    expected = [FAST] if events is None else events
    return {"name": name, "sample": {"rows": ROWS, "end": "flush"}, "advance": {}, "expect": {"events": expected}}


@pytest.fixture
def query(alice: Person, cars: dict[str, Any]) -> dict[str, Any]:
    return saved(alice, TIMED)


@pytest.fixture
def scenario(alice: Person, query: dict[str, Any]) -> dict[str, Any]:
    answered = alice.post(f"queries/{query['id']}/scenarios/", body())
    assert answered.status_code == 201, answered.content
    made: dict[str, Any] = answered.json()
    return made


def listed(person: Person, query: dict[str, Any]) -> Any:
    return person.get(f"queries/{query['id']}/scenarios/").json()


def run(person: Person, query: dict[str, Any], **asked: str) -> Any:
    return person.post(f"queries/{query['id']}/scenarios/run/", asked)


def test_a_scenario_is_kept_as_it_was_sent(alice: Person, query: dict[str, Any], scenario: dict[str, Any]) -> None:
    assert scenario == {**body(), "id": scenario["id"], "query": query["id"]}
    assert alice.get(f"queries/{query['id']}/scenarios/{scenario['id']}/").json() == scenario
    [summary] = listed(alice, query)
    assert (summary["name"], summary["rows"], summary["expected"]) == ("one fast car", 2, 1)
    assert (summary["verdict"], summary["author"]) == (None, "alice@acme.example")


def test_it_holds_on_the_version_and_differs_on_a_draft(
    alice: Person, bob: Person, query: dict[str, Any], scenario: dict[str, Any]
) -> None:
    [green] = run(bob, query, version=query["current"]["id"]).json()
    assert (green["findings"]["holds"], green["version"]) == (True, 1)
    assert listed(bob, query)[0]["verdict"] == green
    [red] = run(alice, query, text=TIMED.replace("> 120", "> 90")).json()
    assert (red["findings"]["holds"], red["version"], red["findings"]["missing"]) == (False, None, [])
    assert [row["payload"]["plate"] for row in red["findings"]["unexpected"]] == ["B"]
    assert listed(bob, query)[0]["verdict"] == green  # a draft keeps no verdict


def test_each_new_version_is_run_and_has_its_own_verdict(
    alice: Person,
    query: dict[str, Any],
    scenario: dict[str, Any],
    django_capture_on_commit_callbacks: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_scenarios, "apply_async", lambda kwargs, expires: run_scenarios(**kwargs))
    with django_capture_on_commit_callbacks(execute=True):
        second = send(alice, query, TIMED.replace("> 120", "> 90")).json()
    assert [each["findings"]["holds"] for each in [listed(alice, query)[0]["verdict"]]] == [False]
    run(alice, query, version=query["current"]["id"])
    assert alice.get(f"queries/{query['id']}/verdicts/").json() == [
        {"version": second["number"], "green": 0, "red": 1, "unknown": 0},
        {"version": 1, "green": 1, "red": 0, "unknown": 0},
    ]


def test_a_verdict_counts_no_more_when_scenario_or_stream_changed(
    alice: Person, cars: dict[str, Any], query: dict[str, Any], scenario: dict[str, Any]
) -> None:
    address = f"queries/{query['id']}/scenarios/{scenario['id']}/"
    run(alice, query, version=query["current"]["id"])
    assert alice.put(address, body("renamed")).status_code == 200
    assert listed(alice, query)[0]["verdict"]["findings"]["holds"]  # the name says nothing
    assert alice.put(address, body(events=[])).status_code == 200
    assert listed(alice, query)[0]["verdict"] is None
    alice.put(address, body())
    assert listed(alice, query)[0]["verdict"]["findings"]["holds"]
    definition = {**POINTS, "fields": {**POINTS["fields"], "colour": "string"}}
    changed = {"name": "cars", "definition": definition, "adapter": file_adapter("files/cars.jsonl")}
    assert alice.put(f"streams/{cars['id']}/", changed).status_code == 200
    assert listed(alice, query)[0]["verdict"] is None
    assert alice.get(f"queries/{query['id']}/verdicts/").json()[0]["unknown"] == 1


def test_what_comes_out_is_asked_for_and_kept(alice: Person, query: dict[str, Any]) -> None:
    asked = {"text": TIMED, "sample": {"rows": ROWS}}
    found = alice.post(f"queries/{query['id']}/scenarios/observe/", asked).json()
    assert found["events"] == [FAST]
    kept = alice.post(f"queries/{query['id']}/scenarios/", {**body(), "expect": found})
    assert kept.status_code == 201
    assert run(alice, query, version=query["current"]["id"]).json()[0]["findings"]["holds"]


def test_a_sample_that_cannot_be_run_is_refused_with_the_reason(alice: Person, query: dict[str, Any]) -> None:
    asked = {"text": TIMED, "sample": {"rows": [{"stream": "trucks", "start": 1}]}}
    refused = alice.post(f"queries/{query['id']}/scenarios/observe/", asked)
    assert (refused.status_code, "trucks" in refused.json()["faults"][0]["message"]) == (422, True)


def test_a_download_is_self_contained_and_comes_back_unchanged(
    alice: Person, query: dict[str, Any], scenario: dict[str, Any], tmp_path: Path
) -> None:
    answered = alice.get(f"queries/{query['id']}/scenarios/{scenario['id']}/transcript/")
    assert answered["Content-Disposition"] == 'attachment; filename="speeding_one_fast_car.yaml"'
    file = tmp_path / "one.yaml"
    file.write_bytes(answered.content)
    for executor in ("reference", "engine"):
        assert [each.differs for each in judge(load([file]), executor, "all")] == [""]  # type: ignore[arg-type]
    answer = alice.post("transcripts/run/", {"name": "one.yaml", "text": answered.content.decode()}).json()
    assert [each["passed"] for each in answer["results"]] == [True]
    read = alice.post(f"queries/{query['id']}/scenarios/read/", {"transcript": answered.content.decode()}).json()
    assert read == {"scenario": body(), "notes": []}


def test_the_ignored_parts_of_a_transcript_are_listed(
    alice: Person, query: dict[str, Any], scenario: dict[str, Any]
) -> None:
    text = alice.get(f"queries/{query['id']}/scenarios/{scenario['id']}/transcript/").content.decode()
    other = text.replace("> 120", "> 90").replace("speed: double", "speed: double\n      colour: string")
    notes = alice.post(f"queries/{query['id']}/scenarios/read/", {"transcript": other}).json()["notes"]
    assert notes == [
        "Its query is another one: filter out_where: where speed > 120 -> speed > 90.",
        "Its stream cars has another definition than yours; the scenario uses yours.",
    ]


@pytest.mark.parametrize("text", ["", "a: [", "name: x", "name: x\n---\nname: y\n", "!!python/object:os.system {}"])
def test_what_is_no_transcript_is_refused(alice: Person, query: dict[str, Any], text: str) -> None:
    refused = alice.post(f"queries/{query['id']}/scenarios/read/", {"transcript": text})
    assert (refused.status_code, refused.json()["faults"][0]["code"]) == (422, "bad_file")


def test_names_are_unique_in_a_query(alice: Person, query: dict[str, Any], scenario: dict[str, Any]) -> None:
    assert alice.post(f"queries/{query['id']}/scenarios/", body()).status_code == 409
    assert alice.post(f"queries/{query['id']}/scenarios/", body("another")).status_code == 201


def test_scenarios_are_counted_and_their_size(alice: Person, query: dict[str, Any], scenario: dict[str, Any]) -> None:
    with organisation_context(alice.organisation.pk):
        set_limit("scenarios", 1)
    refused = alice.post(f"queries/{query['id']}/scenarios/", body("another"))
    assert (refused.status_code, refused.json()["code"]) == (409, "over_quota")
    with organisation_context(alice.organisation.pk):
        set_limit("scenarios", 2)
        set_limit("scenario_bytes", Scenario.objects.get().size)
    assert alice.post(f"queries/{query['id']}/scenarios/", body("b")).status_code == 409
    address = f"queries/{query['id']}/scenarios/{scenario['id']}/"
    assert alice.put(address, body("another car!")).status_code == 200  # as long as it was
    assert alice.put(address, body("another car, longer")).status_code == 409


def test_what_was_done_is_in_the_audit_log(alice: Person, query: dict[str, Any], scenario: dict[str, Any]) -> None:
    address = f"queries/{query['id']}/scenarios/{scenario['id']}/"
    alice.put(address, body("renamed"))
    assert alice.client.delete(alice.url(address)).status_code == 204
    with organisation_context(alice.organisation.pk):
        events = list(AuditEvent.objects.filter(area="scenario").order_by("at"))
    assert [each.action for each in events] == ["scenario.created", "scenario.replaced", "scenario.deleted"]
    assert events[1].after == {"name": "renamed"}
    assert listed(alice, query) == []


def test_a_query_takes_its_scenarios_and_verdicts_along(
    alice: Person, query: dict[str, Any], scenario: dict[str, Any]
) -> None:
    run(alice, query, version=query["current"]["id"])
    assert alice.client.delete(alice.url(f"queries/{query['id']}/")).status_code == 204
    with organisation_context(alice.organisation.pk):
        assert not Scenario.objects.exists()
        assert not ScenarioVerdict.objects.exists()


def test_others_find_nothing(alice: Person, charlie: Person, query: dict[str, Any], scenario: dict[str, Any]) -> None:
    own = f"queries/{query['id']}/scenarios/"
    for path in (
        own,
        f"{own}{scenario['id']}/",
        f"{own}{scenario['id']}/transcript/",
        f"queries/{query['id']}/verdicts/",
    ):
        assert charlie.get(path).status_code == 404
    assert charlie.post(own, body()).status_code == 404
    assert run(charlie, query, version=query["current"]["id"]).status_code == 404
    other = alice.post("queries/", {"text": TIMED.replace("speeding", "other")}).json()
    assert alice.get(f"queries/{other['id']}/scenarios/{scenario['id']}/").status_code == 404
    assert run(alice, other, version=query["current"]["id"]).status_code == 404


def test_viewers_and_operators_run_and_do_not_write(
    acme: Organisation, bob: Person, query: dict[str, Any], scenario: dict[str, Any]
) -> None:
    for person in (bob, join("olga@acme.example", acme, Role.OPERATOR)):
        assert run(person, query, version=query["current"]["id"]).status_code == 200
        assert person.post(f"queries/{query['id']}/scenarios/", body("b")).status_code == 403
        assert person.put(f"queries/{query['id']}/scenarios/{scenario['id']}/", body("b")).status_code == 403


def test_the_task_runs_on_that_very_version(alice: Person, query: dict[str, Any], scenario: dict[str, Any]) -> None:
    first = query["current"]["id"]
    send(alice, query, TIMED.replace("> 120", "> 90"))
    run_scenarios(organisation=str(alice.organisation.pk), version=first)
    with organisation_context(alice.organisation.pk):
        [verdict] = ScenarioVerdict.objects.all()
        assert (verdict.version, verdict.holds) == (QueryVersion.objects.get(pk=first), True)


def test_a_renamed_stream_takes_the_rows_of_scenarios_with_it_and_their_verdicts_stay_green(
    alice: Person, cars: dict[str, Any], query: dict[str, Any]
) -> None:
    kept = body() | {"advance": {"cars": {"generate": {"every": 1, "delay": "1s"}, "late": "drop"}}}
    address = f"queries/{query['id']}/scenarios/"
    observed = alice.post(f"{address}observe/", {"text": TIMED, "sample": kept["sample"], "advance": kept["advance"]})
    assert observed.status_code == 200, observed.json()
    scenario = alice.post(address, kept | {"expect": observed.json()}).json()
    [green] = run(alice, query, version=query["current"]["id"]).json()
    assert green["findings"]["holds"], green

    fields = {name: cars[name] for name in ("definition", "adapter")}
    renamed = alice.put(f"streams/{cars['id']}/", {**fields, "name": "vehicles", "upon": cars["revision"]})
    assert renamed.status_code == 200, renamed.json()

    stored = alice.get(f"{address}{scenario['id']}/").json()
    assert {row["stream"] for row in stored["sample"]["rows"]} == {"vehicles"}
    assert stored["expect"] == scenario["expect"]
    newest = alice.get(f"queries/{query['id']}/").json()["current"]
    assert newest["number"] == 2
    [still] = run(alice, query, version=newest["id"]).json()
    assert still["findings"]["holds"], still
