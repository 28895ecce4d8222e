"""Streams: schema, event shape, columns of the timestamps, and the advance-time settings of their adapter."""

from collections import Counter
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, StrictInt, model_validator

from streaming.definition.names import DurationText, Name, WholeNumber
from streaming.definition.payload.type_text import TypeTextError, parse_type
from streaming.definition.streams.time_patterns import MOST_CHARACTERS, TimePatternError, time_pattern
from streaming.definition.strict import ExpressionText, Strict
from streaming.temporal.events import Shape
from streaming.temporal.settings import Basis, Future, Idle, Late, LateEnd
from streaming.temporal.ticks import TimeTextError, parse_instant


def _normalised(text: str) -> str:
    """Return our spelling of a type; an unreadable one stays unchanged, so that `check_fields` can report it."""
    try:
        return str(parse_type(text))
    except TypeTextError:
        return text


TypeText = Annotated[str, Field(max_length=20_000), AfterValidator(_normalised)]
"""A field's type: a scalar, `decimal(p, s)` with p <= 38, `array<type>`, or `struct<name: type, ...>`.

Names from SQL, Spark and Python are accepted and converted: `integer` becomes `long`.
"""
TimeUnit = Literal["s", "ms", "us", "ns", "iso", "pattern", "excel"]


def _readable(pattern: str) -> str:
    try:
        time_pattern(pattern)
    except TimePatternError as error:
        raise ValueError(str(error)) from None
    return pattern


PatternText = Annotated[str, Field(max_length=MOST_CHARACTERS), AfterValidator(_readable)]
"""The format of a time, in the letters of `time_patterns`."""


PatternOption = Annotated[PatternText | None, Field(exclude_if=lambda pattern: pattern is None)]
"""Left out if None, so that definitions without a pattern keep the digests that they had before patterns existed."""


def _with_its_pattern(unit: TimeUnit, pattern: str | None) -> None:
    if (unit == "pattern") != (pattern is not None):
        raise ValueError("`pattern` and the unit `pattern` need each other; set both or neither")


class TimeColumn(Strict):
    """The column with a time, and its format. Text without a zone is in `zone` (an IANA name).

    `pattern` is the format of text if the unit is `pattern`, and only then. `excel`: days since 1899-12-30,
    rounded to milliseconds, as spreadsheets store times, in local time of `zone`. `time_column` is the column with the
    time of day if `column` has only the day: both texts are read as one, with a blank between them.
    """

    column: str
    unit: TimeUnit = "iso"
    zone: str = "UTC"
    pattern: PatternOption = None
    time_column: Annotated[str | None, Field(exclude_if=lambda column: column is None)] = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        _with_its_pattern(self.unit, self.pattern)
        return self


class EventTime(Strict):
    """The columns of a row's lifetime: `end` for intervals, `edge` (values `start`/`end`) for edges."""

    start: TimeColumn
    end: TimeColumn | None = None
    edge: str | None = None


class EventTimeBy(Strict):
    """The path to the time of an input's events, as set by EVENTTIME BY.

    `path` is as written: `a.b` and `_value.a.b` in the value, `_key.a.b` in the key, `_meta.partition` in the metadata.
    """

    path: Annotated[str, Field(min_length=1, max_length=1000)]
    unit: TimeUnit = "iso"
    zone: str = "UTC"
    pattern: PatternOption = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        _with_its_pattern(self.unit, self.pattern)
        return self


class GenerateSettings(Strict):
    """`every` is a count of received events (a whole number) or a duration (text); `delay` may be negative."""

    every: Annotated[WholeNumber, Field(gt=0)] | DurationText
    delay: DurationText = 0
    basis: Basis = Basis.LAST
    final: bool = False


class AdvanceTimeSettings(Strict):
    """The clock of an input and its policy for late events; `late` is required with `generate` or `import_from`.

    `preset` is a name with its arguments, such as `watermark(5s)`, and replaces `generate` and `late` (T9).
    `import_from` is the id of another input node, or the name of a stream that exactly one input node reads (T26).
    `over` is an expression over the payload; each of its values has its own clock (T15). `idle` is the policy for a
    lane without an element for `idle_after` of wall-clock time (None: left out; T16). `future` is the policy for an
    event that is more than `max_ahead` (None: 5 minutes) ahead of its arrival (T18).
    """

    preset: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    generate: GenerateSettings | None = None
    import_from: Name | None = None
    late: Late | None = None
    late_end: LateEnd = LateEnd.LEAVE_OPEN
    over: ExpressionText | None = None
    idle_after: DurationText | None = None
    idle: Idle | None = None
    max_ahead: DurationText | None = None
    future: Future = Future.HOLD


class Rowtime(StrEnum):
    """The source of an event's start: a column, or the arrival of its row (T17)."""

    EXPLICIT = "explicit"
    IMPLICIT = "implicit"


