"""`manage.py reencryptsecrets`: everything is encrypted under the newest key, runs continue, and the old key may go."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from streaming.wire import keys
from streaming.wire.messages import RunSpec
from streaming.wire.sealed import Keyring, SealBroken
from tests.webapp.conftest import Clock, Person, graph
from tests.webapp.scene import Recorded, Scene
from tests.webapp.secrets.conftest import NEW, OLD, OTHER, PLANTED, body
from webapp.core.context import organisation_context
from webapp.core.secrets import organisation_keys
from webapp.runs.inputs.checking import BoundChecked
from webapp.runs.models import Run
from webapp.runs.starts import services
from webapp.streams.models import Stream


@pytest.fixture
def scene(
    alice: Person,
    connection: dict[str, Any],
    redis_connection: Any,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> Scene:
    """A run that was just requested, of a stream that nobody has tried to reach."""
    monkeypatch.setattr(services, "checked_before_start", lambda _: BoundChecked([]))
    query = alice.post("queries/", {"graph": graph(), "comment": "first"}).json()
    made = alice.post("bindings/", {"name": "watch", "query_version": query["current"]["id"]}).json()
    started = alice.post(f"bindings/{made['id']}/start/")
    assert started.status_code == 201, started.content
    return Scene(alice, made, started.json()["id"], redis_connection, Recorded(), clock)


def reencrypted() -> str:
    output = StringIO()
    call_command("reencryptsecrets", stdout=output)
    return output.getvalue()


def sealed_values(scene: Scene) -> list[str]:
    """The tokens of the stream, of the run, and of what its runner reads."""
    with organisation_context(scene.person.organisation.pk):
        stream, run = Stream.objects.get(name="cars"), Run.objects.get(pk=scene.run_id)
    scene.turn()
    [desired] = scene.connection.hvals(keys.desired(scene.organisation))
    specs = [RunSpec.model_validate(run.spec), RunSpec.model_validate_json(desired)]
    options = [stream.adapter["options"], *(each.inputs["cars"].adapter.options for each in specs)]
    return [each["token"]["sealed"] for each in options]


def opening(scene: Scene, *installation_keys: str) -> Keyring:
    """Return the texts that these keys of the installation decrypt."""
    from django.test import override_settings

    with override_settings(SECRETS_KEYS=list(installation_keys)):
        return Keyring(organisation_keys(scene.person.organisation.pk))


def test_a_rotation_keeps_open_runs_working_until_the_old_key_is_gone(scene: Scene, settings: Any) -> None:
    settings.SECRETS_KEYS = [NEW, OLD]
    assert [opening(scene, NEW, OLD).open(each) for each in sealed_values(scene)] == [PLANTED] * 3
    assert "2 secrets resealed, 0 already had" in reencrypted()
    settings.SECRETS_KEYS = [NEW]
    assert [opening(scene, NEW).open(each) for each in sealed_values(scene)] == [PLANTED] * 3
    for each in sealed_values(scene):
        with pytest.raises(SealBroken):
            opening(scene, OLD).open(each)


def test_it_may_be_repeated(scene: Scene, settings: Any) -> None:
    settings.SECRETS_KEYS = [NEW, OLD]
    reencrypted()
    before = sealed_values(scene)
    assert "0 secrets resealed, 2 already had the newest key" in reencrypted()
    assert sealed_values(scene) == before


def test_a_run_that_has_ended_keeps_no_secret(scene: Scene) -> None:
    with organisation_context(scene.person.organisation.pk):
        Run.objects.update(ended_at=scene.clock())
        assert "1 removed from runs that have ended" in reencrypted()
        assert Run.objects.get().spec["inputs"]["cars"]["adapter"]["options"]["token"] == {"sealed": True}


def test_what_no_key_opens_is_named_and_the_rest_is_done(
    alice: Person, charlie: Person, connection: dict[str, Any], settings: Any
) -> None:
    settings.SECRETS_KEYS = [NEW]
    charlie.post("streams/", body(OTHER))
    settings.SECRETS_KEYS = ["newest-" * 6, NEW]
    output = StringIO()
    with pytest.raises(CommandError, match=r"1 secret can't be opened with any of the keys: acme: stream cars\."):
        call_command("reencryptsecrets", stdout=output)
    assert "1 secret resealed" in output.getvalue()
    assert charlie.get("streams/").status_code == 200


def test_a_text_that_was_stored_before_its_option_was_a_secret_is_sealed(
    alice: Person, connection: dict[str, Any]
) -> None:
    with organisation_context(alice.organisation.pk):
        Stream.objects.update(adapter=body(PLANTED)["adapter"])
    assert PLANTED not in alice.get("streams/").content.decode()
    assert "1 secret resealed" in reencrypted()
    with organisation_context(alice.organisation.pk):
        assert PLANTED not in str(Stream.objects.get().adapter)
