"""What is sent to the API about definitions as files, and what it answers."""

from typing import Annotated, Literal

from pydantic import Field

from streaming.definition.faults import Fault
from streaming.definition.strict import Strict

Kind = Literal["stream", "query", "binding"]
Action = Literal["create", "update", "delete", "unchanged"]


class BundleTexts(Strict):
    """Texts by path: `streams/NAME.yaml`, `queries/NAME.sql` (or `.yaml`, `.json`), `bindings/NAME.yaml`."""

    files: dict[str, str]


class PlanBody(BundleTexts):
    """Files to compare with what the organisation has; with `prune` what is in none of them is to be deleted."""

    prune: bool = False


class ApplyBody(PlanBody):
    """Files to apply; `token` is that of the plan that was looked at."""

    token: Annotated[str, Field(max_length=200)]


class FileFault(Fault):
    """A fault, and where it is: `line` and `column` count from 1, in code points."""

    file: str
    line: int
    column: int


class DefinitionChange(Strict):
    """What becomes of one definition; `diff` is a unified diff of its canonical texts, empty for what is unchanged."""

    kind: Kind
    name: str
    action: Action
    diff: str


class DefinitionsPlan(Strict):
    """What applying the files changes; with errors among `faults` it is refused. `token` stands for what was seen."""

    changes: list[DefinitionChange]
    faults: list[FileFault]
    token: str


class FilesRefused(Strict):
    """The error envelope, with the faults of files."""

    code: str
    message: str
    faults: list[FileFault]


class TranscriptBody(Strict):
    """A file of transcripts."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    text: str


class TranscriptResult(Strict):
    """Whether one transcript holds; `differs` says what does not, empty when all holds."""

    name: str
    passed: bool
    differs: str


class TranscriptResults(Strict):
    """The transcripts of a file, in order."""

    results: list[TranscriptResult]
