"""The base of audit cases: an organisation before each case, and the description of a case."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.webapp.conftest import Person
from webapp.accounts.models import Membership
from webapp.core.context import organisation_context

Asked = tuple[str, Any]
"""The path inside the organisation, and the body."""


@dataclass(frozen=True)
class Stage:
    """Acme as it is before each case: a stream, a query, a binding; bob is a member. Alice is its owner."""

    alice: Person
    bob: Person
    cars: dict[str, Any]
    binding: dict[str, Any]

    @property
    def stream(self) -> str:
        return f"streams/{self.cars['id']}/"

    @property
    def bound(self) -> str:
        return f"bindings/{self.binding['id']}/"

    @property
    def member(self) -> str:
        with organisation_context(self.alice.organisation.pk):
            return str(Membership.objects.get(user=self.bob.user, organisation=self.alice.organisation).pk)

    def made(self, path: str, body: Any = None) -> dict[str, Any]:
        """Return what alice made at `path`."""
        answered = self.alice.post(path, body)
        assert answered.status_code in {200, 201}, answered.content
        return dict(answered.json())


@dataclass(frozen=True)
class Case:
    """A request that causes exactly one event; `also` are events of other objects that it changes."""

    action: str
    ask: Callable[[Stage], Asked]
    label: str
    before: Any = None
    after: Any = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Some:
    """Equal to every mapping that has at least these entries."""

    entries: dict[str, Any]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dict) and all(other.get(name) == value for name, value in self.entries.items())

    __hash__ = None  # type: ignore[assignment]
