"""The form of a transcript. A key that is not in the definition is refused: none says less than it seems to."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from streaming.definition.expressions.failures import FailureKind
from streaming.definition.names import DurationText, Name
from streaming.definition.strict import Strict
from streaming.temporal.events import EdgeKind
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import TimeTextError, parse_instant
from streaming.wire.case import EndMode

ExecutorName = Literal["reference", "engine", "spark"]
BATCH: Literal["batch"] = "batch"


def _readable(value: int | str) -> int | str:
    try:
        parse_instant(value)
    except TimeTextError as error:
        raise ValueError(str(error)) from None
    return value


InstantText = Annotated[int | str, BeforeValidator(_readable)]
"""Ticks, or ISO 8601 text."""


class TranscriptRow(Strict):
    """One row of `input`: an event, a CTI, a heartbeat, or raw text that cannot be parsed.

    Times and payload may be wrong on purpose: executors judge them (T5). `key` and `meta` are what EVENTTIME BY may
    take a start from, beside the payload.
    """

    stream: Name
    lane: str | None = None
    arrival: InstantText | None = None
    start: Any = None
    end: Any = None
    edge: Any = None
    payload: Any = None
    key: Any = None
    meta: Any = None
    cti: Any = None
    strict: bool = False
    bad: str | None = None
    heartbeat: InstantText | None = None

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        """A row is one of: event, CTI, heartbeat, bad text."""
        said = self.model_fields_set
        for kind, others in (("cti", {"strict"}), ("bad", set[str]()), ("heartbeat", set[str]())):
            extra = said - {kind, "stream", "lane", "arrival"} - others
            if kind in said and extra:
                raise ValueError(f"a row with {kind!r} cannot have {', '.join(sorted(extra))}; write two rows")
        if "strict" in said and "cti" not in said:
            raise ValueError("'strict' goes with 'cti' only")
        return self


class ExpectedEvent(Strict):
    """One row of a result. `end` null is infinity; without `end` the row is a point, `[start, start + 1 tick)`."""

    start: InstantText
    end: InstantText | None = None
    payload: dict[str, Any] = Field(default_factory=dict)
    output: Name | None = None


class ExpectedPane(Strict):
    """The pane metadata of a row (T20), compared on the keys that are given."""

    start: InstantText | None = None
    end: InstantText | None = None
    timing: Literal["early", "on_time", "late"] | None = None
    index: int | None = None
    is_last: bool | None = None


class ExpectedRow(ExpectedEvent):
    """One row as it was released. The `end` of an edge start is infinity; `deleted` rows take one before them back.

    `edge` and `pane` are compared where they are given: `edge: null` is a row that is no edge, `pane: null` one that
    no window made.
    """

    edge: EdgeKind | None = None
    deleted: bool = False
    pane: ExpectedPane | None = None


class ExpectedLate(Strict):
    """One element that was neither on time nor reordered, matched on the keys that are given."""

    stream: Name
    lane: str | None = None
    start: InstantText | None = None
    end: InstantText | None = None
    edge: EdgeKind | None = None
    outcome: Outcome
    reason: Reason | None = None
    moved_by: DurationText | None = None


class ExpectedFailure(Strict):
    """On how many rows an expression of `node` fails, and how (T5).

    `field` is the name of the column or aggregate, `where` of a filter or join, `by`, `over`, or `expression`.
    """

    node: Name
    field: str
    kind: FailureKind
    count: Annotated[int, Field(ge=1)]


class Expect(Strict):
    """What must come out. `ctis` is a list, or with several outputs a list for each."""

    events: list[ExpectedEvent]
    ctis: list[InstantText] | dict[Name, list[InstantText]] | None = None
    late: list[ExpectedLate] | None = None
    rows: list[ExpectedRow] | None = None
    outcomes: dict[Outcome, int] | None = None
    failures: list[ExpectedFailure] | None = None


class Transcript(Strict):
    """One document. `query`, `streams` and `advance` are read as definitions are, so that their faults have codes.

    The query is a graph, or a text (`sql`). `advance` is the binding's settings by input node, which replace the
    stream's and, input by input, what ADVANCE TIME says in the text.
    """

    name: Annotated[str, Field(min_length=1)]
    streams: dict[Name, dict[str, Any]]
    advance: dict[Name, dict[str, Any]] = Field(default_factory=dict)
    query: dict[str, Any] | None = None
    sql: str | None = None
    input: list[TranscriptRow | Literal["batch"]] = Field(default_factory=list)
    end: EndMode = EndMode.FLUSH
    expect: Expect | None = None
    error: str | None = None
    broken_on: list[ExecutorName] = Field(default_factory=list)

    @model_validator(mode="after")
    def _asks_one_thing(self) -> Self:
        """Either a graph or a text."""
        if (self.query is None) == (self.sql is None):
            raise ValueError("say either 'query' or 'sql'")
        return self

    @model_validator(mode="after")
    def _expects_one_thing(self) -> Self:
        """Either results or a refusal."""
        if (self.expect is None) == (self.error is None):
            raise ValueError("say either 'expect' or 'error'")
        if self.error is not None and self.input:
            raise ValueError("a definition that is refused reads no 'input'")
        return self