def _each_once(lanes: list[str]) -> list[str]:
    twice = next((lane for lane, count in Counter(lanes).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"the lane {twice!r} is listed twice; list each lane once")
    return lanes


_LEFT_OUT: Final = Field(exclude_if=lambda value: value is None)
"""An option that is left out if None, so that definitions without it keep their digests."""


class FirstSnapshot(StrEnum):
    """The time from which the first snapshot of a table holds: the beginning of time, or its own (T50)."""

    ALWAYS = "always"
    EFFECTIVE = "effective"


class TableClock(StrEnum):
    """The clock of a table: that of another input, the times of its loads, or infinity after the first load (T51)."""

    FOLLOW = "follow"
    POLL = "poll"
    STATIC = "static"


def _effective(text: str) -> str:
    word, _, rest = text.partition(" ")
    if word == "path" and rest:
        _readable(rest)
    elif not (word == "column" and rest) and text not in ("poll", "file_time", "commit"):
        raise ValueError("write 'poll', 'file_time', 'column NAME', 'path PATTERN' or 'commit'")
    return text


class Load(Strict):
    """The loads of a table that is read whole, again and again: each change of its files is a snapshot (T50, T51).

    `every` is the time between two polls. `effective` is the time of a load: `poll` (the wall clock of the poll),
    `file_time` (when its files were last written), `column NAME` (a column with the same time in every row), or `path
    PATTERN` (the pattern of a date that is the file's name; each file is a load). `commit` is that of a change.
    """

    every: DurationText = "1m"
    effective: Annotated[str, Field(max_length=1_000), AfterValidator(_effective)] = "poll"


def _readable_instant(value: int | str) -> int | str:
    try:
        parse_instant(value)
    except TimeTextError as error:
        raise ValueError(str(error)) from None
    return value


_Place = Annotated[StrictInt, Field(ge=0)]


class Seam(Strict):
    """The source that has a row (T55): exactly one of `position`, `time` and `id` is set.

    `position`: history has what is before this place of each lane (or of those listed), live the rest. `time`: history
    has what starts before it. `id`: a live row whose value history had is an overlap; the values are kept for `over`,
    a length of event time back from the end of history.
    """

    position: _Place | dict[str, _Place] | None = None
    time: Annotated[int | str, BeforeValidator(_readable_instant)] | None = None
    id: ExpressionText | None = None
    over: DurationText | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if sum(each is not None for each in (self.position, self.time, self.id)) != 1:
            raise ValueError("a seam is one of 'position', 'time' and 'id'; set exactly one of them")
        if self.over is not None and self.id is None:
            raise ValueError("'over' limits how long ids are kept; set it with 'id' only")
        return self


class Historic(StrEnum):
    """The handling of results of history alone: stored, stored and delivered to outputs, or discarded (T57)."""

    STORE = "store"
    DELIVER = "deliver"
    DISCARD = "discard"


class AdapterChoice(Strict):
    """The adapter that feeds a stream, with its options, which the adapter validates."""

    kind: Name
    options: dict[str, Any]


class History(Strict):
    """The history of an input: where it ends and live rows begin, and the order in which its rows are judged (T56).

    `adapter` reads its rows, None in transcripts. `historic` is None for `store`.
    """

    seam: Seam
    order: Literal["arrival", "time"] = "arrival"
    adapter: Annotated[AdapterChoice | None, _LEFT_OUT] = None
    historic: Annotated[Historic | None, _LEFT_OUT] = None


class StreamDefinition(Strict):
    """A named input: its payload `fields` in order, its shape, and its adapter's own settings.

    With the implicit `rowtime`, for points only, each event starts at the arrival of its row, and each heartbeat is a
    CTI at the wall clock on every lane (T17).

    A stream of the shape `table` has `keys` (T48). Of rows of one key and start the one with the greatest `version`
    counts (T49). `first`, `max_keys` and `clock` are as in T50, T53 and T51; `follow` is the input that the clock
    `follow` takes CTIs from, None if the query has only one other. With `load` its adapter reads it whole (T51).
    """

    shape: Shape = Shape.POINT
    fields: dict[Name, TypeText]
    event_time: EventTime | None = None
    rowtime: Rowtime = Rowtime.EXPLICIT
    advance: AdvanceTimeSettings = AdvanceTimeSettings()
    lanes: Annotated[list[str], AfterValidator(_each_once)] | None = None
    keys: Annotated[list[Name] | None, _LEFT_OUT] = None
    version: Annotated[Name | None, _LEFT_OUT] = None
    first: Annotated[FirstSnapshot | None, _LEFT_OUT] = None
    max_keys: Annotated[Annotated[WholeNumber, Field(gt=0)] | None, _LEFT_OUT] = None
    clock: Annotated[TableClock | None, _LEFT_OUT] = None
    follow: Annotated[Name | None, _LEFT_OUT] = None
    history: Annotated[History | None, _LEFT_OUT] = None
    load: Annotated[Load | None, _LEFT_OUT] = None
