"""Uses of an object across apps: each app registers how its own objects use objects of the apps below.

An app does not know the apps above it; without this, a stream could not list the queries and bindings that name it.
"""

from collections.abc import Callable
from typing import Final, Literal
from uuid import UUID

from pydantic import RootModel

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from webapp.core.errors import Conflict, MendableFault, MendTarget, fault, mendable

Kind = Literal["stream", "query", "binding"]


class ObjectUse(Strict):
    """One object that uses another: `says` describes the use in words, for example "reads it as cars"."""

    kind: Kind
    id: str
    name: str
    says: str


class UseList(RootModel[list[ObjectUse]]):
    """The uses of an object, by kind and name; it cannot be deleted before them."""


Find = Callable[[UUID, str], list[ObjectUse]]
"""Return the uses of the object with that id and name, in the organisation in context."""
Follow = Callable[[str, str], Callable[[], None]]
"""Prepare to update an object from a used object's old name to its new one; returns a function that does it in the
renaming transaction.

Slow work belongs into the preparation, because nobody else can write during the transaction.
"""

_finders: Final[list[tuple[Kind, Find]]] = []
_followers: Final[list[tuple[Kind, Follow]]] = []


def register_uses(kind: Kind, find: Find) -> None:
    """Register `find`, which finds the uses of an object of `kind`."""
    _finders.append((kind, find))


def register_follower(kind: Kind, follow: Follow) -> None:
    """Register `follow`, which prepares the update when an object of `kind` is renamed."""
    _followers.append((kind, follow))


def uses_of(kind: Kind, id_: UUID, name: str) -> list[ObjectUse]:
    """Return the uses of the object, by kind and name."""
    found = [use for of, find in _finders if of == kind for use in find(id_, name)]
    return sorted(found, key=lambda use: (use.kind, use.name))


def refuse_while_used(kind: Kind, id_: UUID, name: str) -> None:
    """Raise `Conflict`, with an error for each use of the object, while there are any."""
    uses = uses_of(kind, id_, name)
    if not uses:
        return
    names = ", ".join(f"the {use.kind} {use.name}" for use in uses[:5])
    more = f" and {len(uses) - 5} more" if len(uses) > 5 else ""
    message = f"The {kind} {name} is needed by {names}{more}. Change or delete what needs it first."
    raise Conflict(message, faults=[_fault(use) for use in uses])


def _fault(use: ObjectUse) -> MendableFault:
    message, remedy = f"The {use.kind} {use.name} {use.says}.", f"Change or delete the {use.kind} {use.name} first."
    return mendable(fault(FaultCode.IN_USE, message, remedy), [MendTarget(kind=use.kind, id=use.id, name=use.name)])


def followers(kind: Kind, before: str, after: str) -> list[Callable[[], None]]:
    """Prepare all that refer to objects of `kind` by name; call each result in the transaction that renames."""
    return [follow(before, after) for of, follow in _followers if of == kind and before != after]
