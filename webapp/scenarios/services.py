"""Reading and writing scenarios."""

from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from webapp.accounts.limits.quotas import check_room, used
from webapp.accounts.organisations import lock_organisation
from webapp.audit.recording import Target, record
from webapp.core.context import current_actor
from webapp.core.errors import Conflict, NotFound
from webapp.queries.models import Query
from webapp.scenarios.bodies import ScenarioBody
from webapp.scenarios.models import Scenario


def access_scenario(query: Query, scenario: UUID) -> Scenario:
    """Return a scenario of `query`. Raises `NotFound` if absent, of another query, or not yours."""
    found = Scenario.objects.filter(query=query, pk=scenario).first()
    if found is None:
        raise NotFound
    return found


def body_of(scenario: Scenario) -> ScenarioBody:
    """Return the body of a stored scenario."""
    sample = {"rows": scenario.rows, "end": scenario.end}
    stored = {"name": scenario.name, "sample": sample, "advance": scenario.advance, "expect": scenario.expect}
    return ScenarioBody.model_validate(stored)


def create_scenario(*, query: Query, body: ScenarioBody) -> Scenario:
    """Store a scenario with `query`. Raises `Conflict` for a name that is taken, `OverQuota` without room."""
    scenario = Scenario(query=query, author_label=current_actor().label)
    try:
        with transaction.atomic():
            lock_organisation()
            check_room("scenarios", used("scenarios"))
            _write(scenario, body, before=0)
            record("scenario.created", target=target_of(scenario), after=audited(scenario))
    except IntegrityError:
        raise _taken(body) from None
    return scenario


def change_scenario(*, scenario: Scenario, body: ScenarioBody) -> Scenario:
    """Replace a scenario; earlier verdicts become invalid. Raises like `create_scenario`."""
    before = audited(scenario)
    try:
        with transaction.atomic():
            lock_organisation()
            _write(scenario, body, before=scenario.size)
            record("scenario.replaced", target=target_of(scenario), before=before, after=audited(scenario))
    except IntegrityError:
        raise _taken(body) from None
    return scenario


def delete_scenario(*, scenario: Scenario) -> None:
    """Delete a scenario with its verdicts."""
    with transaction.atomic():
        target, before = target_of(scenario), audited(scenario)
        scenario.delete()
        record("scenario.deleted", target=target, before=before)


def target_of(scenario: Scenario) -> Target:
    """Return the scenario as the audit log names it."""
    return Target("scenario", scenario.pk, scenario.name)


def audited(scenario: Scenario) -> dict[str, Any]:
    """Return the state for the audit log: of the rows, only their number."""
    rows = sum(row != "batch" for row in scenario.rows)
    settings = {"advance": scenario.advance, "end": scenario.end}
    return {"name": scenario.name, "query": scenario.query.name, "rows": rows, "expect": scenario.expect, **settings}


def _write(scenario: Scenario, body: ScenarioBody, *, before: int) -> None:
    # omitted fields stay omitted: an omitted `end` is a point, `end` null is infinity
    raw = body.model_dump(mode="json", exclude_unset=True)
    size = len(body.model_dump_json(exclude_unset=True))
    check_room("scenario_bytes", used("scenario_bytes") - before, size)
    scenario.name, scenario.size = body.name, size
    scenario.rows, scenario.end = raw["sample"]["rows"], str(body.sample.end)
    scenario.advance, scenario.expect = raw.get("advance", {}), raw["expect"]
    scenario.save()


def _taken(body: ScenarioBody) -> Conflict:
    return Conflict(f"This query already has a scenario {body.name}. Choose another name.")
