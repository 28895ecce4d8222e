"""Reads transcripts: YAML, data only, several documents in a file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from streaming.definition.shape_errors import ShapeError, shape_errors
from streaming.transcripts.format import Transcript
from streaming.wire.yaml_data import YamlError, yaml_documents


class TranscriptError(Exception):
    """A transcript cannot be read; the message names the place and what is wrong with it."""


@dataclass(frozen=True)
class LoadedTranscript:
    """One transcript and the file it stands in."""

    path: Path
    transcript: Transcript


def load(paths: Sequence[Path]) -> list[LoadedTranscript]:
    """All transcripts of the files and folders `paths`, in order of path and place. Raises `TranscriptError`."""
    loaded = [each for path in paths for file in _files(path) for each in _load_file(file)]
    if not loaded:
        raise TranscriptError(f"no transcript in {', '.join(map(str, paths))}; name a .yaml file or a folder of them")
    return loaded


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.suffix in (".yaml", ".yml"))
    if not path.is_file():
        raise TranscriptError(f"{path} does not exist; name a .yaml file or a folder of them")
    return [path]


def _load_file(path: Path) -> Iterator[LoadedTranscript]:
    try:
        text = path.read_text(encoding="utf-8")
        documents = yaml_documents(text)
    except (OSError, UnicodeDecodeError, YamlError) as error:
        raise TranscriptError(f"{path}: {error}") from None
    for number, document in enumerate(documents, start=1):
        if document is not None:
            yield LoadedTranscript(path, parse(document, f"{path}, document {number}"))


def parse(document: object, place: str) -> Transcript:
    """One transcript from its YAML data. Raises `TranscriptError` with every fault and `place`."""
    try:
        return Transcript.model_validate(document)
    except ValidationError as error:
        faults = "; ".join(_sentence(each) for each in shape_errors(error, document))
        raise TranscriptError(f"{place}: {faults}") from None


def _sentence(wrong: ShapeError) -> str:
    unknown = "transcripts have no such key; DEFINITION.md section 4 lists them"
    message = unknown if wrong.kind == "extra_forbidden" else wrong.message
    return f"{wrong.path}: {message}" if wrong.path else message
