"""The templates, read from their files: a head (title and sentence), then the transcript."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from streaming.definition.names import Name
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.strict import Strict
from streaming.simulator.samples.scenario import Transcript, read_transcript
from streaming.wire.yaml_data import yaml_documents

FOLDER: Final = Path(__file__).parent / "tasks"
_STREAMS: Final = TypeAdapter(dict[Name, StreamDefinition])


class TemplateHead(Strict):
    """The first document of a file: the name of the task, and what it shows."""

    title: str
    shows: str


@dataclass(frozen=True)
class QueryTemplate:
    """A task: its query as SQL, its streams, a sample in order of arrival, and the results."""

    head: TemplateHead
    transcript: Transcript

    @property
    def name(self) -> str:
        """Return the name of its file and of its query."""
        return self.transcript.name

    @property
    def sql(self) -> str:
        """Return the query with its comments."""
        return self.transcript.sql or ""

    @property
    def streams(self) -> dict[str, StreamDefinition]:
        """Return the streams that it reads."""
        return _STREAMS.validate_python(self.transcript.streams)

    @property
    def late(self) -> dict[str, int]:
        """Return how many rows of the sample were late, by outcome."""
        expect = self.transcript.expect
        return dict(Counter(str(each.outcome) for each in (expect.late or [] if expect else [])))


@cache
def templates() -> tuple[QueryTemplate, ...]:
    """Return all templates by name. Raises `TranscriptError` or `ValidationError` for a file that is not a template."""
    return tuple(_read(path) for path in sorted(FOLDER.glob("*.yaml")))


def _read(path: Path) -> QueryTemplate:
    head, document = yaml_documents(path.read_text(encoding="utf-8"))
    return QueryTemplate(TemplateHead.model_validate(head), read_transcript(document, path.name))
