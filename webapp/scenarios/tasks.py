"""Celery tasks of scenarios: each new version is run against the scenarios of its query."""

from uuid import UUID

from django.db import transaction

from webapp.core.context import current_organisation
from webapp.core.tasks import tenant_task
from webapp.queries.access import access_version
from webapp.queries.made import after_version
from webapp.queries.models import QueryVersion
from webapp.scenarios.models import Scenario
from webapp.scenarios.running import run_version


@tenant_task
def run_scenarios(*, organisation: str, version: str) -> None:  # noqa: ARG001 - it is already in context
    """Run the scenarios of a version's query on it, and store the verdicts."""
    found = access_version(UUID(version))
    run_version(found, list(Scenario.objects.filter(query=found.query_id)))


@after_version
def _run_soon(version: QueryVersion) -> None:
    """Run them once the version is committed; without a broker they count as not run until somebody runs them."""
    if not Scenario.objects.filter(query=version.query_id).exists():
        return
    organisation = str(current_organisation())
    work = {"organisation": organisation, "version": str(version.pk)}
    transaction.on_commit(lambda: run_scenarios.apply_async(kwargs=work, expires=600), robust=True)
