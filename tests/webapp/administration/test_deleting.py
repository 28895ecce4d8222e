"""An organisation ends when its time of grace has passed: rows, files, what Redis holds; its audit events stay."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import redis
from django.apps import apps
from django.utils import timezone

from streaming.wire import keys
from tests.webapp.conftest import Person
from webapp.accounts.models import Organisation
from webapp.administration.deleting import delete_if_due
from webapp.audit.models import AuditEvent
from webapp.core.context import installation_context, organisation_context
from webapp.core.tenancy import TenantModel, TenantQuerySet
from webapp.runs.models import Run

TENANT = [model for model in apps.get_models() if issubclass(model, TenantModel) and model is not AuditEvent]


def condemned(person: Person) -> Organisation:
    """The organisation of `person`, whose grace ended a minute ago."""
    return condemned_at(person, timezone.now() - timedelta(minutes=1))


def condemned_at(person: Person, at: datetime | None) -> Organisation:
    """The organisation of `person`, whose grace ends at `at`."""
    with installation_context("a test condemns an organisation"):
        Organisation.objects.filter(pk=person.organisation.pk).update(delete_after=at)
        return Organisation.objects.get(pk=person.organisation.pk)


def exists(slug: str) -> bool:
    with installation_context("a test looks what is left"):
        return Organisation.objects.filter(slug=slug).exists()


def ended(scene: Any) -> None:
    with organisation_context(scene.person.organisation.pk):
        Run.objects.update(ended_at=timezone.now())


def test_nothing_happens_before_the_time_has_come(alice: Person, redis_connection: "redis.Redis") -> None:
    later = timezone.now() + timedelta(days=1)
    organisation = condemned_at(alice, later)
    assert not delete_if_due(organisation, timezone.now())
    assert exists("acme")


def test_everything_of_it_goes_and_nothing_of_another(
    scene: Any, alice: Person, charlie: Person, tmp_path: Path, redis_connection: "redis.Redis"
) -> None:
    alice.post("tokens/", {"name": "mine", "role": "viewer", "expires_in_days": 1})
    charlie.post("tokens/", {"name": "theirs", "role": "viewer", "expires_in_days": 1})
    ended(scene)
    key = str(alice.organisation.pk)
    for each in (key, str(charlie.organisation.pk)):
        redis_connection.set(f"punctual:{each}:anything", "x")
        (tmp_path / each / "results").mkdir(parents=True, exist_ok=True)
    assert delete_if_due(condemned(alice), timezone.now())
    assert not exists("acme")
    with installation_context("a test looks what is left"):
        left = [model.__name__ for model in TENANT if TenantQuerySet(model).filter(organisation_id=key).exists()]
    assert left == []
    assert list(redis_connection.scan_iter(f"punctual:{key}:*")) == []
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == [str(charlie.organisation.pk)]
    assert redis_connection.get(f"punctual:{charlie.organisation.pk}:anything") == b"x"
    assert charlie.get("tokens/").json()[0]["name"] == "theirs"
    assert alice.get("streams/").status_code == 404


def test_its_audit_events_stay_and_say_that_it_was_deleted(scene: Any, alice: Person) -> None:
    ended(scene)
    key = alice.organisation.pk
    delete_if_due(condemned(alice), timezone.now())
    events: TenantQuerySet[AuditEvent] = TenantQuerySet(AuditEvent)
    with installation_context("a test looks what is left"):
        actions = list(events.filter(organisation_id=key).values_list("action", flat=True))
    assert actions[0] == "organisation.deleted"
    assert "stream.created" in actions


def test_it_waits_for_its_open_runs(scene: Any, alice: Person) -> None:
    assert not delete_if_due(condemned(alice), timezone.now())
    assert exists("acme")


def test_it_waits_for_its_runner(scene: Any, alice: Person, redis_connection: "redis.Redis") -> None:
    ended(scene)
    scene.lease()
    organisation = condemned(alice)
    assert not delete_if_due(organisation, timezone.now())
    redis_connection.delete(keys.lease(str(alice.organisation.pk)))
    assert delete_if_due(organisation, timezone.now())


def test_a_deletion_cancelled_since_then_does_not_happen(scene: Any, alice: Person) -> None:
    ended(scene)
    organisation = condemned(alice)
    condemned_at(alice, None)
    assert not delete_if_due(organisation, timezone.now())
    assert exists("acme")
    assert alice.get("streams/").json() != []
