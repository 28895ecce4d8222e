"""Every address of the application and what kind it is; a new one is of no kind until somebody says so here."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

OF_ORGANISATION = "api/t/<slug:slug>/"

KINDS: dict[str, tuple[str, ...]] = {
    "one's own": ("api/me/", "api/permissions/", "api/guide/", "api/organisations/", "api/invitations/accept/"),
    "open": ("api/sign-in/", "api/ledger-keys/", "api/invitations/look/", "api/openapi.json"),
    "signed": ("api/downloads/<str:signed>/",),
    "sign-in": ("_allauth/",),
    "installation": ("installation/", "api/impersonation/stop/"),
    "page": (
        "api/",
        r"^(?!api/|_allauth/|assets/|static/).*$",
    ),
    "organisation": (OF_ORGANISATION,),
}
"""Prefixes or whole routes of each kind."""


def every_route() -> list[str]:
    """Return every route of the resolver, as the application has it now."""

    def walk(patterns: Sequence[URLPattern | URLResolver], prefix: str) -> Iterator[str]:
        for each in patterns:
            route = prefix + str(each.pattern)
            if isinstance(each, URLResolver):
                yield from walk(each.url_patterns, route)
            else:
                yield route

    return list(walk(get_resolver().url_patterns, ""))


def kind_of(route: str) -> str | None:
    """Return the kind of `route`; None: undefined."""
    whole = [kind for kind, routes in KINDS.items() if route in routes]
    begun = [kind for kind, routes in KINDS.items() for each in routes if each.endswith("/") and route.startswith(each)]
    found: Any = (whole or [kind for kind in begun if kind in {"sign-in", "installation", "organisation"}] or [None])[0]
    return found if found is None or isinstance(found, str) else None
