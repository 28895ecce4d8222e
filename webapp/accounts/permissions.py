"""The permission table: what each role may do. The API, the pages and the documentation follow it."""

from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """A member's role in one organisation."""

    VIEWER = "viewer"
    DESIGNER = "designer"
    OPERATOR = "operator"
    ADMIN = "admin"
    OWNER = "owner"


class Permission(StrEnum):
    """What can be allowed: to read everything, to design, to start and stop, to manage members."""

    VIEW = "view"
    EDIT = "edit"
    OPERATE = "operate"
    ADMINISTER = "administer"


ALLOWED: Final[dict[Role, frozenset[Permission]]] = {
    Role.VIEWER: frozenset({Permission.VIEW}),
    Role.DESIGNER: frozenset({Permission.VIEW, Permission.EDIT}),
    Role.OPERATOR: frozenset({Permission.VIEW, Permission.OPERATE}),
    Role.ADMIN: frozenset(Permission),
    Role.OWNER: frozenset(Permission),
}


def allows(role: Role, permission: Permission) -> bool:
    """Whether `role` may do `permission`."""
    return permission in ALLOWED[role]


def shared(*roles: Role) -> frozenset[Permission]:
    """Return what every one of `roles` may do: the rights of a token are those that its role and its person share.

    Designer and operator are not in an order, so that the smaller of two roles may be none of the two.
    """
    return frozenset.intersection(*(ALLOWED[role] for role in roles))
