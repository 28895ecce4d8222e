"""An event as a row of its group, in order (TEMPORAL, section 8; T27)."""

from dataclasses import dataclass, field
from typing import Any

from streaming.definition.rows import ROW_START
from streaming.reference.flow import Flow
from streaming.temporal.events import Payload
from streaming.temporal.ticks import Tick


@dataclass(frozen=True, slots=True, order=True)
class Row:
    """One event at its start; `place` sorts the rows of a group (T27). `flow` is an edge's start, never its end."""

    place: tuple[Any, ...]
    flow: Flow = field(compare=False)

    @property
    def start(self) -> Tick:
        """Return the start of the event."""
        return self.flow.start

    @property
    def payload(self) -> Payload:
        """Return the fields that expressions on the row see: those of the event, and `_start`."""
        return {**self.flow.payload, ROW_START: self.flow.start}
