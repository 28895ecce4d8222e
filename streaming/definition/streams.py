"""Streams: schema, event shape, where the timestamps are, and the advance-time settings of their adapter."""

from typing import Annotated, Any, Literal

from pydantic import Field

from streaming.definition.graph import Strict
from streaming.definition.names import DurationText, Name
from streaming.temporal.events import Shape
from streaming.temporal.settings import Basis, Late, LateEnd

TypeText = Annotated[
    str, Field(pattern=r"^(long|double|string|boolean|timestamp|decimal\(\d{1,2},\s*\d{1,2}\)|array<.+>|struct<.+>)$")
]
"""A field's type: a scalar, `decimal(p, s)` with p <= 38, `array<type>`, or `struct<name: type, ...>`."""
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


class GenerateSettings(Strict):
    """`every` is a count of received events (a whole number) or a duration (text); `delay` may be negative."""

    every: Annotated[int, Field(gt=0)] | DurationText
    delay: DurationText = 0
    basis: Basis = Basis.LAST
    final: bool = False


class AdvanceTimeSettings(Strict):
    """How time advances on an input and what becomes of late events; `late` must be said beside `generate`."""

    generate: GenerateSettings | None = None
    late: Late | None = None
    late_end: LateEnd = LateEnd.LEAVE_OPEN


class StreamDefinition(Strict):
    """A named input: its payload `fields` in order, its shape, and its adapter's own settings."""

    shape: Shape = Shape.POINT
    fields: dict[Name, TypeText]
    event_time: EventTime | None = None
    advance: AdvanceTimeSettings = AdvanceTimeSettings()
    lanes: list[str] | None = None


class AdapterChoice(Strict):
    """Which adapter feeds a stream, with its options; the adapter validates them."""

    kind: Name
    options: dict[str, Any]
