"""Adapters by their kind: builds the adapter that a stream or a binding names, with its network reach."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from streaming.adapters.contract import AdapterError, InputAdapter, OutputDelivery
from streaming.adapters.installed import installed_kinds
from streaming.adapters.kinds import ConnectingBuild, InputKind, OutputKind
from streaming.adapters.network.fetching import Reach
from streaming.definition.shape_errors import ShapeError, shape_errors
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.strict import Strict
from streaming.wire.outgoing import NOTHING, OutgoingPolicy
from streaming.wire.sealed import token_of


class OptionsRefused(AdapterError):
    """The options of an adapter are invalid; `errors` are all problems, each with its path in the options."""

    def __init__(self, kind: str, errors: Sequence[ShapeError]) -> None:
        messages = "; ".join(f"{each.path}: {each.message}" if each.path else each.message for each in errors)
        super().__init__(f"The options of the adapter '{kind}' are invalid: {messages}. Correct them.")
        self.errors = tuple(errors)


Model = TypeVar("Model", bound=Strict)
Kind = TypeVar("Kind", InputKind, OutputKind)


def kinds() -> Sequence[InputKind]:
    """All kinds of input adapters, in the order of the menu."""
    return tuple(installed_kinds().inputs.values())


def adapter_kind(kind: str) -> InputKind:
    """The kind with that name. Raises `AdapterError`, which names those that exist."""
    return _named(installed_kinds().inputs, kind, "adapter")


def output_kinds() -> Sequence[OutputKind]:
    """All kinds of output adapters, in the order of the menu."""
    return tuple(installed_kinds().outputs.values())


def output_kind(kind: str) -> OutputKind:
    """The output kind with that name. Raises `AdapterError`, which names those that exist."""
    return _named(installed_kinds().outputs, kind, "output adapter")


def _named(known: Mapping[str, Kind], kind: str, what: str) -> Kind:
    if kind in known:
        return known[kind]
    why = installed_kinds().broken.get(kind)
    if why is not None:
        raise AdapterError(
            f"The {what} '{kind}' comes from a package that can't be used: {why}. Your administrator has to fix or "
            "remove the package."
        )
    raise AdapterError(f"There is no {what} '{kind}'. Choose from {', '.join(known)}.")


def secrets_among(kind: str, options: Mapping[str, Any]) -> frozenset[str]:
    """The names of the secret options of `kind`; for an unknown kind, the options that are sealed."""
    known = installed_kinds().inputs
    if kind in known:
        return known[kind].secrets
    return frozenset(name for name, value in options.items() if token_of(value) is not None)


def output_secrets_among(kind: str, options: Mapping[str, Any]) -> frozenset[str]:
    """As `secrets_among`, for the options of an output."""
    known = installed_kinds().outputs
    if kind in known:
        return known[kind].secrets
    return frozenset(name for name, value in options.items() if token_of(value) is not None)


def read_options(kind: str, options: Mapping[str, Any]) -> Strict:
    """Validate `options` for `kind`. Raises `AdapterError` with every problem in one message."""
    return _validated(adapter_kind(kind).options, kind, options)


def _validated(model: type[Model], kind: str, options: Mapping[str, Any]) -> Model:
    try:
        return model.model_validate(dict(options))
    except ValidationError as error:
        raise OptionsRefused(kind, shape_errors(error, dict(options))) from None


def input_adapter(
    kind: str,
    options: Mapping[str, Any],
    stream: StreamDefinition,
    root: Path,
    journal: Path | None = None,
    outgoing: OutgoingPolicy | Reach = NOTHING,
) -> InputAdapter:
    """Build the adapter of `kind` for `stream`, which reads only inside `root`.

    `journal` is a folder under the checkpoint for the data that the adapter needs after a restart (None for previews:
    in memory). `outgoing` decides where the adapter may connect, and for which input; by default nowhere. Raises
    `AdapterError` for invalid options.
    """
    build, read = adapter_kind(kind).build, read_options(kind, options)
    if stream.load is not None and not adapter_kind(kind).loads:
        raise AdapterError(
            f"A table can't be loaded whole by an adapter of the kind '{kind}' yet, only from files. Use files, or "
            "leave 'load' out, so that each row is a version."
        )
    if isinstance(build, ConnectingBuild):
        reach = outgoing if isinstance(outgoing, Reach) else Reach(outgoing)
        return build.build(read, stream, root, journal, reach)
    return build(read, stream, root, journal)


def sends_ctis(kind: str) -> bool:
    """Return True if an adapter of `kind` can send CTIs (`check_advance` warns about inputs without a clock)."""
    return adapter_kind(kind).sends_ctis


def delivering_adapter(
    kind: str,
    options: Mapping[str, Any],
    identity: str,
    fields: Mapping[str, str],
    root: Path,
    outgoing: OutgoingPolicy = NOTHING,
) -> OutputDelivery:
    """Build the adapter that delivers results with `fields` to an output of `kind`; `identity`: `DeliveringAdapter`.

    Raises `AdapterError` for an unknown kind and for invalid options.
    """
    known = output_kind(kind)
    return known.deliver(_validated(known.options, kind, options), identity, fields, root, Reach(outgoing))
