"""The form of a transcript. An unknown key is refused, so that no key is silently ignored."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Field, StrictInt, model_validator

from streaming.definition.expressions.failures import FailureKind
from streaming.definition.names import DurationText, Name
from streaming.definition.strict import Strict
from streaming.temporal.events import EdgeKind
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import TimeTextError, parse_duration, parse_instant
from streaming.wire.execution.case import EndMode

ExecutorName = Literal["reference", "engine", "spark"]
BATCH: Literal["batch"] = "batch"


def _since_epoch(value: Any) -> Any:
    """Return the ticks of a duration such as `10s`, a time after 1970; anything else unchanged."""
    try:
        return parse_duration(value) if isinstance(value, str) else value
    except TimeTextError:
        return value


def _readable(value: Any) -> Any:
    time = _since_epoch(value)
    try:
        parse_instant(time)
    except TimeTextError as error:
        raise ValueError(str(error)) from None
    return time


InstantText = Annotated[int | str, BeforeValidator(_readable)]
"""Ticks, a duration after 1970, or ISO 8601 text."""
WrittenTime = Annotated[Any, BeforeValidator(_since_epoch)]
"""A time as in `InstantText`, or anything that is wrong on purpose."""


_ALONE: Final[Mapping[str, frozenset[str]]] = {
    "cti": frozenset({"strict"}),
    "bad": frozenset(),
    "heartbeat": frozenset(),
    "snapshot": frozenset({"rows"}),
    "delete": frozenset({"start"}),
    "history": frozenset(),
}
"""The keys that make a row something else than an event, and the keys that they may have in addition."""


class TranscriptRow(Strict):
    """One row of `input`: an event, a CTI, a heartbeat, or raw text that cannot be parsed.

    Times and payload may be wrong on purpose: executors judge them (T5). EVENTTIME BY may take a start from `key` and
    `meta`, in addition to the payload.
    """

    stream: Name
    lane: str | None = None
    arrival: InstantText | None = None
    start: WrittenTime = None
    end: WrittenTime = None
    edge: Any = None
    payload: Any = None
    key: Any = None
    meta: Any = None
    cti: WrittenTime = None
    strict: bool = False
    bad: str | None = None
    heartbeat: InstantText | None = None
    delete: Any = None
    snapshot: WrittenTime = None
    rows: Any = None
    source: Annotated[Literal["history", "live"] | None, Field(alias="from")] = None
    position: Annotated[StrictInt, Field(ge=0)] | None = None
    history: Literal["end"] | None = None

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        """Check that a row is one of: event, CTI, heartbeat, bad text."""
        keys = self.model_fields_set
        for kind, others in _ALONE.items():
            extra = keys - {kind, "stream", "lane", "arrival", "source", "position"} - others
            if kind in keys and extra:
                raise ValueError(f"a row with {kind!r} cannot have {', '.join(sorted(extra))}; write two rows")
        if "strict" in keys and "cti" not in keys:
            raise ValueError("'strict' is valid with 'cti' only")
        if ("snapshot" in keys) != ("rows" in keys):
            raise ValueError("'snapshot' and 'rows' need each other; write both or neither")
        return self


class ExpectedEvent(Strict):
    """One row of a result. `end` null is infinity; without `end` the row is a point, `[start, start + 1 tick)`."""

    start: InstantText
    end: InstantText | None = None
    payload: dict[str, Any] = Field(default_factory=dict)
    output: Name | None = None


class ExpectedPane(Strict):
    """The pane metadata of a row (T20), compared on the keys that are set."""

    start: InstantText | None = None
    end: InstantText | None = None
    timing: Literal["early", "on_time", "late"] | None = None
    index: int | None = None
    is_last: bool | None = None


class ExpectedRow(ExpectedEvent):
    """One row as it was released. The `end` of an edge start is infinity; `deleted` rows retract an earlier one.

    `edge` and `pane` are compared if they are set: `edge: null` is a row that is not an edge, `pane: null` one that no
    window made.
    """

    edge: EdgeKind | None = None
    deleted: bool = False
    pane: ExpectedPane | None = None


class ExpectedLate(Strict):
    """One element that was neither on time nor reordered, matched on the keys that are set."""

    stream: Name
    lane: str | None = None
    start: InstantText | None = None
    end: InstantText | None = None
    edge: EdgeKind | None = None
    outcome: Outcome
    reason: Reason | None = None
    moved_by: DurationText | None = None


class ExpectedFailure(Strict):
    """The number of rows on which an expression of `node` fails, and the kind of failure (T5).

    `field` is the name of the column or aggregate, `where` of a filter or join, `by`, `over`, or `expression`.
    """

    node: Name
    field: str
    kind: FailureKind
    count: Annotated[int, Field(ge=1)]


class Expect(Strict):
    """The expected result. `ctis` is a list, or with several outputs a list for each."""

    events: list[ExpectedEvent]
    ctis: list[InstantText] | dict[Name, list[InstantText]] | None = None
    late: list[ExpectedLate] | None = None
    rows: list[ExpectedRow] | None = None
    outcomes: dict[Outcome, int] | None = None
    failures: list[ExpectedFailure] | None = None


class Transcript(Strict):
    """One document. `query`, `streams` and `advance` are read as definitions, so that their errors have codes.

    The query is a graph, or a text (`sql`). `advance` is the binding's settings by input node, which replace the
    stream's and, input by input, those of ADVANCE TIME in the text. `modules` are modules in WebAssembly as text (WAT);
    functions of the query name them where a stored query has the hash of their bytes.
    """

    name: Annotated[str, Field(min_length=1)]
    streams: dict[Name, dict[str, Any]]
    advance: dict[Name, dict[str, Any]] = Field(default_factory=dict)
    modules: dict[Name, str] = Field(default_factory=dict)
    query: dict[str, Any] | None = None
    sql: str | None = None
    input: list[TranscriptRow | Literal["batch"]] = Field(default_factory=list)
    end: EndMode = EndMode.FLUSH
    expect: Expect | None = None
    error: str | None = None
    broken_on: list[ExecutorName] = Field(default_factory=list)

    @model_validator(mode="after")
    def _asks_one_thing(self) -> Self:
        """Check that there is either a graph or a text."""
        if (self.query is None) == (self.sql is None):
            raise ValueError("set either 'query' or 'sql'")
        return self

    @model_validator(mode="after")
    def _expects_one_thing(self) -> Self:
        """Check that there are either results or a refusal."""
        if (self.expect is None) == (self.error is None):
            raise ValueError("set either 'expect' or 'error'")
        if self.error is not None and self.input:
            raise ValueError("a definition that is refused has no 'input'")
        return self
