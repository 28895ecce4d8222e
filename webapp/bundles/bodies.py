"""Requests and responses of the API about definitions as files."""

from typing import Annotated, Final, Literal

from pydantic import Field

from streaming.definition.faults import Fault
from streaming.definition.strict import Strict

MOST_BODY_BYTES: Final = 8 * 1024 * 1024
"""JSON writes some characters longer than they are; definitions and modules have limits of their own."""
Kind = Literal["stream", "query", "binding", "board"]
"""A definition with a file of its own."""
ChangedKind = Literal["stream", "query", "binding", "board", "module"]
Action = Literal["create", "update", "delete", "unchanged"]


class BundleTexts(Strict):
    """Texts by path: `{streams,bindings,boards}/NAME.yaml`, `queries/NAME.sql` (or `.yaml`, `.json`), and
    `modules/HASH.wasm` in Base64."""

    files: dict[str, str]


class PlanBody(BundleTexts):
    """Files to compare with the organisation's definitions; with `prune` definitions without a file are deleted."""

    prune: bool = False


class ApplyBody(PlanBody):
    """Files to apply; `token` is the token of their plan."""

    token: Annotated[str, Field(max_length=200)]


class FileFault(Fault):
    """An error and its place: `line` and `column` count from 1, in code points."""

    file: str
    line: int
    column: int


class DefinitionChange(Strict):
    """The change of one definition or module; `diff` is a unified diff of its canonical texts, empty if unchanged."""

    kind: ChangedKind
    name: str
    action: Action
    diff: str


class DefinitionsPlan(Strict):
    """The changes of applying the files; errors in `faults` refuse it. `token` identifies the files and definitions."""

    changes: list[DefinitionChange]
    faults: list[FileFault]
    token: str


class FilesRefused(Strict):
    """The error envelope, with the errors of files."""

    code: str
    message: str
    faults: list[FileFault]


class TranscriptBody(Strict):
    """A file of transcripts."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    text: str


class TranscriptResult(Strict):
    """The result of one transcript; `differs` describes the differences, empty if it passed."""

    name: str
    passed: bool
    differs: str


class TranscriptResults(Strict):
    """The transcripts of a file, in order."""

    results: list[TranscriptResult]
