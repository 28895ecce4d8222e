"""The files of a bundle, read: the definition of each, and every error with its file, line and column."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from pydantic import Field, ValidationError

from streaming.definition.counts import counted
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.names import Name
from streaming.definition.plain_names import NAME_PATTERN
from streaming.definition.shape_errors import shape_errors
from streaming.definition.sql.parse import parse_sql
from streaming.definition.streams.stream import AdapterChoice, AdvanceTimeSettings, EventTimeBy, StreamDefinition
from streaming.definition.strict import Strict
from streaming.wire.freshness import USUAL, Freshness
from webapp.boards.definition import BoardDefinition
from webapp.bundles.bodies import FileFault, Kind
from webapp.bundles.effort import Effort
from webapp.bundles.outputs import OutputFile
from webapp.bundles.yaml_text import Document, Path, YamlRefused, place_at, read_yaml, steps
from webapp.core.errors import fault
from webapp.queries.models import LONGEST_TEXT
from webapp.runs.bindings.service_levels import USUAL_COMPLETENESS, Completeness, FreshnessLevel
from webapp.runs.inputs.input_resolution import InputChoice

MOST_BYTES: Final = 2 * 1024 * 1024
"""Of all files together, as UTF-8."""
MOST_FILES: Final = 2_000
MOST_FAULTS: Final = 200
"""Errors of form that are reported for one file."""
MOST_FAULTS_OF_ALL: Final = 5_000
"""Errors after which no more files are read or checked."""
FOLDERS: Final[Mapping[str, tuple[Kind, tuple[str, ...]]]] = {
    "streams": ("stream", ("yaml",)),
    "queries": ("query", ("sql", "yaml", "json")),
    "bindings": ("binding", ("yaml",)),
    "boards": ("board", ("yaml",)),
}
_NAME: Final = re.compile(NAME_PATTERN)
M = TypeVar("M", bound=Strict)


class StreamFile(StreamDefinition):
    """The content of a file in `streams/`."""

    adapter: AdapterChoice


class InputFile(Strict):
    """One input in a file of `bindings/`; `advance: null` selects the stream's own settings."""

    stream: Name | None = None
    advance: AdvanceTimeSettings | None = None
    event_time: EventTimeBy | None = None


class BindingFile(Strict):
    """The content of a file in `bindings/`."""

    query: Name
    dedicated: bool = False
    freshness: Freshness = USUAL
    completeness: Completeness = USUAL_COMPLETENESS
    freshness_level: FreshnessLevel | None = None
    inputs: dict[Name, InputFile] = Field(default_factory=dict)
    outputs: list[OutputFile] = Field(default_factory=list)

    def choices(self) -> dict[str, InputChoice]:
        """Return the choices for each input, by node."""
        return {
            node: InputChoice(
                stream=each.stream,
                advance=each.advance,
                event_time=each.event_time,
                of_stream=frozenset({"advance", "event_time"} & each.model_fields_set),
            )
            for node, each in self.inputs.items()
        }


@dataclass(frozen=True)
class BundleFile:
    """A file: its text, and for YAML and JSON the value with its places."""

    path: str
    name: str
    text: str
    document: Document = field(default_factory=lambda: Document(None, {}))

    def located(self, found: Fault, *below: Path) -> FileFault:
        """Return `found` at its place: of its span, else of its field, below the path of `below` that goes deepest."""
        if found.span is not None:
            line, column = place_at(self.text, found.span.start)
        else:
            line, column = self.document.place(*((*path, *steps(found.field)) for path in below or ((),)))
        return FileFault(file=self.path, line=line, column=column, **dict(found))


