"""The start-up check that routes of an organisation and rules of the permission matrix match."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, register
from django.urls import URLPattern, URLResolver, get_resolver

from webapp.accounts.permissions import MATRIX, METHODS, PREFIX


def routes() -> Iterator[tuple[str, Any]]:
    """Yield every route of the application with its view."""

    def walk(patterns: Sequence[URLPattern | URLResolver], prefix: str) -> Iterator[tuple[str, Any]]:
        for each in patterns:
            route = prefix + str(each.pattern)
            if isinstance(each, URLResolver):
                yield from walk(each.url_patterns, route)
            else:
                yield route, each.callback

    yield from walk(get_resolver().url_patterns, "")


def answered(view: Any) -> frozenset[str]:
    """Return the methods that a class-based view answers, except HEAD and OPTIONS."""
    return frozenset(method for method in METHODS | {"patch"} if hasattr(view.view_class, method))


@register()
def every_route_has_its_rule(**_: Any) -> list[CheckMessage]:
    """Return one error for each route of an organisation whose methods and rules differ."""
    faults: list[CheckMessage] = []
    found = {route.removeprefix(PREFIX): answered(view) for route, view in routes() if route.startswith(PREFIX)}
    for route in sorted({*found, *MATRIX.routes}):
        methods, rules = found.get(route, frozenset()), frozenset(MATRIX.routes.get(route, {}))
        if methods != rules:
            faults.append(
                Error(
                    f"{route} answers {_words(methods)}; the permission matrix has rules for {_words(rules)}.",
                    hint="Make webapp/accounts/permission_matrix.yaml and webapp/urls.py agree.",
                    id="punctual.E002",
                )
            )
    return faults


def _words(methods: frozenset[str]) -> str:
    return ", ".join(sorted(methods)) or "nothing"
