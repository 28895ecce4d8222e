"""Every adapter by its kind: a new one is a folder and one line here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from streaming.adapters.contract import AdapterError, InputAdapter, OutputAdapter
from streaming.adapters.download.adapter import DownloadAdapter
from streaming.adapters.download.options import DownloadOptions
from streaming.adapters.file.adapter import FileAdapter
from streaming.adapters.file.options import FileOptions
from streaming.adapters.file_output.adapter import FileOutput
from streaming.adapters.file_output.options import FileOutputOptions
from streaming.adapters.generator.adapter import FIELDS as GENERATED_FIELDS
from streaming.adapters.generator.adapter import GeneratorAdapter
from streaming.adapters.generator.options import GeneratorOptions
from streaming.adapters.network.fetching import Reach
from streaming.adapters.rows.adapter import RowsAdapter
from streaming.adapters.rows.options import RowsOptions
from streaming.adapters.secret_options import secret_names
from streaming.definition.graph import Strict
from streaming.definition.shape_errors import ShapeError, shape_errors
from streaming.definition.streams import StreamDefinition
from streaming.wire.outgoing import NOTHING, OutgoingPolicy
from streaming.wire.sealed import token_of


class OptionsRefused(AdapterError):
    """The options of an adapter do not fit; `errors` are all that is wrong, each with its path among them."""

    def __init__(self, kind: str, errors: Sequence[ShapeError]) -> None:
        told = "; ".join(f"{each.path}: {each.message}" if each.path else each.message for each in errors)
        super().__init__(f"The options of the adapter '{kind}' do not fit: {told}. Correct them.")
        self.errors = tuple(errors)


Model = TypeVar("Model", bound=Strict)
Build = Callable[[Any, StreamDefinition, Path, Path | None], InputAdapter]
Connect = Callable[[Any, StreamDefinition, Path, Path | None, Reach], InputAdapter]


@dataclass(frozen=True)
class Connecting:
    """How an adapter is built that connects to other machines: it is told how far it may reach."""

    build: Connect


@dataclass(frozen=True)
class AdapterKind:
    """A kind of input adapter, with the pydantic model of its options and whether it can send CTIs itself.

    `fields` are those that the adapter produces (name to type), None where the data decide. `addresses` are the options
    that say where secrets are sent: when one of them changes, the secrets have to be given again.
    """

    kind: str
    title: str
    options: type[Strict]
    build: Build | Connecting
    sends_ctis: bool
    fields: Mapping[str, str] | None = None
    addresses: frozenset[str] = frozenset()

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


_KINDS: Mapping[str, AdapterKind] = {
    kind.kind: kind
    for kind in (
        AdapterKind("file", "Files", FileOptions, FileAdapter, sends_ctis=True),
        AdapterKind(
            "generator", "Generator", GeneratorOptions, GeneratorAdapter, sends_ctis=False, fields=GENERATED_FIELDS
        ),
        AdapterKind(
            "download",
            "Download",
            DownloadOptions,
            Connecting(DownloadAdapter),
            sends_ctis=True,
            addresses=frozenset({"url"}),
        ),
        AdapterKind("rows", "Transcript rows", RowsOptions, RowsAdapter, sends_ctis=True),
    )
}


def kinds() -> Sequence[AdapterKind]:
    """All kinds of input adapters, in the order of the menu."""
    return tuple(_KINDS.values())


def adapter_kind(kind: str) -> AdapterKind:
    """The kind of that name. Raises `AdapterError`, which names those that exist."""
    if kind not in _KINDS:
        raise AdapterError(f"There is no adapter '{kind}'; choose one of {', '.join(_KINDS)}.")
    return _KINDS[kind]


def secrets_among(kind: str, options: Mapping[str, Any]) -> frozenset[str]:
    """The names of the options of `kind` that are secrets; of a kind that there is none of, those that are sealed."""
    if kind in _KINDS:
        return _KINDS[kind].secrets
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
    outgoing: OutgoingPolicy = NOTHING,
) -> InputAdapter:
    """The adapter of `kind` for `stream`, reading inside `root` only.

    `journal` is a folder under the checkpoint in which the adapter keeps what it must find again after a restart
    (without one it remembers in memory: for previews). `outgoing` is where adapters may connect to; who says nothing
    reaches nothing. Raises `AdapterError` for options that do not fit.
    """
    build, read = adapter_kind(kind).build, read_options(kind, options)
    if isinstance(build, Connecting):
        return build.build(read, stream, root, journal, Reach(outgoing))
    return build(read, stream, root, journal)


def sends_ctis(kind: str) -> bool:
    """Whether an adapter of `kind` can enqueue CTIs itself (`check_advance` warns about inputs without a clock)."""
    return adapter_kind(kind).sends_ctis


def output_adapter(kind: str, options: Mapping[str, Any], fields: Mapping[str, str], root: Path) -> OutputAdapter:
    """The output of `kind` for rows with `fields` (name to type), writing inside `root` only.

    Raises `AdapterError` for an unknown kind and for options that do not fit.
    """
    if kind != FileOutput.kind:
        raise AdapterError(f"There is no output adapter '{kind}'; choose one of {FileOutput.kind}.")
    return FileOutput(_validated(FileOutputOptions, kind, options), fields, root)
