"""Streams: schema, event shape, where the timestamps are, and the advance-time settings of their adapter."""

from collections import Counter
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from streaming.definition.names import DurationText, ExpressionText, Name, WholeNumber
from streaming.definition.strict import Strict
from streaming.definition.type_text import TypeTextError, parse_type
from streaming.temporal.events import Shape
from streaming.temporal.settings import Basis, Future, Idle, Late, LateEnd


def _normalised(text: str) -> str:
    """Our spelling of a type; one that cannot be read stays, for `check_fields` to say what is wrong with it."""
    try:
        return str(parse_type(text))
    except TypeTextError:
        return text


TypeText = Annotated[str, Field(max_length=20_000), AfterValidator(_normalised)]
"""A field's type: a scalar, `decimal(p, s)` with p <= 38, `array<type>`, or `struct<name: type, ...>`.

What SQL, Spark and Python call them is taken and becomes ours: `integer` is `long`.
"""
TimeUnit = Literal["s", "ms", "us", "ns", "iso"]


class TimeColumn(Strict):
    """The column that holds a time, and how it is written there. Text without a zone is in `zone` (an IANA name)."""

    column: str
    unit: TimeUnit = "iso"
    zone: str = "UTC"


class EventTime(Strict):
    """Where a row's lifetime stands: `end` for intervals, `edge` (values `start`/`end`) for edges."""

    start: TimeColumn
    end: TimeColumn | None = None
    edge: str | None = None


class EventTimeBy(Strict):
    """Where a query finds the time of an input's events, as EVENTTIME BY says it.

    `path` is as written: `a.b` and `_value.a.b` in the value, `_key.a.b` in the key, `_meta.partition` in the metadata.
    """

    path: Annotated[str, Field(min_length=1, max_length=1000)]
    unit: TimeUnit = "iso"
    zone: str = "UTC"


class GenerateSettings(Strict):
    """`every` is a count of received events (a whole number) or a duration (text); `delay` may be negative."""

    every: Annotated[WholeNumber, Field(gt=0)] | DurationText
    delay: DurationText = 0
    basis: Basis = Basis.LAST
    final: bool = False


class AdvanceTimeSettings(Strict):
    """How time advances on an input and what becomes of late events; `late` must be said beside generate or import.

    `preset` is a name with its arguments, such as `watermark(5s)`, and stands for `generate` and `late` (T9).
    `import_from` is the id of another input node, or the name of a stream that exactly one input node reads (T26).
    `over` is an expression over the payload, whose values have a clock each (T15). A lane without an element for
    `idle_after` of wall-clock time is treated as `idle` says (None: left out; T16). An event further than `max_ahead`
    (None: 5 minutes) beyond its arrival is treated as `future` says (T18).
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
    """Where the start of an event comes from: a column, or the arrival of its row (T17)."""

    EXPLICIT = "explicit"
    IMPLICIT = "implicit"


def _each_once(lanes: list[str]) -> list[str]:
    twice = next((lane for lane, count in Counter(lanes).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"the lane {twice!r} is listed twice; list each lane once")
    return lanes


class StreamDefinition(Strict):
    """A named input: its payload `fields` in order, its shape, and its adapter's own settings.

    With the implicit `rowtime`, for points only, each event starts at the arrival of its row, and each heartbeat is a
    CTI at the wall clock on every lane (T17).
    """

    shape: Shape = Shape.POINT
    fields: dict[Name, TypeText]
    event_time: EventTime | None = None
    rowtime: Rowtime = Rowtime.EXPLICIT
    advance: AdvanceTimeSettings = AdvanceTimeSettings()
    lanes: Annotated[list[str], AfterValidator(_each_once)] | None = None


class AdapterChoice(Strict):
    """Which adapter feeds a stream, with its options; the adapter validates them."""

    kind: Name
    options: dict[str, Any]
