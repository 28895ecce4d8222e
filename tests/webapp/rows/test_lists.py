"""A list costs as many queries with forty objects as with one; every address that answers with a list is known."""

from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponseBase
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver

from tests.webapp.conftest import Person, founded
from tests.webapp.resources import every_resource
from tests.webapp.rows.filling import Filled, address_of, fill
from webapp.accounts.models import Membership
from webapp.accounts.permissions import Role
from webapp.core.context import organisation_context

FEW, MANY = 1, 40
SAME_LENGTH = {"quotas/"}
"""Lists with one row for each thing that is counted, whatever its number."""
LISTS = {
    "api/me/": "organisations",
    "members/": "people",
    "invitations/": "invitations",
    "service-accounts/": "programs",
    "service-accounts/<uuid:account>/tokens/": "tokens of one program",
    "tokens/": "tokens",
    "quotas/": "limits",
    "audit/": "events",
    "audit/export/": "events as a file",
    "exports/": "exports",
    "streams/": "streams",
    "queries/": "queries with their current versions",
    "queries/<uuid:query>/versions/": "versions",
    "queries/<uuid:query>/scenarios/": "scenarios",
    "queries/<uuid:query>/verdicts/": "how versions stand to their scenarios",
    "definitions/": "all definitions as files",
    "templates/<slug:template>/streams/": "streams that fit a template, or what they lack",
    "bindings/": "bindings with their inputs and newest runs",
    "runs/": "runs",
    "kept/": "what each binding keeps",
    "metrics": "the metrics of each binding",
    **{route: what for each in every_resource() for route, what in each.lists.items()},
}
"""Addresses whose answer grows with what an organisation has, and what they list."""
NO_LISTS = {
    "api/",
    "api/openapi.json",
    "api/sign-in/",
    "api/ledger-keys/",
    "api/permissions/",
    "api/guide/",
    "api/downloads/<str:signed>/",
    "organisation/",
    "adapters/",
    "streams/<uuid:stream>/",
    "streams/<uuid:stream>/sample/",
    "streams/<uuid:stream>/rows/",
    "streams/<uuid:stream>/uses/",
    "files/",
    "files/content/",
    "files/uploads/<uuid:upload>/",
    "queries/<uuid:query>/",
    "queries/<uuid:query>/explain/",
    "queries/<uuid:query>/layout/",
    "queries/<uuid:query>/uses/",
    "queries/<uuid:query>/difference/",
    "queries/<uuid:query>/scenarios/<uuid:scenario>/",
    "queries/<uuid:query>/scenarios/<uuid:scenario>/transcript/",
    "templates/",
    "confirmations/<uuid:confirmation>/",
    "bindings/<uuid:binding>/",
    "bindings/<uuid:binding>/next-start/",
    "bindings/<uuid:binding>/timeline/",
    "bindings/<uuid:binding>/uses/",
    "bindings/<uuid:binding>/repairs/",
    "bindings/<uuid:binding>/version-change/",
    "bindings/<uuid:binding>/results/",
    "bindings/<uuid:binding>/results/chart/",
    "bindings/<uuid:binding>/results/file/",
    "bindings/<uuid:binding>/outputs/<uuid:output>/refused/",
    "bindings/<uuid:binding>/outputs/<uuid:output>/rows/",
    "bindings/<uuid:binding>/outputs/<slug:node>/stream/",
    "bindings/<uuid:binding>/outputs/<slug:node>/current/",
    "runs/<uuid:run>/",
    "runs/<uuid:run>/definition/",
    "runs/<uuid:run>/results/",
    "runs/<uuid:run>/results/file/",
    "runs/<uuid:run>/quarantine/",
    "runs/<uuid:run>/quarantine/file/",
    "runs/<uuid:run>/history/",
    "runs/<uuid:run>/journal/",
    "runs/<uuid:run>/logs/",
    "runs/<uuid:run>/events/",
    "home/<uuid:binding>/",
    "home/<uuid:binding>/details/",
    "home/<uuid:binding>/what-if/",
    "home/<uuid:binding>/budget/",
    "home/<uuid:binding>/freshness/",
    "home/<uuid:binding>/ledger/",
    "home/<uuid:binding>/ledger/file/",
    "home/",  # pages of live queries, counted in tests/webapp/live
    "incidents/<uuid:incident>/",  # at most 300 events
    "incidents/<uuid:incident>/file/",
    "boards/<uuid:board>/",
    "boards/<uuid:board>/versions/",  # pages of 20
    "alerts/rules/",
    "alerts/channel-kinds/",
    "alerts/channels/<uuid:channel>/messages/",
}
"""Addresses that answer with one thing, or with pages of files and not of rows, or of the journal of one run."""
OF_AN_ORGANISATION = "api/t/<slug:slug>/"


def read_routes(patterns: Any, before: str = "") -> list[str]:
    """Return the addresses below /api/ that can be read, those of organisations without what they begin with."""
    found = []
    for each in patterns:
        route = before + str(each.pattern)
        if isinstance(each, URLResolver):
            found += read_routes(each.url_patterns, route)
        elif isinstance(each, URLPattern) and route.startswith("api/"):
            view = getattr(each.callback, "view_class", None)
            if view is None or hasattr(view, "get"):
                found.append(route.removeprefix(OF_AN_ORGANISATION))
    return found


ROUTES = read_routes(get_resolver().url_patterns)
LISTED = [route for route in ROUTES if route in LISTS]


def test_every_address_that_can_be_read_is_known_to_be_a_list_or_none() -> None:
    unknown = sorted(set(ROUTES) - set(LISTS) - NO_LISTS)
    assert unknown == [], "add each to LISTS, or to NO_LISTS if its answer does not grow with what there is"


def body(answered: HttpResponseBase) -> bytes:
    assert answered.status_code == 200, getattr(answered, "content", b"")
    return b"".join(answered) if answered.streaming else answered.content  # type: ignore[call-overload, no-any-return, attr-defined]


def cost_of(person: Person, route: str, filled: Filled) -> tuple[int, int]:
    """Return how many queries the list costs, and how long it is."""
    address = address_of(route, person.organisation.slug, filled)
    body(person.client.get(address))  # what is read once for the process is read
    with CaptureQueriesContext(
        connection,
    ) as captured:
        length = len(body(person.client.get(address)))
    return len(captured), length


def belong_to_more(person: Person, count: int) -> None:
    for number in range(count):
        organisation = founded(f"other-{number}", "Other")
        with organisation_context(organisation.pk):
            Membership.objects.create(organisation=organisation, user=person.user, role=Role.VIEWER)


@pytest.mark.parametrize("route", LISTED)
def test_a_list_of_many_costs_as_many_queries_as_a_list_of_one(route: str, alice: Person) -> None:
    few_queries, few_bytes = cost_of(alice, route, fill(alice.organisation, FEW))
    filled = fill(alice.organisation, MANY, begin=FEW)  # a query and an account of their own, with so many below them
    belong_to_more(alice, MANY)
    many_queries, many_bytes = cost_of(alice, route, filled)
    assert many_queries == few_queries
    assert many_bytes > few_bytes * 5 or route in SAME_LENGTH
