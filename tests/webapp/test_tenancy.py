"""Nothing crosses from one organisation to another, and without an organisation there is nothing."""

import uuid
from itertools import product
from typing import Any

import pytest
from django.apps import apps
from django.core.checks import run_checks
from django.db import connection, models
from django.test import Client
from django.test.utils import CaptureQueriesContext, isolate_apps
from django.urls import URLPattern, URLResolver, get_resolver

from tests.webapp.conftest import POINTS, Person, graph
from tests.webapp.resources import OwnThings, as_in_routes, ids_of
from webapp.accounts.models import Organisation
from webapp.core.checks import tenant_models_are_scoped
from webapp.core.context import NoOrganisation, current_organisation, organisation_context
from webapp.core.tasks import tenant_task
from webapp.core.tenancy import TenantModel, WrongOrganisation
from webapp.streams.models import Stream

TENANT_MODELS = [model for model in apps.get_models() if issubclass(model, TenantModel)]


def cars_of(organisation: Organisation) -> Stream:
    with organisation_context(organisation.pk):
        stream = Stream(name="cars", definition=POINTS, adapter={"kind": "file", "options": {}})
        stream.save()
    return stream


@pytest.mark.parametrize("model", TENANT_MODELS, ids=lambda model: model.__name__)
def test_a_tenant_model_raises_without_an_organisation(model: type[TenantModel]) -> None:
    for manager in (model._default_manager, model._base_manager):
        with pytest.raises(NoOrganisation):
            manager.all()


@pytest.mark.parametrize("model", TENANT_MODELS, ids=lambda model: model.__name__)
def test_every_query_names_the_organisation(model: type[TenantModel], acme: Organisation) -> None:
    with organisation_context(acme.pk), CaptureQueriesContext(connection) as captured:
        list(model._default_manager.all())
    assert acme.pk.hex in captured[0]["sql"].replace("-", "")


def test_saving_refreshing_and_deleting_raise_without_an_organisation(acme: Organisation) -> None:
    stream = cars_of(acme)
    for write in (stream.save, stream.refresh_from_db, stream.delete):
        with pytest.raises(NoOrganisation):
            write()


def test_a_row_of_another_organisation_is_neither_seen_nor_written(acme: Organisation, charlie: Person) -> None:
    stream = cars_of(acme)
    with organisation_context(charlie.organisation.pk):
        assert not Stream.objects.filter(pk=stream.pk).exists()
        assert Stream.objects.update(name="stolen") == 0
        with pytest.raises(WrongOrganisation):
            stream.save()
        with pytest.raises(WrongOrganisation):
            Stream.objects.bulk_create([stream])


def test_the_context_ends_with_its_block(acme: Organisation) -> None:
    with organisation_context(acme.pk), organisation_context(None), pytest.raises(NoOrganisation):
        current_organisation()
    with pytest.raises(NoOrganisation):
        current_organisation()


def test_the_context_ends_with_the_request(alice: Person) -> None:
    assert alice.get("streams/").status_code == 200
    with pytest.raises(NoOrganisation):
        current_organisation()


def test_the_start_up_check_passes() -> None:
    assert run_checks() == []


@isolate_apps("webapp.streams")
def test_the_start_up_check_finds_a_model_with_another_manager(monkeypatch: pytest.MonkeyPatch) -> None:
    class Careless(models.Model):
        organisation = models.ForeignKey("accounts.Organisation", on_delete=models.CASCADE, related_name="+")

        class Meta:
            app_label = "streams"

    class Escaping(TenantModel):
        everything: Any = models.Manager()

        class Meta(TenantModel.Meta):
            app_label = "streams"

    monkeypatch.setattr(apps, "get_models", lambda: [Careless, Escaping, Stream])
    assert [fault.obj for fault in tenant_models_are_scoped(None)] == [Careless, Escaping]


def test_a_task_refuses_without_an_organisation() -> None:
    seen: list[Any] = []

    @tenant_task
    def note(*, organisation: str) -> None:
        seen.append((organisation, current_organisation()))

    with pytest.raises(NoOrganisation):
        note()
    organisation = uuid.uuid4()
    note(organisation=str(organisation))
    assert seen == [(str(organisation), organisation)]


