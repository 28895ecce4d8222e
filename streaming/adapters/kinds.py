"""What a kind of adapter says of itself: its `KIND` is all that the rest of the house knows of it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from streaming.adapters.contract import InputAdapter, OutputDelivery
from streaming.adapters.network.fetching import Reach
from streaming.adapters.secret_options import secret_names
from streaming.definition.streams import StreamDefinition
from streaming.definition.strict import Strict
from streaming.temporal.events import Shape

BuildInput = Callable[[Any, StreamDefinition, Path, Path | None], InputAdapter]
BuildConnecting = Callable[[Any, StreamDefinition, Path, Path | None, Reach], InputAdapter]
BuildDelivering = Callable[[Any, str, Mapping[str, str], Path, Reach], OutputDelivery]
"""Takes the options, the identity, the fields (name to type), the organisation's `files/` and how far it may reach."""


@dataclass(frozen=True)
class ConnectingBuild:
    """How an adapter is built that connects to other machines: it is told how far it may reach."""

    build: BuildConnecting


def shown_with(*conditions: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """For `json_schema_extra` of an option: forms show it where one of `conditions` holds, or where it is set.

    A condition names options with the values that each of them must have; one that the kind does not have holds never.
    """
    return {"x-shown-with": [{name: list(values) for name, values in each.items()} for each in conditions]}


@dataclass(frozen=True)
class FootprintSeen:
    """What is there of a footprint: the `names` of its parts, and how much a server keeps for them (None: not known).

    `warning` is a sentence for a person who should act, None where nobody has to.
    """

    names: Sequence[str]
    kept_bytes: int | None
    warning: str | None


@dataclass(frozen=True)
class Footprint:
    """What inputs of a kind leave at the other side for as long as they read there, such as a replication slot.

    `what` is a noun for it. `where` says of options as they are stored (secrets sealed) in which place it is: other
    words are another place. `by_hand` says of these options and a holder (`Reach.holder`) what a person runs there to
    remove it. `look` asks, within a reach, what is there of a holder, and `release` removes all of it but the names to
    keep; both raise `AdapterError`, and may be called again at any time. Who removes nothing that is there returns.
    """

    what: str
    where: Callable[[Mapping[str, Any]], str]
    by_hand: Callable[[Mapping[str, Any], str], str]
    look: Callable[[Any, str, Reach], FootprintSeen]
    release: Callable[[Any, str, Collection[str], Reach], None]


@dataclass(frozen=True)
class InputKind:
    """A kind of input adapter, with the pydantic model of its options and whether it can send CTIs itself.

    `fields` are those that the adapter produces (name to type), None where the data decide. `addresses` are the options
    that say where secrets are sent: when one of them changes, the secrets have to be given again. `menu` is its place
    among the kinds that a person chooses from: least first, then by name. `footprint`: what its inputs leave at the
    other side, which is removed when their binding is gone or reads there no more. `clocked` are the shapes of streams
    for which it sends a CTI behind all that it gives, so that nobody need generate any. `thins`: rows may go out of the
    middle of what it holds, or positions hold none, so that what is counted by positions or was read once is a bound.
    """

    kind: str
    title: str
    options: type[Strict]
    build: BuildInput | ConnectingBuild
    sends_ctis: bool
    fields: Mapping[str, str] | None = None
    addresses: frozenset[str] = frozenset()
    menu: int = 100
    footprint: Footprint | None = None
    clocked: frozenset[Shape] = frozenset()
    thins: bool = False

    @property
    def help(self) -> str:
        """One sentence for the page on which a user chooses an adapter."""
        return (self.options.__doc__ or "").strip()

    @cached_property
    def secrets(self) -> frozenset[str]:
        """The options that are secrets: nothing shows them, and they are stored sealed."""
        return secret_names(self.options)

    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema of the options, with titles and help texts, from which a form is drawn."""
        return self.options.model_json_schema()


@dataclass(frozen=True)
class OutputKind:
    """A kind of output adapter, with the pydantic model of its options.

    `deliver` builds what brings a binding's results there. `addresses` are the options that say where secrets are sent,
    as for inputs. `reads_back`: what is delivered can be shown again (`ReadableTarget`). `fills_files`: what is
    delivered lies in the organisation's `files/` and counts there, so that a delivery waits while these are full.
    `latest_by` are the fields, by the options as they are stored, of which the target may keep the newest row alone,
    whatever time that row is of.
    """

    kind: str
    title: str
    options: type[Strict]
    deliver: BuildDelivering
    addresses: frozenset[str] = frozenset()
    menu: int = 100
    reads_back: bool = False
    fills_files: bool = False
    latest_by: Callable[[Mapping[str, Any]], Sequence[str]] = lambda _: ()

    @property
    def help(self) -> str:
        """One sentence for the page on which a user chooses an output."""
        return (self.options.__doc__ or "").strip()

    @cached_property
    def secrets(self) -> frozenset[str]:
        """The options that are secrets: nothing shows them, and they are stored sealed."""
        return secret_names(self.options)

    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema of the options, from which a form is drawn."""
        return self.options.model_json_schema()
