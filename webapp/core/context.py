"""The organisation for which the current request or task works; everything tenant-owned asks here, and fails closed."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from uuid import UUID


class NoOrganisation(RuntimeError):
    """Tenant data was touched while no organisation was in context; a fault of the program, never of the user."""


_current: ContextVar[UUID | None] = ContextVar("organisation", default=None)


def current_organisation() -> UUID:
    """Return the id of the organisation in context. Raises `NoOrganisation` if there is none."""
    organisation = _current.get()
    if organisation is None:
        raise NoOrganisation("No organisation is in context: enter one with `organisation_context(id)` first.")
    return organisation


@contextmanager
def organisation_context(organisation: UUID | None) -> Iterator[None]:
    """Work for `organisation` inside the block; None closes all tenant data. The previous context returns after it."""
    token = _current.set(organisation)
    try:
        yield
    finally:
        _current.reset(token)


def enter_organisation(organisation: UUID) -> None:
    """Set the organisation for the rest of the enclosing `organisation_context` block."""
    _current.set(organisation)
