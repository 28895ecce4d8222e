"""The organisation and the actor of the current request or task; tenant-owned data requires them and fails closed."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal
from uuid import UUID


class NoOrganisation(RuntimeError):
    """Tenant data was accessed without an organisation in context; an error of the program, never of the user."""


@dataclass(frozen=True)
class Actor:
    """The actor. `label` is an e-mail address or a name, `token` the start of the token, `address` the network address.

    `impersonator` is the address of the administrator of the installation who acts in the session.
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
    """Return the id of the organisation in context. Raises `NoOrganisation` without one."""
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

    The scoped managers still raise: code that works across organisations must use an explicit query set.
    """
    assert reason  # nosec B101 # a programming error, found by the first test
    token = _everywhere.set(reason)
    try:
        yield
    finally:
        _everywhere.reset(token)


def installation_reason() -> str | None:
    """Return why rows of every organisation may be read now; None if they may not."""
    return _everywhere.get()


def current_actor() -> Actor:
    """Return the actor; the program itself outside of requests."""
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
    """Return the id of the current request; None outside of requests."""
    return _request.get()


@contextmanager
def answering(request: str) -> Iterator[None]:
    """Answer the request with the id `request` inside the block."""
    token = _request.set(request)
    try:
        yield
    finally:
        _request.reset(token)
