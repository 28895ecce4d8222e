"""The description of a kind of adapter: its `KIND` is the only interface to the rest of the project."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from streaming.adapters.contract import InputAdapter, OutputDelivery
from streaming.adapters.network.fetching import Reach
from streaming.adapters.secret_options import secret_names
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.strict import Strict
from streaming.temporal.events import Shape

BuildInput = Callable[[Any, StreamDefinition, Path, Path | None], InputAdapter]
BuildConnecting = Callable[[Any, StreamDefinition, Path, Path | None, Reach], InputAdapter]
BuildDelivering = Callable[[Any, str, Mapping[str, str], Path, Reach], OutputDelivery]
"""Takes the options, the identity, the fields (name to type), the organisation's `files/` and the network reach."""


@dataclass(frozen=True)
class ConnectingBuild:
    """The constructor of an adapter that connects to other machines; it also gets the network reach."""

    build: BuildConnecting


def shown_with(*conditions: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Build `json_schema_extra` for an option: forms show it if one of `conditions` holds, or if it is set.

    A condition names options with the values that each of them may have; a condition on an unknown option never holds.
    """
    return {"x-shown-with": [{name: list(values) for name, values in each.items()} for each in conditions]}


@dataclass(frozen=True)
class FootprintStatus:
    """The current parts of a footprint: their `names`, and how much a server stores for them (None: unknown).

    `warning` is a sentence for a person who should act, None if nobody has to.
    """

    names: Sequence[str]
    kept_bytes: int | None
    warning: str | None


@dataclass(frozen=True)
class Footprint:
    """Objects that inputs of a kind create on the other side while they read there, for example a replication slot.

    - `what` is a noun for it.
    - `where` returns the place for options as they are stored (secrets sealed): a different text is a different place.
    - `by_hand` returns the command with which a person removes it, for these options and a holder (`Reach.holder`).
    - `look` finds, within a reach, the parts that belong to a holder.
    - `release` removes all parts of a holder except the names to keep.

    `look` and `release` raise `AdapterError`, and may be called repeatedly. `release` returns if nothing is left to
    remove.
    """

    what: str
    where: Callable[[Mapping[str, Any]], str]
    by_hand: Callable[[Mapping[str, Any], str], str]
    look: Callable[[Any, str, Reach], FootprintStatus]
    release: Callable[[Any, str, Collection[str], Reach], None]


@dataclass(frozen=True)
class InputKind:
    """A kind of input adapter, with the pydantic model of its options; `sends_ctis`: it can send CTIs itself.

    - `fields` are the fields that the adapter produces (name to type), None if the data determine them.
    - `addresses` are the options that decide where secrets are sent: if one changes, the secrets must be entered again.
    - `menu` is its place in the list of kinds: lowest first, then by name.
    - `footprint`: the objects that its inputs create on the other side. They are removed when the binding is deleted or
      no longer reads there.
    - `clocked` are the shapes of streams for which it sends a CTI after all its rows, so that none need be generated.
    - `thins`: stored rows may disappear between others, or positions may have no row. Counts by position are then only
      an upper bound.
    - `ends`: inputs with these options end, so that they can be the history of a stream.
    - `loads`: it can read a table whole, again and again (T51).
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
    ends: Callable[[Any], bool] = lambda _: False
    loads: bool = False

    @property
    def help(self) -> str:
        """A sentence for the page on which a user chooses an adapter."""
        return (self.options.__doc__ or "").strip()

    @cached_property
    def secrets(self) -> frozenset[str]:
        """The options that are secrets: never shown, and stored sealed."""
        return secret_names(self.options)

    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema of the options, with titles and help texts, from which a form is built."""
        return self.options.model_json_schema()


@dataclass(frozen=True)
class OutputKind:
    """A kind of output adapter, with the pydantic model of its options.

    - `deliver` builds the adapter that delivers a binding's results.
    - `addresses` are the options that decide where secrets are sent, as for inputs.
    - `reads_back`: delivered rows can be read again (`ReadableTarget`).
    - `fills_files`: delivered data are stored in the organisation's `files/` and count towards its limit, so that a
      delivery waits while these are full.
    - `latest_by` returns, for options as they are stored, the fields that identify a row. The target may keep only the
      newest row with the same values, whatever the row's time.
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
        """A sentence for the page on which a user chooses an output."""
        return (self.options.__doc__ or "").strip()

    @cached_property
    def secrets(self) -> frozenset[str]:
        """The options that are secrets: never shown, and stored sealed."""
        return secret_names(self.options)

    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema of the options, from which a form is built."""
        return self.options.model_json_schema()
