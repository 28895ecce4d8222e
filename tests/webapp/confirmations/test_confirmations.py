"""Plans are confirmed by people and carried out once, in the state that they were made against."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.webapp.bundles.bundle import FILES
from tests.webapp.confirmations.programs import Program, confirmed, decide, program_of
from tests.webapp.conftest import Person, graph
from webapp.accounts.models import Organisation
from webapp.audit.models import AuditEvent
from webapp.confirmations import services
from webapp.confirmations.models import Confirmation
from webapp.core.context import organisation_context
from webapp.runs.starts import services as starts

LORRIES = {"streams/lorries.yaml": FILES["streams/cars.yaml"]}


@pytest.fixture
def program(alice: Person) -> Program:
    return program_of(alice)


def runs(person: Person) -> list[tuple[str, str]]:
    return [(each["binding_name"], each["desired"]) for each in person.get("runs/").json()]


def change(organisation: Organisation, **fields: Any) -> None:
    with organisation_context(organisation.pk):
        Confirmation.objects.update(**fields)


def refused(answered: Any, words: str, code: str = "conflict") -> None:
    body = answered.json()
    assert (answered.status_code, body["code"], words in body["message"]) == (409, code, True), body


def test_a_start_is_planned_confirmed_and_carried_out_once(
    alice: Person, program: Program, binding: dict[str, Any]
) -> None:
    asked = program.plan(kind="start", binding=binding["id"])
    shown = alice.get(f"confirmations/{asked}/").json()
    assert (shown["title"], shown["status"], shown["permission"]) == ("Start watch", "pending", "operate")
    assert shown["sentences"] == [
        "It runs version 1 of speeding.",
        "This is its first start: it reads its inputs from the beginning.",
    ]
    assert (shown["requested_by"], shown["token"]) == ("alice@acme.example", program.token[: len(shown["token"])])
    refused(program.carry_out(asked), "Nobody has confirmed this plan yet", "not_confirmed")
    assert runs(alice) == []
    assert decide(alice, asked).json()["status"] == "confirmed"
    done = program.carry_out(asked)
    assert (done.status_code, done.json()["status"]) == (200, "carried_out")
    assert runs(alice) == [("watch", "running")]
    refused(program.carry_out(asked), "This plan is carried out already")
    refused(decide(alice, asked), "nothing can be decided")
    assert [each["status"] for each in alice.get("confirmations/").json()] == ["carried_out"]


def test_a_refused_plan_is_never_carried_out(alice: Person, program: Program, binding: dict[str, Any]) -> None:
    asked = program.plan(kind="start", binding=binding["id"])
    assert decide(alice, asked, confirm=False).json()["status"] == "refused"
    refused(decide(alice, asked), "This plan is refused")
    refused(program.carry_out(asked), "This plan is refused. Plan again")
    assert runs(alice) == []


def test_a_plan_expires_before_and_after_its_confirmation(
    alice: Person, acme: Organisation, program: Program, binding: dict[str, Any]
) -> None:
    late = timezone.now() - timedelta(seconds=1)
    asked = program.plan(kind="start", binding=binding["id"])
    change(acme, expires_at=late)
    refused(decide(alice, asked), "This plan is expired")
    refused(program.carry_out(asked), "This plan is expired")
    another = confirmed(alice, program.plan(kind="start", binding=binding["id"]))
    change(acme, expires_at=late)
    refused(program.carry_out(another), "This plan is expired")
    assert {each["status"] for each in alice.get("confirmations/").json()} == {"expired"}
    assert runs(alice) == []


def test_a_confirmation_leaves_fifteen_minutes(alice: Person, program: Program, binding: dict[str, Any]) -> None:
    asked = confirmed(alice, program.plan(kind="start", binding=binding["id"]))
    with organisation_context(alice.organisation.pk):
        found = Confirmation.objects.get(pk=asked)
    assert found.decided_at is not None
    assert found.expires_at - found.decided_at == services.CARRY_OUT_WITHIN


def another_version(alice: Person, binding: dict[str, Any]) -> None:
    body = {"graph": graph(where="speed > 140"), "comment": "faster"}
    made = alice.post(f"queries/{binding['query']}/versions/", body).json()
    changed = alice.put(f"bindings/{binding['id']}/", {"name": "watch", "query_version": made["id"]})
    assert changed.status_code == 200, changed.content


def another_stream(alice: Person, binding: dict[str, Any]) -> None:
    stream = alice.get("streams/").json()[0]
    whole = alice.get(f"streams/{stream['id']}/").json()
    definition = {**whole["definition"], "fields": {**whole["definition"]["fields"], "road": "string"}}
    changed = alice.put(
        f"streams/{stream['id']}/", {**{n: whole[n] for n in ("name", "adapter")}, "definition": definition}
    )
    assert changed.status_code == 200, changed.content


def renamed(alice: Person, binding: dict[str, Any]) -> None:
    changed = alice.put(f"bindings/{binding['id']}/", {"name": "look", "query_version": binding["query_version"]})
    assert changed.status_code == 200, changed.content


@pytest.mark.parametrize("happens", [another_version, another_stream, renamed])
def test_a_start_from_another_state_is_refused(
    alice: Person, program: Program, binding: dict[str, Any], happens: Callable[[Person, dict[str, Any]], None]
) -> None:
    asked = confirmed(alice, program.plan(kind="start", binding=binding["id"]))
    happens(alice, binding)
    refused(program.carry_out(asked), "The state has changed since this plan was made")
    assert runs(alice) == []


def test_a_start_that_somebody_else_made_is_refused(alice: Person, program: Program, binding: dict[str, Any]) -> None:
    asked = confirmed(alice, program.plan(kind="start", binding=binding["id"]))
    assert alice.post(f"bindings/{binding['id']}/start/").status_code == 201
    refused(program.carry_out(asked), "has a run that has not ended")
    assert len(runs(alice)) == 1


def test_a_change_while_the_start_is_checked_undoes_it(
    alice: Person, program: Program, binding: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = confirmed(alice, program.plan(kind="start", binding=binding["id"]))
    measured = starts.measure

    def meanwhile(of: Any) -> None:
        measured(of)
        with organisation_context(alice.organisation.pk):
            Confirmation.objects.filter(pk=asked).update(status="refused")

    monkeypatch.setattr("webapp.runs.starts.services.measure", meanwhile)
    refused(program.carry_out(asked), "This plan is refused")
    assert runs(alice) == []


def test_a_stop_belongs_to_its_run(alice: Person, program: Program, binding: dict[str, Any], run_ended: Any) -> None:
    refused(program.post("confirmations/", {"kind": "stop", "binding": binding["id"]}), "nothing to stop")
    alice.post(f"bindings/{binding['id']}/start/")
    first = confirmed(alice, program.plan(kind="stop", binding=binding["id"]))
    run_ended()
    alice.post(f"bindings/{binding['id']}/start/")
    refused(program.carry_out(first), "The state has changed")
    asked = program.plan(kind="stop", binding=binding["id"], how="discard")
    shown = alice.get(f"confirmations/{asked}/").json()
    assert shown["sentences"][1].startswith("Its state is discarded")
    assert program.carry_out(confirmed(alice, asked)).status_code == 200
    assert runs(alice)[0] == ("watch", "stopped")
    refused(program.post("confirmations/", {"kind": "stop", "binding": binding["id"]}), "nothing to stop")


@pytest.fixture
def run_ended(acme: Organisation) -> Callable[[], None]:
    from webapp.runs.models import Run

    def end() -> None:
        with organisation_context(acme.pk):
            Run.objects.update(ended_at=timezone.now(), desired="stopped", observed="stopped")

    return end


def test_a_bundle_is_applied_with_the_files_that_were_confirmed(alice: Person, program: Program, cars: Any) -> None:
    asked = program.plan(kind="apply", files=LORRIES)
    shown = alice.get(f"confirmations/{asked}/").json()
    assert (shown["title"], shown["sentences"]) == ("Apply 1 change of definitions", ["1 stream is created."])
    [changed] = shown["changes"]
    assert (changed["kind"], changed["name"], changed["action"]) == ("stream", "lorries", "create")
    assert "+  kind: file" in changed["diff"]
    confirmed(alice, asked)
    others = {"streams/lorries.yaml": FILES["streams/cars.yaml"].replace("5s", "6s")}
    for files in ({}, others, {**LORRIES, "streams/more.yaml": FILES["streams/cars.yaml"]}):
        refused(program.carry_out(asked, files), "have changed since the plan")
    assert program.carry_out(asked, LORRIES).status_code == 200
    assert [each["name"] for each in alice.get("streams/").json()] == ["cars", "lorries"]
    refused(program.carry_out(asked, LORRIES), "carried out already")


def test_a_bundle_is_refused_after_any_change_of_definitions(
    alice: Person, program: Program, speeding: dict[str, Any]
) -> None:
    asked = confirmed(alice, program.plan(kind="apply", files=LORRIES))
    alice.post(f"queries/{speeding['id']}/versions/", {"graph": graph(where="speed > 140"), "comment": "faster"})
    refused(program.carry_out(asked, LORRIES), "have changed since the plan")
    assert [each["name"] for each in alice.get("streams/").json()] == ["cars"]


def test_invalid_and_empty_bundles_are_not_planned(alice: Person, program: Program, cars: Any) -> None:
    wrong = program.post("confirmations/", {"kind": "apply", "files": {"queries/q.sql": "SELECT"}})
    assert wrong.status_code == 422
    assert wrong.json()["faults"][0]["file"] == "queries/q.sql"
    same = alice.get("definitions/").json()["files"]
    refused(program.post("confirmations/", {"kind": "apply", "files": same}), "nothing to confirm")
    assert alice.get("confirmations/").json() == []


def test_changes_that_nobody_could_read_are_not_planned(
    program: Program, cars: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.confirmations.plans.MOST_EFFECT", 10)
    refused(program.post("confirmations/", {"kind": "apply", "files": LORRIES}), "Plan fewer files at once")


def test_secrets_of_files_are_neither_stored_nor_shown(alice: Person, acme: Organisation, program: Program) -> None:
    text = (
        "shape: point\nfields:\n  a: long\nadapter:\n  kind: postgresql\n  options:\n    host: db.example\n"
        "    database: d\n    user: u\n    password: hush-hush-77\n    table: t\n    cursor: a\n"
    )
    answered = program.post("confirmations/", {"kind": "apply", "files": {"streams/s.yaml": text}})
    assert answered.status_code == 201, answered.content
    assert "hush-hush-77" not in answered.content.decode()
    with organisation_context(acme.pk):
        assert "hush-hush-77" not in str(list(Confirmation.objects.values()))
        assert "hush-hush-77" not in str(list(AuditEvent.objects.values()))


def test_open_plans_of_a_person_and_kept_plans_are_limited(
    alice: Person, acme: Organisation, program: Program, binding: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MOST_OPEN", 2)
    monkeypatch.setattr(services, "KEPT", 3)
    wish = {"kind": "start", "binding": binding["id"]}
    first = program.plan(**wish)
    program.plan(**wish)
    refused(program.post("confirmations/", wish), "2 of your plans are open")
    for _ in range(4):
        change(acme, status="refused")
        program.plan(**wish)
    assert len(alice.get("confirmations/").json()) == 3
    assert alice.get(f"confirmations/{first}/").status_code == 404


def test_the_audit_log_has_request_confirmation_and_execution(
    alice: Person, acme: Organisation, program: Program, binding: dict[str, Any]
) -> None:
    asked = confirmed(alice, program.plan(kind="start", binding=binding["id"]))
    program.carry_out(asked)
    with organisation_context(acme.pk):
        events = AuditEvent.objects.filter(target_kind="confirmation").order_by("at")
        found = [(each.action, each.actor_kind, each.target_label) for each in events]
    assert found == [
        ("confirmation.requested", "token", "Start watch"),
        ("confirmation.confirmed", "person", "Start watch"),
        ("confirmation.carried_out", "token", "Start watch"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "delete", "binding": "00000000-0000-0000-0000-000000000000"},
        {"kind": "start"},
        {"kind": "start", "binding": "00000000-0000-0000-0000-000000000000", "begin": "now"},
        {"kind": "stop", "binding": "00000000-0000-0000-0000-000000000000", "how": "both"},
        {},
    ],
)
def test_other_plans_are_refused_with_the_reason(program: Program, body: dict[str, Any]) -> None:
    answered = program.post("confirmations/", body)
    assert (answered.status_code, bool(answered.json()["faults"])) == (422, True)
