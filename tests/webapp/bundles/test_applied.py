"""Applying files: whole or not at all, only what was planned, and nothing that a run needs is pruned."""

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.webapp.bundles.bundle import CARS_YAML, FILES, SPEEDING_SQL, applied, apply, exported, plan
from tests.webapp.conftest import POINTS, Person, join
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import Role
from webapp.core.context import organisation_context
from webapp.queries.models import QueryVersion
from webapp.runs.models import Run


def test_a_change_since_the_plan_is_a_conflict(alice: Person, cars: dict[str, Any]) -> None:
    token = plan(alice, FILES)["token"]
    body = {"name": "cars", "definition": {**POINTS, "fields": {"plate": "string"}}, "adapter": cars["adapter"]}
    assert alice.put(f"streams/{cars['id']}/", body).status_code == 200
    before = exported(alice)
    answered = alice.post("definitions/apply/", {"files": FILES, "token": token})
    assert (answered.status_code, answered.json()["code"]) == (409, "conflict")
    assert exported(alice) == before


def test_other_files_than_those_of_the_plan_are_a_conflict(alice: Person, cars_file: str) -> None:
    token = plan(alice, FILES)["token"]
    for body in ({"files": {**FILES, "README": ""}}, {"files": FILES, "prune": True}):
        assert alice.post("definitions/apply/", {**body, "token": token}).status_code == 409
    assert alice.post("definitions/apply/", {"files": FILES, "token": token}).status_code == 200


def test_pruning_deletes_what_the_files_do_not_have(alice: Person, binding: dict[str, Any]) -> None:
    run = alice.post(f"bindings/{binding['id']}/start/").json()
    alice.post(f"bindings/{binding['id']}/stop/")
    with organisation_context(alice.organisation.pk):
        Run.objects.filter(pk=run["id"]).update(ended_at="2026-11-21T12:00:00Z")
    assert applied(alice, {}, prune=True) == {
        "binding watch": "delete",
        "query speeding": "delete",
        "stream cars": "delete",
    }
    assert exported(alice) == {}


def test_pruning_refuses_what_a_running_run_uses(alice: Person, binding: dict[str, Any]) -> None:
    assert alice.post(f"bindings/{binding['id']}/start/").status_code == 201
    before = exported(alice)
    planned = plan(alice, {}, prune=True)
    assert [(each["file"], each["code"]) for each in planned["faults"]] == [
        ("bindings/watch.yaml", "in_use"),
        ("queries/speeding.sql", "in_use"),
        ("streams/cars.yaml", "in_use"),
    ]
    assert "a run of the binding watch uses it" in planned["faults"][0]["message"]
    assert apply(alice, {}, prune=True).status_code == 422
    assert exported(alice) == before


def test_pruning_knows_the_stream_with_which_a_run_was_started(
    alice: Person, binding: dict[str, Any], cars_file: str
) -> None:
    assert alice.post(f"bindings/{binding['id']}/start/").status_code == 201
    files = exported(alice)
    files["streams/vans.yaml"] = files.pop("streams/cars.yaml")
    files["queries/speeding.sql"] = files["queries/speeding.sql"].replace("FROM cars", "FROM STREAM vans AS cars")
    assert [(each["file"], each["code"]) for each in plan(alice, files, prune=True)["faults"]] == [
        ("streams/cars.yaml", "in_use")
    ]


def test_without_the_pruned_a_file_may_not_name_it(alice: Person, binding: dict[str, Any]) -> None:
    only = {"bindings/watch.yaml": "query: speeding\n"}
    assert plan(alice, only)["faults"] == []
    assert "No query is called speeding among the files." in [
        each["message"] for each in plan(alice, only, prune=True)["faults"]
    ]


def test_viewers_export_and_plan_and_designers_apply(acme: Organisation, bob: Person, cars_file: str) -> None:
    dora = join("dora@acme.example", acme, Role.DESIGNER)
    assert exported(bob) == {}
    assert plan(bob, FILES)["faults"] == []
    assert apply(bob, FILES).status_code == 403
    assert applied(dora, FILES)["query speeding"] == "create"
    assert exported(bob) == FILES


def test_another_organisation_is_neither_seen_nor_touched(
    alice: Person, charlie: Person, binding: dict[str, Any], cars_file: str
) -> None:
    assert exported(charlie) == {}
    assert charlie.post("definitions/apply/", {"files": {}, "prune": True, "token": plan(charlie, {}, True)["token"]})
    token = plan(alice, {}, True)["token"]
    assert charlie.post("definitions/apply/", {"files": {}, "prune": True, "token": token}).status_code == 409
    assert len(exported(alice)) == 3


def test_lists_exports_and_plans_cost_the_same_however_much_there_is(alice: Person, cars_file: str) -> None:
    def cost() -> list[int]:
        counts = []
        for path in ("streams/", "queries/", "bindings/", "definitions/"):
            with CaptureQueriesContext(
                connection,
            ) as captured:
                assert alice.get(path).status_code == 200
            counts.append(len(captured))
        with CaptureQueriesContext(connection) as captured:
            plan(alice, FILES)
        return [*counts, len(captured)]

    applied(alice, FILES)
    once = cost()
    more = {f"streams/s{n}.yaml": CARS_YAML for n in range(5)}
    for n in range(5):
        more[f"queries/q{n}.sql"] = f"QUERY q{n}; INSERT INTO out SELECT STREAM * FROM s{n} WHERE speed > 1;"
        more[f"bindings/b{n}.yaml"] = f"query: q{n}\n"
    applied(alice, more)
    assert cost() == once


class Broken(Exception):
    """Return the state of the database in the tests below."""


def write_number(stop: int, seen: list[str]) -> Any:
    """Return a wrapper of statements that fails at the `stop`-th write."""

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            seen.append(sql)
            if len(seen) == stop:
                raise Broken(sql)
        return execute(sql, params, many, context)

    return wrapper


def everything(person: Person) -> Any:
    with organisation_context(person.organisation.pk):
        versions = list(QueryVersion.objects.order_by("pk").values())
    return [exported(person), versions, *(person.get(path).json() for path in ("streams/", "queries/", "bindings/"))]


def test_a_failure_at_any_write_leaves_everything_as_it_was(alice: Person, binding: dict[str, Any]) -> None:
    doomed = {
        "streams/doomed.yaml": CARS_YAML,
        "queries/doomed.sql": "QUERY doomed; INSERT INTO out SELECT STREAM * FROM doomed WHERE speed > 1;",
        "bindings/doomed.yaml": "query: doomed\n",
    }
    applied(alice, doomed)
    files = {
        "streams/cars.yaml": CARS_YAML.replace("5s", "6s"),
        "streams/vans.yaml": CARS_YAML,
        "queries/speeding.sql": SPEEDING_SQL,
        "queries/other.sql": "QUERY other; INSERT INTO out SELECT STREAM * FROM vans WHERE speed > 1;",
        "bindings/watch.yaml": "query: speeding\ninputs: {cars: {stream: vans}}\n",
        "bindings/other.yaml": "query: other\n",
    }
    body = {"files": files, "prune": True, "token": plan(alice, files, True)["token"]}
    before, stop, failures = everything(alice), 0, 0
    while True:
        stop += 1
        seen: list[str] = []
        with connection.execute_wrapper(write_number(stop, seen)):
            answered = alice.post("definitions/apply/", body)
        if answered.status_code == 200:
            break
        assert answered.status_code == 500
        failures += 1
        assert everything(alice) == before
    assert failures >= 15
    assert sorted(exported(alice)) == sorted(files)
