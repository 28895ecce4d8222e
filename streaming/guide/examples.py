"""The examples of the guide: transcripts with a caption above each, several in the file of a page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from streaming.transcripts.format import Transcript
from streaming.transcripts.load import load
from streaming.transcripts.prepare import define, prepare
from streaming.wire.execution.case import Case

FOLDER: Final = Path(__file__).parent / "examples"


@dataclass(frozen=True)
class Example:
    """One transcript: its caption, and its text as in the file."""

    transcript: Transcript
    caption: str
    text: str

    @property
    def case(self) -> Case:
        """Return the case that the reference runs."""
        return prepare(self.transcript, define(self.transcript))


def examples_of(page: str) -> list[Example]:
    """Return the examples of `page`, in the order of its file. Raises `TranscriptError` for an unreadable example."""
    path = FOLDER / f"{page}.yaml"
    documents = path.read_text(encoding="utf-8").split("\n---\n")
    return [
        Example(loaded.transcript, *_split(document)) for loaded, document in zip(load([path]), documents, strict=True)
    ]


def _split(document: str) -> tuple[str, str]:
    """Split off the comment at the head of a document, which is its caption."""
    lines = document.strip("\n").split("\n")
    head = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    caption = " ".join(line.removeprefix("#").strip() for line in lines[:head])
    return caption, "\n".join(lines[head:])
