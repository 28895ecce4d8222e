"""Requests and responses of the time simulator."""

from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from streaming.definition.names import Name
from streaming.definition.streams.stream import AdvanceTimeSettings
from streaming.definition.strict import Strict
from streaming.simulator.model import Simulation
from streaming.simulator.samples.sample import InstantText, SampleRow
from streaming.wire.execution.case import EndMode
from webapp.queries.bodies import OneOfGraphAndText, OwnStreams

MOST_ROWS: Final = 5_000
"""Rows of a sample."""
MOST_BODY_BYTES: Final = 4 * 1024 * 1024


class SampleBody(Strict):
    """Rows in order of arrival, as in transcripts, with `batch` where a micro-batch ends; and how the sample ends.

    `flush`: every input ends. `stop`: inputs whose settings say `final` end. `none`: no input ends, and pending events
    are shown as waiting.
    """

    rows: Annotated[list[SampleRow | Literal["batch"]], Field(max_length=2 * MOST_ROWS)]
    end: EndMode = EndMode.FLUSH

    @model_validator(mode="after")
    def _is_small(self) -> "SampleBody":
        if (count := sum(row != "batch" for row in self.rows)) > MOST_ROWS:
            raise ValueError(f"a sample has at most {MOST_ROWS:,} rows, and this one has {count:,}")
        return self


class PlaceRequest(Strict):
    """An empty place in the picture: why has `node` no row at the time `at`?"""

    node: Name
    at: InstantText


class SampledQueryBody(OneOfGraphAndText, OwnStreams):
    """A query and a sample to run it on; `advance`, by input node, replaces settings of the text and the streams."""

    advance: dict[Name, AdvanceTimeSettings] = Field(default_factory=dict)
    sample: SampleBody


class SimulationBody(SampledQueryBody):
    """A query and a sample to run it on; `ask`: why is that place empty?"""

    ask: PlaceRequest | None = None


class ComparisonBody(SampledQueryBody):
    """A query and a sample to run under each late policy of `input`; of all inputs without a name."""

    input: Name | None = None


class WhatIfBody(SampledQueryBody):
    """A query and a sample to run with other delays of `input`."""

    input: Name


class SimulationResponse(Simulation):
    """A simulation; `answer` are sentences that answer `ask`, empty without it."""

    answer: list[str]
