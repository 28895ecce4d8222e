"""For whom and by whom the current request or task works; everything tenant-owned asks here, and fails closed."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal
from uuid import UUID


class NoOrganisation(RuntimeError):
    """Tenant data was touched while no organisation was in context; a fault of the program, never of the user."""


@dataclass(frozen=True)
class Actor:
    """Who works. `label` is an e-mail address or a name, `token` how the token begins, `address` where it came from.

    `impersonator` is the address of the installation's admin who sits behind the session.
    """

    kind: Literal["person", "token", "service", "installation", "system"]
    id: str | None
    label: str
    token: str | None = None
    impersonator: str | None = None
    address: str | None = None


SYSTEM = Actor("system", None, "system")
"""The program itself: tasks, commands."""

_current: ContextVar[UUID | None] = ContextVar("organisation", default=None)
_everywhere: ContextVar[str | None] = ContextVar("installation", default=None)
_actor: ContextVar[Actor] = ContextVar("actor", default=SYSTEM)
_request: ContextVar[str | None] = ContextVar("request", default=None)


def current_organisation() -> UUID:
    """Return the id of the organisation in context. Raises `NoOrganisation` if there is none."""
    organisation = _current.get()
    if organisation is None:
        raise NoOrganisation("No organisation is in context: enter one with `organisation_context(id)` first.")
    return organisation


def organisation_or_none() -> UUID | None:
    """Return the id of the organisation in context, None without one."""
    return _current.get()


@contextmanager
def organisation_context(organisation: UUID | None) -> Iterator[None]:
    """Work for `organisation` inside the block; None closes all tenant data. The previous context returns after it."""
    token, everywhere = _current.set(organisation), _everywhere.set(None)
    try:
        yield
    finally:
        _everywhere.reset(everywhere)
        _current.reset(token)


def enter_organisation(organisation: UUID) -> None:
    """Set the organisation for the rest of the enclosing `organisation_context` block."""
    _current.set(organisation)


@contextmanager
def installation_context(reason: str) -> Iterator[None]:
    """Let the database show rows of every organisation inside the block, for the `reason` named in the code.

    The scoped managers raise all the same: who works across organisations writes a query set that says so.
    """
    assert reason  # nosec B101 # a slip of the programmer, found by the first test
    token = _everywhere.set(reason)
    try:
        yield
    finally:
        _everywhere.reset(token)


def installation_reason() -> str | None:
    """Return why rows of every organisation may be seen now; None where they may not."""
    return _everywhere.get()


def current_actor() -> Actor:
    """Return who works; the program itself outside of requests."""
    return _actor.get()


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """Work as `actor` inside the block."""
    token = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(token)


def act_as(actor: Actor) -> None:
    """Work as `actor` for the rest of the enclosing `acting` block."""
    _actor.set(actor)


def request_id() -> str | None:
    """Return the id of the request that is answered; None outside of requests."""
    return _request.get()


@contextmanager
def answering(request: str) -> Iterator[None]:
    """Answer the request with the id `request` inside the block."""
    token = _request.set(request)
    try:
        yield
    finally:
        _request.reset(token)
