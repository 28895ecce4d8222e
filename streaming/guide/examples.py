"""The examples of the guide: transcripts with a sentence above each, several in the file of a page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from streaming.transcripts.format import Transcript
from streaming.transcripts.load import load
from streaming.transcripts.prepare import define, prepare
from streaming.wire.case import Case

FOLDER: Final = Path(__file__).parent / "examples"


@dataclass(frozen=True)
class Example:
    """One transcript: the sentences above it, and its text as it stands in the file."""

    transcript: Transcript
    caption: str
    text: str

    @property
    def case(self) -> Case:
        """What the reference runs."""
        return prepare(self.transcript, define(self.transcript))


def examples_of(page: str) -> list[Example]:
    """The examples of `page`, in the order of its file. Raises `TranscriptError` for what cannot be read."""
    path = FOLDER / f"{page}.yaml"
    documents = path.read_text(encoding="utf-8").split("\n---\n")
    return [
        Example(loaded.transcript, *_split(document)) for loaded, document in zip(load([path]), documents, strict=True)
    ]


def _split(document: str) -> tuple[str, str]:
    """The comment at the head of a document, which is its caption, and the rest."""
    lines = document.strip("\n").split("\n")
    head = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    caption = " ".join(line.removeprefix("#").strip() for line in lines[:head])
    return caption, "\n".join(lines[head:])
