"""Secrets are written and never read: what the API keeps, replaces, removes and refuses."""

from typing import Any

import pytest
from cryptography.fernet import Fernet

from streaming.wire.sealed import Keyring, SealBroken
from tests.webapp.conftest import Person, file_adapter
from tests.webapp.secrets.conftest import KEPT, NEW, OLD, OTHER, PLANTED, URL, body
from webapp.core.context import organisation_context
from webapp.core.secrets import organisation_keys, seal
from webapp.streams.models import Stream
from webapp.streams.sealing import opened


def stored(person: Person, name: str = "cars") -> Any:
    """Return the database's form of the token; None without one."""
    with organisation_context(person.organisation.pk):
        return Stream.objects.get(name=name).adapter["options"].get("token")


def used(person: Person, name: str = "cars") -> Any:
    """The token that an adapter would be given."""
    with organisation_context(person.organisation.pk):
        return opened(Stream.objects.get(name=name).read_adapter()).options.get("token")


def test_a_secret_is_stored_sealed_and_shown_as_a_placeholder(alice: Person, connection: dict[str, Any]) -> None:
    assert connection["adapter"]["options"]["token"] == KEPT
    answered = alice.get(f"streams/{connection['id']}/")
    assert '"token":{"sealed":true}' in answered.content.decode().replace(" ", "")
    assert PLANTED not in alice.get("streams/").content.decode()
    assert PLANTED not in str(stored(alice))
    assert used(alice) == PLANTED


def test_what_was_shown_may_be_written_again_and_keeps_the_secret(alice: Person, connection: dict[str, Any]) -> None:
    before = stored(alice)
    again = {name: connection[name] for name in ("name", "definition", "adapter")}
    assert alice.put(f"streams/{connection['id']}/", again).status_code == 200
    assert stored(alice) == before


@pytest.mark.parametrize(("given", "then"), [(OTHER, OTHER), (None, None), (..., None)])
def test_a_text_replaces_the_secret_and_null_removes_it(
    alice: Person, connection: dict[str, Any], given: Any, then: Any
) -> None:
    assert alice.put(f"streams/{connection['id']}/", body(given)).status_code == 200
    assert used(alice) == then
    assert ("token" in alice.get(f"streams/{connection['id']}/").json()["adapter"]["options"]) == (then is not None)


def test_a_kept_secret_does_not_follow_to_another_address(alice: Person, connection: dict[str, Any]) -> None:
    moved = alice.put(f"streams/{connection['id']}/", body(KEPT, url="https://127.0.0.1:2/elsewhere"))
    assert moved.status_code == 422
    assert "Enter its text" in moved.json()["faults"][0]["message"]
    assert used(alice) == PLANTED
    assert alice.put(f"streams/{connection['id']}/", body(PLANTED, url=f"{URL}?v=2")).status_code == 200


def test_a_kept_secret_does_not_come_back_from_another_kind(
    alice: Person, connection: dict[str, Any], cars_file: str
) -> None:
    as_file = {**body(None), "adapter": file_adapter(cars_file)}
    assert alice.put(f"streams/{connection['id']}/", as_file).status_code == 200
    assert alice.put(f"streams/{connection['id']}/", body(KEPT)).status_code == 422


@pytest.mark.parametrize("given", [KEPT, {"sealed": False}, {"sealed": "gAAAA"}, {}, {"sealed": True, "more": 1}])
def test_a_new_stream_needs_the_text(alice: Person, given: Any) -> None:
    assert alice.post("streams/", body(given)).status_code == 422


def test_what_is_sealed_cannot_be_handed_in(alice: Person, connection: dict[str, Any]) -> None:
    smuggled = alice.post("streams/", body(stored(alice), name="copy"))
    assert smuggled.status_code == 422
    assert alice.put(f"streams/{connection['id']}/", body(stored(alice))).status_code == 422


def test_a_sealed_secret_opens_in_its_organisation_alone(
    alice: Person, charlie: Person, connection: dict[str, Any]
) -> None:
    theirs = Keyring(organisation_keys(charlie.organisation.pk))
    with pytest.raises(SealBroken):
        theirs.open(stored(alice)["sealed"])
    assert Keyring(organisation_keys(alice.organisation.pk)).open(stored(alice)["sealed"]) == PLANTED


def test_the_keys_of_an_organisation_do_not_open_as_those_of_the_installation(alice: Person, settings: Any) -> None:
    settings.SECRETS_KEYS = [NEW, OLD]
    keys = organisation_keys(alice.organisation.pk)
    assert len(set(keys)) == 2
    assert not {NEW, OLD} & set(keys)
    with organisation_context(alice.organisation.pk):
        assert Fernet(keys[0]).decrypt(seal("x")["sealed"]) == b"x"


def test_a_secret_whose_key_is_gone_has_to_be_given_again(
    alice: Person, connection: dict[str, Any], settings: Any
) -> None:
    settings.SECRETS_KEYS = [NEW]
    faults = alice.get(f"streams/{connection['id']}/sample/").json()["faults"]
    assert "Enter it again" in faults[0]["message"]
    assert alice.put(f"streams/{connection['id']}/", body(OTHER)).status_code == 200
    assert used(alice) == OTHER


def files(person: Person) -> dict[str, str]:
    exported: dict[str, str] = person.get("definitions/").json()["files"]
    return exported


def planned(person: Person, texts: dict[str, str]) -> dict[str, Any]:
    answered: dict[str, Any] = person.post("definitions/plan/", {"files": texts}).json()
    return answered


def apply(person: Person, texts: dict[str, str]) -> Any:
    token = planned(person, texts)["token"]
    return person.post("definitions/apply/", {"files": texts, "token": token})


def test_exported_files_have_the_placeholder_and_applied_again_keep_the_secret(
    alice: Person, connection: dict[str, Any]
) -> None:
    exported = files(alice)
    assert "token:\n      sealed: true\n" in exported["streams/cars.yaml"]
    assert [each["action"] for each in planned(alice, exported)["changes"]] == ["unchanged"]
    assert apply(alice, exported).status_code == 200
    assert used(alice) == PLANTED


def test_a_secret_in_a_file_is_planned_as_changed_and_applied(alice: Person, connection: dict[str, Any]) -> None:
    texts = {"streams/cars.yaml": files(alice)["streams/cars.yaml"].replace("\n      sealed: true", f" {OTHER}")}
    [change] = planned(alice, texts)["changes"]
    assert change["action"] == "update"
    assert "+      sealed: secret changed\n" in change["diff"]
    assert OTHER not in str(change)
    assert apply(alice, texts).status_code == 200
    assert used(alice) == OTHER


def test_a_secret_that_changed_since_the_plan_is_not_overwritten(alice: Person, connection: dict[str, Any]) -> None:
    exported = files(alice)
    token = planned(alice, exported)["token"]
    alice.put(f"streams/{connection['id']}/", body(OTHER))
    assert alice.post("definitions/apply/", {"files": exported, "token": token}).status_code == 409


def test_files_applied_elsewhere_say_that_the_secret_has_to_be_given(
    alice: Person, charlie: Person, connection: dict[str, Any]
) -> None:
    exported = files(alice)
    [fault] = planned(charlie, exported)["faults"]
    assert (fault["file"], "Enter its text" in fault["message"]) == ("streams/cars.yaml", True)
    assert apply(charlie, exported).status_code == 422