def api_routes() -> list[str]:
    """Return every route below `/api/t/<slug>/`, as the application has it now."""

    def walk(patterns: list[Any], prefix: str) -> list[str]:
        found = []
        for each in patterns:
            route = prefix + str(each.pattern)
            if isinstance(each, URLResolver):
                found += walk(each.url_patterns, route)
            elif isinstance(each, URLPattern):
                found.append(route)
        return found

    prefix = "api/t/<slug:slug>/"
    return [route.removeprefix(prefix) for route in walk(get_resolver().url_patterns, "") if route.startswith(prefix)]


ROUTES = api_routes()
ID_ROUTES = [route for route in ROUTES if "<uuid:" in route]
METHODS = ["get", "post", "put", "patch", "delete"]


@pytest.fixture
def ids(binding: dict[str, Any], alice: Person, cars: dict[str, Any]) -> dict[str, str]:
    """The ids of alice's things, by the name that routes give them."""
    run = alice.post(f"bindings/{binding['id']}/start/")
    assert run.status_code == 201, run.content
    made = ids_of(OwnThings(alice, cars["id"], binding["query"], binding["id"], "nightly"))
    return as_in_routes({**made, "run": run.json()["id"], "template": "dead_man"})


def filled(route: str, ids: dict[str, str]) -> str:
    route = route.replace("<slug:node>", "out")
    for name, value in ids.items():
        route = route.replace(name, value)
    assert "<" not in route, f"the test knows no id for {route}"
    return route


def call(client: Client, method: str, path: str) -> Any:
    return getattr(client, method)(path, {} if method != "get" else None, content_type="application/json")


def test_there_are_routes_with_ids() -> None:
    assert len(ID_ROUTES) >= 11


def test_charlie_gets_404_for_every_id_of_alices(ids: dict[str, str], charlie: Person) -> None:
    nobodys = dict.fromkeys(ids, str(uuid.uuid4()))
    for route, method, slug in product(ID_ROUTES, METHODS, ("acme", "zeta")):
        answered = call(charlie.client, method, f"/api/t/{slug}/{filled(route, ids)}")
        absent = call(charlie.client, method, f"/api/t/{slug}/{filled(route, nobodys)}")
        assert answered.status_code in {404, 405}, (route, method, slug)
        assert (answered.status_code, answered.content) == (absent.status_code, absent.content), (route, method, slug)


def test_charlie_gets_404_in_alices_organisation(ids: dict[str, str], charlie: Person) -> None:
    for route, method in product(ROUTES, METHODS):
        mine = call(charlie.client, method, f"/api/t/acme/{filled(route, ids)}")
        nobodys = call(charlie.client, method, f"/api/t/nowhere/{filled(route, ids)}")
        assert mine.status_code in {404, 405}, (route, method)
        assert (mine.status_code, mine.content) == (nobodys.status_code, nobodys.content), (route, method)


def test_nobody_signed_in_gets_401(ids: dict[str, str]) -> None:
    for route, method in product(ROUTES, METHODS):
        assert call(Client(), method, f"/api/t/acme/{filled(route, ids)}").status_code == 401, (route, method)


def test_lists_show_only_ones_own(binding: dict[str, Any], charlie: Person) -> None:
    assert [charlie.get(path).json() for path in ("streams/", "queries/", "bindings/", "runs/")] == [[], [], [], []]


def test_charlie_cannot_bind_alices_things(binding: dict[str, Any], cars: dict[str, Any], charlie: Person) -> None:
    answered = charlie.post("bindings/", {"name": "theirs", "query_version": binding["query_version"]})
    assert (answered.status_code, [fault["field"] for fault in answered.json()["faults"]]) == (422, ["query_version"])
    unknown = charlie.post("queries/", {"graph": graph()})
    assert "unknown_stream" in [fault["code"] for fault in unknown.json()["faults"]]


def test_the_same_names_may_be_taken_in_two_organisations(acme: Organisation, charlie: Person) -> None:
    assert cars_of(acme).name == cars_of(charlie.organisation).name