@dataclass
class DefinitionFiles:
    """The definitions of the files, by name; a file with errors of form is left out, and its name is in `broken`."""

    streams: dict[str, tuple[BundleFile, StreamFile]] = field(default_factory=dict)
    queries: dict[str, BundleFile] = field(default_factory=dict)
    bindings: dict[str, tuple[BundleFile, BindingFile]] = field(default_factory=dict)
    boards: dict[str, tuple[BundleFile, BoardDefinition]] = field(default_factory=dict)
    faults: list[FileFault] = field(default_factory=list)
    broken: set[tuple[Kind, str]] = field(default_factory=set)

    def names(self, kind: Kind) -> set[str]:
        """Return the names of `kind` in the files, also of broken ones."""
        sound: Mapping[Kind, Mapping[str, Any]] = {
            "stream": self.streams,
            "query": self.queries,
            "binding": self.bindings,
            "board": self.boards,
        }
        return {*sound[kind], *(name for of, name in self.broken if of == kind)}


def path_of(kind: Kind, name: str) -> str:
    """Return the path to which the definition is exported."""
    folder, endings = next((folder, endings) for folder, (of, endings) in FOLDERS.items() if of == kind)
    return f"{folder}/{name}.{endings[0]}"


def bad_file(path: str, message: str, remedy: str, line: int = 1, column: int = 1) -> FileFault:
    """Return an error of a file as a whole."""
    found = fault(FaultCode.BAD_FILE, message, remedy)
    return FileFault(file=path, line=line, column=column, **dict(found))


def in_no_file(found: Fault) -> FileFault:
    """Return `found` as an error of files; an error that belongs to no file has the path ""."""
    return found if isinstance(found, FileFault) else FileFault(file="", line=1, column=1, **dict(found))


def is_ignored(path: str) -> bool:
    """Return whether a file is ignored: READMEs, transcripts, hidden files."""
    parts = path.split("/")
    return parts[0] == "transcripts" or parts[-1].startswith("README") or any(part.startswith(".") for part in parts)


def too_much_work(file: str, faults: Sequence[FileFault], effort: Effort) -> FileFault | None:
    """Return the error that ends the work before `file`; None while time is left and all errors can be reported."""
    if effort.spent:
        message = f"The files take more than {effort.seconds:g} s to check; {file} and all after it are not checked."
        return bad_file(file, message, "Send fewer or smaller files at once.")
    if len(faults) >= MOST_FAULTS_OF_ALL:
        message = f"There are {counted(len(faults), 'error')}; {file} and the files after it are not checked."
        return bad_file(file, message, "Fix the listed errors first.")
    return None


def read_files(files: Mapping[str, str], effort: Effort) -> DefinitionFiles:
    """Read all files. Never raises: unreadable files are reported as errors."""
    read = DefinitionFiles()
    if refused := _too_much(files):
        read.faults.append(refused)
        return read
    for path in sorted(files):
        if ".." not in path.split("/") and is_ignored(path):
            continue
        if refused := too_much_work(path, read.faults, effort):
            read.faults.append(refused)
            break
        _read_file(path, files[path], read)
    return read


def _too_much(files: Mapping[str, str]) -> FileFault | None:
    if len(files) > MOST_FILES:
        message = f"There are {counted(len(files), 'file')}; the limit is {MOST_FILES:,}."
        return bad_file("", message, "Send fewer.")
    size = sum(len(text.encode()) for text in files.values())
    if size > MOST_BYTES:
        message = f"The files have {counted(size, 'byte')}; the limit is {MOST_BYTES:,}."
        return bad_file("", message, "Send fewer or smaller files.")
    return None


def _read_file(path: str, text: str, read: DefinitionFiles) -> None:
    folder, _, file = path.partition("/")
    name, _, ending = file.partition(".")
    kind, endings = FOLDERS.get(folder, (None, ()))
    if kind is None or ending not in endings or "/" in file:
        remedy = "Use streams/NAME.yaml, queries/NAME.sql (or .yaml, .json), bindings/NAME.yaml or boards/NAME.yaml."
        read.faults.append(bad_file(path, f"A file {path!r} defines nothing.", remedy))
        return
    if not _NAME.fullmatch(name):
        message = f"{name!r} isn't a valid name of a {kind}."
        remedy = "Start with a letter or underscore, followed by up to 62 letters, digits or underscores."
        read.faults.append(bad_file(path, message, remedy))
        return
    if name in read.names(kind):
        message = f"Another file already defines the {kind} {name}."
        read.faults.append(bad_file(path, message, "Remove one of the files."))
        return
    found = _faults_before(path, text)
    source = BundleFile(path, name, text)
    if not found and ending != "sql":
        source, found = _with_document(source)
    if not found:
        found = _take(kind, source, read)
    if found:
        read.faults += found
        read.broken.add((kind, name))


