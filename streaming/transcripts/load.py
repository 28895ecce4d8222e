"""Reads transcripts: YAML, data only, several documents in a file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from streaming.definition.shape_errors import ShapeError, shape_errors
from streaming.transcripts.format import Transcript
from streaming.wire.yaml_data import YamlError, yaml_documents


class TranscriptError(Exception):
    """A transcript that cannot be read; the message names the place and the error."""


@dataclass(frozen=True)
class LoadedTranscript:
    """One transcript and its file."""

    path: Path
    transcript: Transcript


@dataclass(frozen=True)
class UnreadableTranscript:
    """A file or a document that cannot be read; `name` is the document's, empty if it has none."""

    name: str
    reason: str


def load(paths: Sequence[Path]) -> list[LoadedTranscript]:
    """Return all transcripts of the files and folders `paths`, in order of path and place. Raises `TranscriptError`."""
    loaded = []
    for each in load_each(paths):
        if isinstance(each, UnreadableTranscript):
            raise TranscriptError(each.reason)
        loaded.append(each)
    return loaded


def load_each(paths: Sequence[Path]) -> list[LoadedTranscript | UnreadableTranscript]:
    """Do as `load`, with an entry in place of each file or document that cannot be read.

    Raises `TranscriptError` for a missing path, and if there is no transcript at all.
    """
    loaded = [each for path in paths for file in _files(path) for each in _load_file(file)]
    if not loaded:
        raise TranscriptError(f"no transcript in {', '.join(map(str, paths))}; name a .yaml file or a folder of them")
    return loaded


def _files(path: Path) -> list[Path]:
    try:
        if path.is_dir():
            return sorted(file for file in path.rglob("*") if file.suffix in (".yaml", ".yml"))
        is_file = path.is_file()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TranscriptError(f"{path} cannot be read ({reason}); name a .yaml file or a folder of them") from None
    if not is_file:
        raise TranscriptError(f"{path} does not exist; name a .yaml file or a folder of them")
    return [path]


def _load_file(path: Path) -> Iterator[LoadedTranscript | UnreadableTranscript]:
    try:
        text = path.read_text(encoding="utf-8")
        documents = yaml_documents(text)
    except (OSError, UnicodeDecodeError, YamlError) as error:
        yield UnreadableTranscript("", f"{path}: {error}")
        return
    for number, document in enumerate(documents, start=1):
        if document is None:
            continue
        place = f"{path}, document {number}"
        try:
            yield LoadedTranscript(path, parse(document, place))
        except TranscriptError as error:
            name = document.get("name") if isinstance(document, dict) else None
            yield UnreadableTranscript(name if isinstance(name, str) else "", str(error))


def parse(document: object, place: str) -> Transcript:
    """Read one transcript from its YAML data. Raises `TranscriptError` with every error and `place`."""
    try:
        return Transcript.model_validate(document)
    except ValidationError as error:
        faults = "; ".join(_sentence(each) for each in shape_errors(error, document))
        raise TranscriptError(f"{place}: {faults}") from None


def _sentence(wrong: ShapeError) -> str:
    unknown = "transcripts have no such key; DEFINITION.md section 4 lists them"
    message = unknown if wrong.kind == "extra_forbidden" else wrong.message
    return f"{wrong.path}: {message}" if wrong.path else message
