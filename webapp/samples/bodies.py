"""What is asked for as a sample, and what comes back."""

from typing import Annotated, Final
from uuid import UUID

from pydantic import Field

from streaming.definition.names import LengthText, Name
from streaming.definition.streams import StreamDefinition, TimeUnit
from streaming.definition.strict import Strict
from streaming.simulator.capturing import RowNote, TakenRow
from streaming.simulator.pasting import ColumnRead
from streaming.wire.quarantine_choice import QuarantineChoice
from webapp.queries.simulation_bodies import MOST_ROWS

MOST_READ: Final = 1_000
"""Rows that are read from an adapter, or from quarantine, for one sample."""
LONGEST_TEXT: Final = 2_000_000
"""Characters of a text that is pasted or uploaded."""
Rows = Annotated[int, Field(ge=1, le=MOST_READ)]


class StreamSampleBody(Strict):
    """The first `rows` rows that the adapter of the stream of that name reads."""

    stream: Name
    rows: Rows = 100


class NamedStreamBody(Strict):
    """A stream of the organisation by name, or, with `definition`, one that stands alone under that name."""

    stream: Name
    definition: StreamDefinition | None = None


class TextSampleBody(NamedStreamBody):
    """CSV with a header, or JSON lines, of which each becomes a row of the stream.

    `columns` says for `start`, `end`, `arrival`, `edge`, `lane` or a field which column holds it, `unit` that of the
    times; what is not said is guessed.
    """

    text: Annotated[str, Field(max_length=LONGEST_TEXT)]
    columns: dict[str, str] = Field(default_factory=dict)
    unit: TimeUnit | None = None


class GeneratedSampleBody(NamedStreamBody):
    """Made-up rows of the stream: `rate` a second, of which the share `late_share` comes late.

    Lateness is exponential with the mean `late_mean`, and `late_max` at most. Equal seeds give equal rows.
    """

    rows: Annotated[int, Field(ge=1, le=MOST_ROWS)] = 100
    rate: Annotated[float, Field(gt=0, le=1_000_000)] = 1.0
    late_share: Annotated[float, Field(ge=0, le=1)] = 0.2
    late_mean: LengthText = "5s"
    late_max: LengthText = "1m"
    malformed_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    duration_mean: LengthText = "5s"
    seed: Annotated[int, Field(ge=0, lt=2**53)] = 1


class QuarantineSampleBody(QuarantineChoice):
    """The newest `rows` rows of the quarantine of a binding that the filter means, oldest first."""

    binding: UUID
    rows: Rows = 100


class RunningSampleBody(Strict):
    """The last `rows` rows of each lane that a binding has read, on time or not."""

    binding: UUID
    rows: Rows = 100


class SampleTaken(Strict):
    """Rows for a sample, as they stand in transcripts; the columns that a text was read by; notes, often none."""

    rows: list[TakenRow]
    columns: list[ColumnRead]
    notes: list[RowNote]
