"""Roles and permissions, read from `permission_matrix.yaml`, which the API, the pages and the documentation follow."""

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
    """A permission; the matrix describes each in words."""

    VIEW = "view"
    EDIT = "edit"
    OPERATE = "operate"
    PUSH = "push"
    PROPOSE = "propose"
    ADMINISTER = "administer"
    OWN = "own"


@dataclass(frozen=True)
class RouteRule:
    """The permission that one method of one route requires; `by_token`: tokens are accepted here.

    `by_proposal`: a token whose role has the permission but whose scopes lack it may use `propose` instead.
    """

    permission: Permission
    by_token: bool
    by_proposal: bool = False


@dataclass(frozen=True)
class Matrix:
    """The file, checked: descriptions of roles and permissions, permissions of roles, rules of routes and methods."""

    roles: Mapping[Role, str]
    allows: Mapping[Permission, str]
    allowed: Mapping[Role, frozenset[Permission]]
    routes: Mapping[str, Mapping[str, RouteRule]]


def read_matrix(content: str) -> Matrix:
    """Return the matrix of the file's text. Raises `ValueError` for missing or unknown entries."""
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


def _rules(route: str, entries: Mapping[str, Any]) -> dict[str, RouteRule]:
    by_token = not entries.get("session", False)
    proposals = set(entries.get("proposals", []))
    methods = {name: value for name, value in entries.items() if name not in {"session", "proposals"}}
    if not methods:
        raise ValueError(f"The permission matrix has no method for {route}. Add one, or remove the route.")
    if unknown := sorted((set(methods) - METHODS) | (proposals - set(methods))):
        raise ValueError(f"The permission matrix has unknown methods for {route}: {', '.join(unknown)}.")
    return {
        method: RouteRule(Permission(value), by_token, by_proposal=method in proposals)
        for method, value in methods.items()
    }


MATRIX: Final = read_matrix(FILE.read_text())
ALLOWED: Final = MATRIX.allowed


def allows(role: Role, permission: Permission) -> bool:
    """Return whether `role` may do `permission`."""
    return permission in ALLOWED[role]


def shared(*roles: Role) -> frozenset[Permission]:
    """Return the permissions that all of `roles` have: a token has those that its role and its person share.

    Designer and operator are not ordered, so the smaller of two roles may be neither of them.
    """
    return frozenset.intersection(*(ALLOWED[role] for role in roles))


def roles_with(permission: Permission) -> list[Role]:
    """Return the roles that may do `permission`, the least first."""
    return [role for role in Role if permission in ALLOWED[role]]


def route_rule(route: str, method: str) -> RouteRule | None:
    """Return the rule of `method` at `route`, as the URL resolver writes it; None without a rule, so refuse.

    HEAD and OPTIONS require what GET requires; OPTIONS without a GET requires what the first method there requires.
    """
    rules = MATRIX.routes.get(route.removeprefix(PREFIX), {})
    name = method.lower()
    if name in {"head", "options"}:
        return rules.get("get") or next(iter(rules.values()), None)
    return rules.get(name)
