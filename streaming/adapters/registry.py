"""Adapters by their kind: what a stream or a binding names becomes an adapter that was told where it may reach."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from streaming.adapters.contract import AdapterError, InputAdapter, OutputDelivery
from streaming.adapters.installed import installed_kinds
from streaming.adapters.kinds import ConnectingBuild, InputKind, OutputKind
from streaming.adapters.network.fetching import Reach
from streaming.definition.shape_errors import ShapeError, shape_errors
from streaming.definition.streams import StreamDefinition
from streaming.definition.strict import Strict
from streaming.wire.outgoing import NOTHING, OutgoingPolicy
from streaming.wire.sealed import token_of


class OptionsRefused(AdapterError):
    """The options of an adapter do not fit; `errors` are all that is wrong, each with its path among them."""

    def __init__(self, kind: str, errors: Sequence[ShapeError]) -> None:
        told = "; ".join(f"{each.path}: {each.message}" if each.path else each.message for each in errors)
        super().__init__(f"The options of the adapter '{kind}' do not fit: {told}. Correct them.")
        self.errors = tuple(errors)


Model = TypeVar("Model", bound=Strict)
Kind = TypeVar("Kind", InputKind, OutputKind)


def kinds() -> Sequence[InputKind]:
    """All kinds of input adapters, in the order of the menu."""
    return tuple(installed_kinds().inputs.values())


def adapter_kind(kind: str) -> InputKind:
    """The kind of that name. Raises `AdapterError`, which names those that exist."""
    return _named(installed_kinds().inputs, kind, "adapter")


def output_kinds() -> Sequence[OutputKind]:
    """All kinds that take the results of bindings, in the order of the menu."""
    return tuple(installed_kinds().outputs.values())


def output_kind(kind: str) -> OutputKind:
    """The kind of output of that name. Raises `AdapterError`, which names those that exist."""
    return _named(installed_kinds().outputs, kind, "output adapter")


def _named(known: Mapping[str, Kind], kind: str, what: str) -> Kind:
    if kind in known:
        return known[kind]
    why = installed_kinds().broken.get(kind)
    if why is not None:
        raise AdapterError(
            f"The {what} '{kind}' comes from a package that is of no use here: {why}. Whoever runs the installation "
            "has to mend or remove the package."
        )
    raise AdapterError(f"There is no {what} '{kind}'; choose one of {', '.join(known)}.")


def secrets_among(kind: str, options: Mapping[str, Any]) -> frozenset[str]:
    """The names of the options of `kind` that are secrets; of a kind that there is none of, those that are sealed."""
    known = installed_kinds().inputs
    if kind in known:
        return known[kind].secrets
    return frozenset(name for name, value in options.items() if token_of(value) is not None)


def output_secrets_among(kind: str, options: Mapping[str, Any]) -> frozenset[str]:
    """`secrets_among` for the options of an output."""
    known = installed_kinds().outputs
    if kind in known:
        return known[kind].secrets
    return frozenset(name for name, value in options.items() if token_of(value) is not None)


def read_options(kind: str, options: Mapping[str, Any]) -> Strict:
    """Validate `options` for `kind`. Raises `AdapterError` with every fault in one message."""
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
    """The adapter of `kind` for `stream`, reading inside `root` only.

    `journal` is a folder under the checkpoint in which the adapter keeps what it must find again after a restart
    (without one it remembers in memory: for previews). `outgoing` is where adapters may connect to, and for whom; who
    says nothing reaches nothing. Raises `AdapterError` for options that do not fit.
    """
    build, read = adapter_kind(kind).build, read_options(kind, options)
    if isinstance(build, ConnectingBuild):
        reach = outgoing if isinstance(outgoing, Reach) else Reach(outgoing)
        return build.build(read, stream, root, journal, reach)
    return build(read, stream, root, journal)


def sends_ctis(kind: str) -> bool:
    """Whether an adapter of `kind` can enqueue CTIs itself (`check_advance` warns about inputs without a clock)."""
    return adapter_kind(kind).sends_ctis


def delivering_adapter(
    kind: str,
    options: Mapping[str, Any],
    identity: str,
    fields: Mapping[str, str],
    root: Path,
    outgoing: OutgoingPolicy = NOTHING,
) -> OutputDelivery:
    """What brings results with `fields` to an output of `kind`; `identity` as in `DeliveringAdapter`.

    Raises `AdapterError` for an unknown kind and for options that do not fit.
    """
    known = output_kind(kind)
    return known.deliver(_validated(known.options, kind, options), identity, fields, root, Reach(outgoing))
