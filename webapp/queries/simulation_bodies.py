"""What is sent to the time simulator, and what it answers."""

from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from streaming.definition.names import Name
from streaming.definition.streams import AdvanceTimeSettings
from streaming.definition.strict import Strict
from streaming.simulator.model import Simulation
from streaming.simulator.sample import InstantText, SampleRow
from streaming.wire.case import EndMode
from webapp.queries.bodies import OneOfGraphAndText, OwnStreams

MOST_ROWS: Final = 5_000
"""Rows of a sample."""
MOST_BODY_BYTES: Final = 4 * 1024 * 1024


class SampleBody(Strict):
    """Rows in order of arrival, as in transcripts, with `batch` where a micro-batch ends; and how the sample ends.

    `flush`: every input ends. `stop`: those end whose settings say `final`. `none`: nothing does, what waits is shown
    as waiting.
    """

    rows: Annotated[list[SampleRow | Literal["batch"]], Field(max_length=2 * MOST_ROWS)]
    end: EndMode = EndMode.FLUSH

    @model_validator(mode="after")
    def _is_small(self) -> "SampleBody":
        if (count := sum(row != "batch" for row in self.rows)) > MOST_ROWS:
            raise ValueError(f"a sample has at most {MOST_ROWS:,} rows, and this one has {count:,}")
        return self


class PlaceAsked(Strict):
    """A place in the picture where nothing is: why has `node` no row at the time `at`?"""

    node: Name
    at: InstantText


class SampledQueryBody(OneOfGraphAndText, OwnStreams):
    """A query and a sample to run it on; `advance`, by input node, replaces what the text and the streams say."""

    advance: dict[Name, AdvanceTimeSettings] = Field(default_factory=dict)
    sample: SampleBody


class SimulationBody(SampledQueryBody):
    """A query and a sample to run it on; `ask`: why is nothing at that place?"""

    ask: PlaceAsked | None = None


class ComparisonBody(SampledQueryBody):
    """A query and a sample to run under each late policy of `input`; of all inputs where none is named."""

    input: Name | None = None


class WhatIfBody(SampledQueryBody):
    """A query and a sample to run with other delays of `input`."""

    input: Name


class SimulationShown(Simulation):
    """A simulation; `answer` are sentences on what was asked, none where nothing was."""

    answer: list[str]
