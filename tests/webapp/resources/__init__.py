"""The objects that addresses name: a module of this folder for each kind defines how to make one.

The tests that walk all addresses use them: that ids of others are absent (tenancy, leaks), that answers keep their
schemas and bodies their limits, how many queries a list costs, which event a change writes. A new resource is a module
here; objects that need streams, queries and bindings are in the tables of those tests (`filling`, `cases`).
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.webapp.conftest import Person
from tests.webapp.stage import Case
from webapp.core.tenancy import TenantModel


@dataclass(frozen=True)
class OwnThings:
    """A person with a stream, a query and a binding, each by its id; `mark` is to stand in all that has a name."""

    person: Person
    stream: str
    query: str
    binding: str
    mark: str

    def made(self, path: str, body: Any = None) -> str:
        """Make something through the API; its id."""
        answered = self.person.post(path, body)
        assert answered.status_code == 201, answered.content
        return str(answered.json()["id"])


@dataclass(frozen=True)
class Resource:
    """A kind of thing that addresses name by `parameter`: `<uuid:note>` is `note`.

    `one` makes one and returns its id. `rows` are many of it, for the organisation in context; `lists` are the
    addresses that list it, and what they list; `writes` are the audit cases of the methods that change it.
    """

    parameter: str
    one: Callable[[OwnThings], str]
    rows: Callable[[range], Iterable[TenantModel]] = lambda _: ()
    lists: Mapping[str, str] = field(default_factory=dict)
    writes: Mapping[tuple[str, str], Case] = field(default_factory=dict)


def every_resource() -> list[Resource]:
    """All of them, from the modules of this folder."""
    modules = (importlib.import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__))
    return [each for module in modules for each in vars(module).values() if isinstance(each, Resource)]


def ids_of(things: OwnThings) -> dict[str, str]:
    """An id for each parameter of an address, by its name, but that of a run and of a template."""
    made = {each.parameter: each.one(things) for each in every_resource()}
    return {"stream": things.stream, "query": things.query, "binding": things.binding, **made}


def as_in_routes(ids: Mapping[str, str]) -> dict[str, str]:
    """Ids by the parameters as routes write them."""
    return {f"<{'slug' if name == 'template' else 'uuid'}:{name}>": each for name, each in ids.items()}
