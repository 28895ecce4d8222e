"""What the inputs of a binding are bound to."""

from dataclasses import dataclass

from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy
from webapp.streams.models import Stream


@dataclass(frozen=True)
class BoundInput:
    """What an input node reads, with settings that replace the stream's where they are set."""

    stream: Stream
    advance: AdvanceTimeSettings | None
    event_time: EventTimeBy | None = None
