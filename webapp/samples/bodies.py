"""Requests for samples, and their responses."""

from typing import Annotated, Final
from uuid import UUID

from pydantic import Field

from streaming.definition.names import LengthText, Name
from streaming.definition.streams.stream import StreamDefinition, TimeUnit
from streaming.definition.strict import Strict
from streaming.simulator.samples.capturing import RowNote, TakenRow
from streaming.simulator.samples.pasting import ColumnRead
from streaming.wire.quarantine_choice import QuarantineChoice
from webapp.queries.simulation.bodies import MOST_ROWS

MOST_READ: Final = 1_000
"""Rows that are read from an adapter, or from quarantine, for one sample."""
LONGEST_TEXT: Final = 2_000_000
"""Characters of a pasted or uploaded text."""
Rows = Annotated[int, Field(ge=1, le=MOST_READ)]


class StreamSampleBody(Strict):
    """The first `rows` rows that the adapter of the stream of that name reads."""

    stream: Name
    rows: Rows = 100


class NamedStreamBody(Strict):
    """A stream of the organisation by name, or, with `definition`, a self-contained one with that name."""

    stream: Name
    definition: StreamDefinition | None = None


class TextSampleBody(NamedStreamBody):
    """CSV with a header, or JSON lines; each record becomes a row of the stream.

    `columns` maps `start`, `end`, `arrival`, `edge`, `lane` or a field to its column, `unit` is the unit of the times;
    omitted ones are guessed.
    """

    text: Annotated[str, Field(max_length=LONGEST_TEXT)]
    columns: dict[str, str] = Field(default_factory=dict)
    unit: TimeUnit | None = None


class GeneratedSampleBody(NamedStreamBody):
    """Generated rows of the stream: `rate` a second; the share `late_share` of them is late.

    Lateness is exponential with the mean `late_mean`, and at most `late_max`. Equal seeds give equal rows.
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
    """The newest `rows` rows of a binding's quarantine that match the filter, oldest first."""

    binding: UUID
    rows: Rows = 100


class RunningSampleBody(Strict):
    """The last `rows` rows of each lane that a binding has read, on time or not."""

    binding: UUID
    rows: Rows = 100


class SampleTaken(Strict):
    """Rows for a sample, in the form of transcripts; the columns of a text; notes, often none."""

    rows: list[TakenRow]
    columns: list[ColumnRead]
    notes: list[RowNote]