def _faults_before(path: str, text: str) -> list[FileFault]:
    if len(text) > LONGEST_TEXT:
        message = f"The file has {counted(len(text), 'character')}; a definition has at most {LONGEST_TEXT:,}."
        return [bad_file(path, message, "Split it into several definitions.")]
    return []


def _with_document(source: BundleFile) -> tuple[BundleFile, list[FileFault]]:
    """Return the source with its value; JSON is YAML except for tabs, so the YAML parser finds the places in it."""
    is_json = source.path.endswith(".json")
    try:
        value = json.loads(source.text) if is_json else None
        document = read_yaml(source.text.replace("\t", " ") if is_json else source.text)
    except YamlRefused as refused:
        return source, [bad_file(source.path, str(refused), refused.remedy, refused.line, refused.column)]
    except json.JSONDecodeError as error:
        message, remedy = f"This isn't valid JSON: {error.msg}.", "Correct the text at this place."
        return source, [bad_file(source.path, message, remedy, error.lineno, error.colno)]
    except (RecursionError, ValueError):
        return source, [bad_file(source.path, "This JSON cannot be read.", "Use less nesting and smaller numbers.")]
    if is_json:
        document = Document(value, document.places)
    if not isinstance(document.value, dict):
        message = f"The file contains no definition: expected a mapping at the top, not {_describe(document.value)}."
        return source, [bad_file(source.path, message, "Write keys and values.", *document.place())]
    return BundleFile(source.path, source.name, source.text, document), []


def _describe(value: Any) -> str:
    if value is None:
        return "nothing"
    return "a list" if isinstance(value, list) else "a single value"


def _take(kind: Kind, source: BundleFile, read: DefinitionFiles) -> list[FileFault]:
    """Add the definition of `source` to `read`; return the errors of its form instead, if it has any."""
    if kind == "query":
        read.queries[source.name] = source
        return _name_faults(source)
    if kind == "stream":
        stream, faults = _validated(StreamFile, source)
        if stream is not None:
            read.streams[source.name] = (source, stream)
        return faults
    if kind == "board":
        board, faults = _validated(BoardDefinition, source)
        if board is not None:
            read.boards[source.name] = (source, board)
        return faults
    binding, faults = _validated(BindingFile, source)
    if binding is not None:
        read.bindings[source.name] = (source, binding)
    return faults


def _name_faults(source: BundleFile) -> list[FileFault]:
    """Return the error of a query whose text has another name than its file."""
    name: object
    if source.path.endswith(".sql"):
        script = parse_sql(source.text)
        named = next((each for each in script.statements if each.kind == "query"), None)
        name = source.name if named is None else script.raw.get("name")
        place = (1, 1) if named is None else place_at(source.text, named.span.start)
    else:
        name = source.document.value.get("name", source.name)
        place = source.document.place(("name",))
    if name == source.name:
        return []
    message = f"The query is named {name}, its file {source.name}."
    return [bad_file(source.path, message, "Give both the same name.", *place)]


def _validated(model: type[M], source: BundleFile) -> tuple[M | None, list[FileFault]]:
    try:
        return model.model_validate(source.document.value), []
    except ValidationError as error:
        faults = []
        for each in shape_errors(error, source.document.value, most=MOST_FAULTS):
            found = fault(FaultCode.BAD_SHAPE, f"{each.message}.", each.remedy, field=each.path or None)
            line, column = source.document.place(each.location)
            faults.append(FileFault(file=source.path, line=line, column=column, **dict(found)))
        return None, faults
