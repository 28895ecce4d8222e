"""Who may do what, read from `permission_matrix.yaml`, which the API, the pages and the documentation follow."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import yaml

FILE: Final = Path(__file__).with_name("permission_matrix.yaml")
PREFIX: Final = "api/t/<slug:slug>/"
METHODS: Final = frozenset({"get", "post", "put", "patch", "delete"})


class Role(StrEnum):
    """A member's role in one organisation."""

    VIEWER = "viewer"
    DESIGNER = "designer"
    OPERATOR = "operator"
    ADMIN = "admin"
    OWNER = "owner"


class Permission(StrEnum):
    """What can be allowed; the matrix says in words what each of them is."""

    VIEW = "view"
    EDIT = "edit"
    OPERATE = "operate"
    PUSH = "push"
    ADMINISTER = "administer"
    OWN = "own"


@dataclass(frozen=True)
class RouteRule:
    """What one method of one route asks for; `by_token`: whether a token may come here at all."""

    permission: Permission
    by_token: bool


@dataclass(frozen=True)
class Matrix:
    """The file, checked: words for roles and permissions, what each role may do, the rule of each route and method."""

    roles: Mapping[Role, str]
    allows: Mapping[Permission, str]
    allowed: Mapping[Role, frozenset[Permission]]
    routes: Mapping[str, Mapping[str, RouteRule]]


def read_matrix(content: str) -> Matrix:
    """Return the matrix of the file's text. Raises `ValueError` for what is missing or not known."""
    raw = yaml.safe_load(content)
    permissions = raw["permissions"]
    if set(raw["roles"]) != set(Role) or set(permissions) != set(Permission):
        raise ValueError("The permission matrix must name every role and every permission, and no other.")
    return Matrix(
        roles={Role(name): words for name, words in raw["roles"].items()},
        allows={Permission(name): each["allows"] for name, each in permissions.items()},
        allowed={
            role: frozenset(Permission(name) for name, each in permissions.items() if role in each["roles"])
            for role in Role
        },
        routes={route: _rules(route, methods) for route, methods in raw["routes"].items()},
    )


def _rules(route: str, said: Mapping[str, Any]) -> dict[str, RouteRule]:
    by_token = not said.get("session", False)
    methods = {name: value for name, value in said.items() if name != "session"}
    if not methods or not set(methods) <= METHODS:
        raise ValueError(f"The permission matrix says for {route} what is no method: {', '.join(sorted(methods))}.")
    return {method: RouteRule(Permission(value), by_token) for method, value in methods.items()}


MATRIX: Final = read_matrix(FILE.read_text())
ALLOWED: Final = MATRIX.allowed


def allows(role: Role, permission: Permission) -> bool:
    """Whether `role` may do `permission`."""
    return permission in ALLOWED[role]


def shared(*roles: Role) -> frozenset[Permission]:
    """Return what every one of `roles` may do: the rights of a token are those that its role and its person share.

    Designer and operator are not in an order, so that the smaller of two roles may be none of the two.
    """
    return frozenset.intersection(*(ALLOWED[role] for role in roles))


def roles_with(permission: Permission) -> list[Role]:
    """Return the roles that may do `permission`, the least first."""
    return [role for role in Role if permission in ALLOWED[role]]


def route_rule(route: str, method: str) -> RouteRule | None:
    """Return the rule of `method` at `route`, as the URL resolver writes it; None: there is none, so refuse.

    HEAD and OPTIONS are asked for what GET asks for, OPTIONS without a GET for what any method there asks for.
    """
    rules = MATRIX.routes.get(route.removeprefix(PREFIX), {})
    name = method.lower()
    if name in {"head", "options"}:
        return rules.get("get") or next(iter(rules.values()), None)
    return rules.get(name)
