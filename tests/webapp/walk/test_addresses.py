"""The walk knows every address, and every address asks who is there."""

from typing import Any

import pytest
from django.core.checks import run_checks
from django.test import Client

from tests.webapp.walk.addresses import OF_ORGANISATION, every_route, kind_of
from webapp.accounts import checks
from webapp.accounts.management.commands.permissionsdoc import PAGE, page
from webapp.accounts.permissions import FILE, MATRIX, read_matrix

ROUTES = every_route()
METHODS = ("get", "post", "put", "patch", "delete")
SHARED_BY_ALL = {"api/me/", "api/permissions/", "api/organisations/", "api/invitations/accept/"}


def test_every_address_is_of_a_kind() -> None:
    assert [route for route in ROUTES if kind_of(route) is None] == []


def test_an_address_that_nobody_classified_is_found() -> None:
    assert kind_of("api/secrets/") is None


def test_the_matrix_names_every_address_of_an_organisation_and_no_other() -> None:
    mine = {route.removeprefix(OF_ORGANISATION) for route in ROUTES if route.startswith(OF_ORGANISATION)}
    assert mine == set(MATRIX.routes)


def test_the_start_up_check_finds_a_method_without_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.every_route_has_its_rule() == []
    less = {route: rules for route, rules in MATRIX.routes.items() if route != "streams/"}
    monkeypatch.setattr(checks, "MATRIX", type("M", (), {"routes": less}))
    (fault,) = checks.every_route_has_its_rule()
    assert fault.id == "punctual.E002"
    assert "streams/" in fault.msg


def test_the_start_up_checks_run() -> None:
    assert checks.every_route_has_its_rule in set(_registered())
    assert run_checks() == []


def _registered() -> list[Any]:
    from django.core.checks.registry import registry

    return list(registry.registered_checks)


def test_the_page_of_the_matrix_is_as_the_matrix() -> None:
    assert PAGE.read_text() == page()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("roles: {viewer: x}\npermissions: {}\nroutes: {}", "every role"),
        (FILE.read_text() + "\n  new/: {session: true}\n", "has no method for new/"),
        (FILE.read_text() + "\n  new/: {fetch: view, get: view}\n", "has unknown methods for new/: fetch\\."),
    ],
)
def test_a_matrix_that_forgets_something_stops_the_start(wrong: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_matrix(wrong)


@pytest.mark.parametrize("route", sorted(SHARED_BY_ALL))
def test_nobody_signed_in_gets_401_at_their_own_addresses(route: str, db: None) -> None:
    for method in METHODS:
        answered = getattr(Client(), method)(f"/{route}", {} if method != "get" else None)
        assert answered.status_code in {401, 405}


@pytest.mark.parametrize("route", [each for each in ROUTES if kind_of(each) == "installation"])
def test_a_member_enters_no_page_of_the_installation(route: str, alice: Any) -> None:
    import re

    if route.startswith(("installation/login", "installation/logout")):
        return  # these redirect on their own
    path = "/" + re.sub(r"<[^>]+>", "1", route.split("(?P", maxsplit=1)[0].rstrip("$"))
    for method in ("get", "post"):
        answered = getattr(alice.client, method)(path)
        assert answered.status_code in {302, 400, 403, 404, 405}
        assert "Acme" not in answered.content.decode()
