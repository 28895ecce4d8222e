"""Acme as each case finds it, and the events of it."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from tests.webapp.conftest import Person
from tests.webapp.stage import Stage
from webapp.audit.models import AuditEvent
from webapp.core.context import installation_context
from webapp.core.tenancy import TenantQuerySet

Events = Callable[[], list[AuditEvent]]


def every_event() -> list[AuditEvent]:
    """Return all events of the installation, oldest first."""
    with installation_context("a test reads what was written"):
        events: TenantQuerySet[AuditEvent] = TenantQuerySet(AuditEvent)
        return list(events.order_by("at", "id"))


@pytest.fixture
def stage(alice: Person, bob: Person, cars: dict[str, Any], binding: dict[str, Any]) -> Stage:
    return Stage(alice, bob, cars, binding)


@pytest.fixture
def newer(db: None) -> Callable[[], Events]:
    """Return a function to call before a request; what it returns gives the events since then, oldest first."""

    def begin() -> Events:
        known: set[UUID] = {each.pk for each in every_event()}
        return lambda: [each for each in every_event() if each.pk not in known]

    return begin
