"""The bindings of inputs to streams."""

from dataclasses import dataclass

from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy
from webapp.streams.models import Stream


@dataclass(frozen=True)
class BoundInput:
    """The stream that an input node reads, and the settings that replace the stream's own."""

    stream: Stream
    advance: AdvanceTimeSettings | None
    event_time: EventTimeBy | None = None
