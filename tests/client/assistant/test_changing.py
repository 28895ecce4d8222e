"""An assistant changes nothing without a plan that a person confirmed, and with one exactly that, once."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.client.assistant.scripted import ScriptedAssistant
from tests.client.conftest import token_of
from tests.webapp.bundles.bundle import FILES
from tests.webapp.confirmations.programs import confirmed, decide, program_of
from tests.webapp.conftest import Person, graph, join
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import Role
from webapp.client import Client
from webapp.client.assistant.session import AssistantSession
from webapp.client.outcomes import CommandFailure
from webapp.confirmations.models import Confirmation
from webapp.core.context import organisation_context

LORRIES = {"streams/lorries.yaml": FILES["streams/cars.yaml"]}


@pytest.fixture(autouse=True)
def _objects(binding: dict[str, Any]) -> None:
    """The stream cars, the query speeding, the binding watch."""


def streams(person: Person) -> list[str]:
    return [each["name"] for each in person.get("streams/").json()]


def runs(person: Person) -> list[str]:
    return [each["desired"] for each in person.get("runs/").json()]


def requested(assistant: ScriptedAssistant, **arguments: Any) -> str:
    return str(assistant.tool("request_confirmation", **arguments)["confirmation"])


def test_a_plan_shows_changes_and_errors_and_stores_nothing(assistant: ScriptedAssistant, alice: Person) -> None:
    found = assistant.tool("plan", files=LORRIES)
    assert (found["valid"], found["summary"]["create"]) == (True, 1)
    assert found["changes"]["rows"][0]["name"] == "lorries"
    wrong = assistant.tool("plan", files={"queries/q.sql": "QUERY q; SELECT"})
    assert wrong["valid"] is False
    assert wrong["faults"]["rows"][0].startswith("queries/q.sql:1:")
    assert streams(alice) == ["cars"]
    assert alice.get("confirmations/").json() == []


def test_files_are_applied_after_a_person_confirmed_them(assistant: ScriptedAssistant, alice: Person) -> None:
    asked = assistant.tool("request_confirmation", kind="apply", files=LORRIES)
    assert asked["page"].endswith(f"/t/acme/confirmations/{asked['confirmation']}")
    assert (asked["status"], asked["effect"]) == ("pending", ["1 stream is created."])
    assert "Nothing changes until a person" in asked["next"]
    words = assistant.refused("carry_out", confirmation=asked["confirmation"])
    assert words == "Nobody has confirmed this plan yet. Ask a person to open its page and to confirm it."
    assert streams(alice) == ["cars"]
    confirmed(alice, asked["confirmation"])
    status = assistant.tool("confirmation_status", confirmation=asked["confirmation"])
    assert (status["status"], status["decided_by"]) == ("confirmed", "alice@acme.example")
    assert assistant.tool("carry_out", confirmation=asked["confirmation"])["status"] == "carried_out"
    assert streams(alice) == ["cars", "lorries"]


def test_a_binding_is_started_and_stopped_with_a_plan_for_each(assistant: ScriptedAssistant, alice: Person) -> None:
    start = confirmed(alice, requested(assistant, kind="start", binding="watch"))
    assistant.tool("carry_out", confirmation=start)
    assert runs(alice) == ["running"]
    stop = confirmed(alice, requested(assistant, kind="stop", binding="watch", how="flush"))
    assistant.tool("carry_out", confirmation=stop)
    assert runs(alice) == ["stopped"]


@pytest.mark.parametrize(
    "plan",
    [{"kind": "apply", "files": LORRIES}, {"kind": "start", "binding": "watch"}],
    ids=["apply", "start"],
)
@pytest.mark.parametrize("case", ["pending", "refused", "expired", "twice", "changed"])
def test_without_a_confirmed_plan_nothing_is_written(
    assistant: ScriptedAssistant, alice: Person, acme: Organisation, plan: dict[str, Any], case: str
) -> None:
    asked = requested(assistant, **plan)
    if case != "pending":
        decide(alice, asked, confirm=case != "refused")
    if case == "twice":
        assistant.tool("carry_out", confirmation=asked)
    if case == "expired":
        with organisation_context(acme.pk):
            Confirmation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    if case == "changed":
        [query] = alice.get("queries/").json()
        body = {"graph": graph(where="speed > 140"), "comment": "faster"}
        version = alice.post(f"queries/{query['id']}/versions/", body).json()["id"]
        [binding] = alice.get("bindings/").json()
        alice.put(f"bindings/{binding['id']}/", {"name": "watch", "query_version": version})
    before = streams(alice), runs(alice)
    words = {
        "pending": "Nobody has confirmed this plan yet.",
        "refused": "This plan is refused.",
        "expired": "This plan is expired.",
        "twice": "This plan is carried out already.",
        "changed": "changed since",
    }[case]
    assert words in assistant.refused(
        "carry_out", confirmation=asked, **({"files": plan["files"]} if "files" in plan else {})
    )
    assert (streams(alice), runs(alice)) == before


def test_plans_of_other_people_and_other_organisations_are_absent(
    assistant: ScriptedAssistant, alice: Person, acme: Organisation, charlie: Person, live_server: Any
) -> None:
    asked = confirmed(alice, requested(assistant, kind="start", binding="watch"))
    dora = join("dora@acme.example", acme, Role.OWNER)
    for other in (dora, charlie):
        with Client(live_server.url, program_of(other).token) as client:
            stranger = ScriptedAssistant(AssistantSession(client))
            assert "There is nothing here" in stranger.refused("carry_out", confirmation=asked)
    assert runs(alice) == []


def test_other_files_than_the_confirmed_ones_are_refused(assistant: ScriptedAssistant, alice: Person) -> None:
    asked = confirmed(alice, requested(assistant, kind="apply", files=LORRIES))
    others = {"streams/vans.yaml": FILES["streams/cars.yaml"]}
    assert "have changed since the plan" in assistant.refused("carry_out", confirmation=asked, files=others)
    assert streams(alice) == ["cars"]


def test_after_a_restart_the_files_are_sent_again(
    assistant: ScriptedAssistant, alice: Person, proposing: dict[str, str]
) -> None:
    asked = confirmed(alice, requested(assistant, kind="apply", files=LORRIES))
    with Client.from_env(proposing) as client:
        again = ScriptedAssistant(AssistantSession(client))
        assert "have changed since the plan" in again.refused("carry_out", confirmation=asked)
        assert again.tool("carry_out", confirmation=asked, files=LORRIES)["status"] == "carried_out"
    assert streams(alice) == ["cars", "lorries"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kind": "apply"}, "To apply, pass files"),
        ({"kind": "start", "binding": "watch", "how": "flush"}, "To start, pass binding"),
        ({"kind": "start", "binding": "look"}, "There is no binding 'look'. There are: watch."),
        ({"kind": "stop", "binding": "watch"}, "there is nothing to stop"),
        ({"kind": "apply", "files": {"queries/q.sql": "SELECT"}}, "2 errors found. Fix the listed errors"),
        ({"kind": "delete", "binding": "watch"}, "'delete' is not one of"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(
    assistant: ScriptedAssistant, alice: Person, arguments: dict[str, Any], words: str
) -> None:
    assert words in assistant.refused("request_confirmation", **arguments)
    assert alice.get("confirmations/").json() == []


@pytest.mark.parametrize(("role", "scopes"), [("viewer", ()), ("owner", ("view",))])
def test_a_token_that_only_reads_proposes_nothing(
    alice: Person, live_server: Any, role: str, scopes: tuple[str, ...]
) -> None:
    with Client(live_server.url, program_of(alice, role, scopes).token) as client:
        session = AssistantSession(client)
        session.check_token()
        reader = ScriptedAssistant(session)
        assert reader.tool("list", kind="streams")["rows"]
        assert "may not propose here" in reader.refused("request_confirmation", kind="start", binding="watch")
        sample = {"rows": [{"at": "2026-11-21T10:00:01Z", "plate": "A", "speed": 130.0}]}
        assert "may not edit here" in reader.refused("keep_scenario", query="speeding", name="x", sample=sample)


def test_a_token_that_changes_things_is_not_accepted(alice: Person, live_server: Any) -> None:
    with Client(live_server.url, token_of(alice, "operator")) as client, pytest.raises(CommandFailure) as refused:
        AssistantSession(client).check_token()
    assert refused.value.message.startswith("This token may operate, push, so an assistant could change things")
