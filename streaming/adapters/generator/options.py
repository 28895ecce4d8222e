"""Options of the `generator` adapter."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from streaming.definition.names import LengthText, length_ticks
from streaming.definition.strict import Strict

Share = Annotated[float, Field(ge=0, le=1)]


class GeneratorOptions(Strict):
    """Simulated sightings of cars by roadside devices: late, skewed, in bursts, partly malformed, and repeatable."""

    rate: Annotated[float, Field(gt=0, le=10_000_000, title="Rate", description="Rows per second over all lanes.")] = (
        100.0
    )
    lanes: Annotated[
        int,
        Field(ge=1, le=64, title="Lanes", description="Number of channels that send in turn, each with its own clock."),
    ] = 1
    keys: Annotated[int, Field(ge=1, le=1_000_000, title="Plates", description="Number of different plates.")] = 100
    key_skew: Annotated[
        float,
        Field(
            ge=0,
            le=5,
            title="Skew of plates",
            description="0: all equally often. 1: Zipf. Higher: a few plates dominate.",
        ),
    ] = 1.0
    devices: Annotated[
        int, Field(ge=1, le=10_000, title="Devices", description="Number of devices, each with its own clock.")
    ] = 10
    clock_skew: Annotated[
        LengthText, Field(title="Clock skew", description="The largest error of a device's clock, in either direction.")
    ] = "0s"
    late_share: Annotated[
        Share, Field(title="Share of late rows", description="The fraction of rows that are sent late, from 0 to 1.")
    ] = 0.1
    late_mean: Annotated[
        LengthText,
        Field(title="Mean lateness", description="The mean lateness of late rows, exponentially distributed."),
    ] = "2s"
    late_max: Annotated[LengthText, Field(title="Largest lateness", description="No row is later than this.")] = "30s"
    burst_every: Annotated[
        int,
        Field(
            ge=0,
            title="Rows between bursts",
            description="A burst of unordered rows begins after this many rows. 0: never.",
        ),
    ] = 0
    burst_rows: Annotated[int, Field(ge=1, title="Rows in a burst", description="Number of rows in a burst.")] = 50
    burst_spread: Annotated[
        LengthText, Field(title="Spread of a burst", description="The largest lateness of a row in a burst.")
    ] = "10s"
    held_lane: Annotated[
        int | None,
        Field(
            ge=0,
            title="Held lane",
            description="The lane that falls silent again and again, and then sends its delayed rows at once. "
            "Empty: none.",
        ),
    ] = None
    held_every: Annotated[
        LengthText, Field(title="Time between silences", description="A silence of the held lane ends in each period.")
    ] = "60s"
    held_for: Annotated[LengthText, Field(title="Length of a silence", description="How long the lane is silent.")] = (
        "15s"
    )
    malformed_share: Annotated[
        Share, Field(title="Share of malformed rows", description="The fraction of malformed rows, from 0 to 1.")
    ] = 0.0
    duration_mean: Annotated[
        LengthText,
        Field(title="Mean duration", description="The mean lifetime in an interval stream, exponentially distributed."),
    ] = "5s"
    seed: Annotated[int, Field(ge=0, lt=2**63, title="Seed", description="Equal seeds give equal rows.")] = 1
    started_at: Annotated[
        int | None,
        Field(
            title="Started at",
            description="Time of the first row in ticks (us since 1970). If it is empty, the first row has the time at "
            "which the run starts, and a preview shows rows of 2026-01-01 at once.",
        ),
    ] = None
    total_rows: Annotated[
        int | None, Field(ge=0, title="Total rows", description="The input ends after this many rows. Empty: never.")
    ] = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.held_lane is not None and self.held_lane >= self.lanes:
            raise ValueError(
                f"'held_lane' is {self.held_lane}, but the lanes are 0 to {self.lanes - 1}; choose one of them"
            )
        if not 0 < length_ticks(self.held_for) < length_ticks(self.held_every):
            raise ValueError("'held_for' must be longer than 0s and shorter than 'held_every'; shorten the silence")
        return self
