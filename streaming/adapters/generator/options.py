"""What a user sets for the `generator` adapter."""

from typing import Annotated

from pydantic import Field

from streaming.definition.names import LengthText
from streaming.definition.strict import Strict

Share = Annotated[float, Field(ge=0, le=1)]


class GeneratorOptions(Strict):
    """Made-up sightings of cars by roadside devices: late, skewed, in bursts, partly malformed, and repeatable."""

    rate: Annotated[
        float, Field(gt=0, le=10_000_000, title="Rate", description="Rows per second, all lanes together.")
    ] = 100.0
    lanes: Annotated[
        int, Field(ge=1, le=64, title="Lanes", description="Channels that take turns; one clock each.")
    ] = 1
    keys: Annotated[int, Field(ge=1, le=1_000_000, title="Plates", description="How many different plates.")] = 100
    key_skew: Annotated[
        float,
        Field(ge=0, le=5, title="Skew of plates", description="0: all equally often; 1: Zipf; more: a few dominate."),
    ] = 1.0
    devices: Annotated[int, Field(ge=1, le=10_000, title="Devices", description="How many devices, a clock each.")] = 10
    clock_skew: Annotated[
        LengthText, Field(title="Clock skew", description="Each device's clock is wrong by up to so much, either way.")
    ] = "0s"
    late_share: Annotated[Share, Field(title="Share late", description="Which part of the rows is sent late.")] = 0.1
    late_mean: Annotated[LengthText, Field(title="Mean lateness", description="Of late rows; exponential.")] = "2s"
    late_max: Annotated[LengthText, Field(title="Largest lateness", description="No row is later than this.")] = "30s"
    burst_every: Annotated[
        int,
        Field(
            ge=0, title="Rows between bursts", description="A burst out of order begins every so many rows; 0: never."
        ),
    ] = 0
    burst_rows: Annotated[int, Field(ge=1, title="Rows in a burst", description="How many rows a burst has.")] = 50
    burst_spread: Annotated[
        LengthText, Field(title="Spread of a burst", description="Rows of a burst are late by anything up to this.")
    ] = "10s"
    malformed_share: Annotated[Share, Field(title="Share malformed", description="Rows that cannot be read.")] = 0.0
    duration_mean: Annotated[
        LengthText, Field(title="Mean duration", description="Of the lifetimes of an interval stream; exponential.")
    ] = "5s"
    seed: Annotated[int, Field(ge=0, lt=2**63, title="Seed", description="Equal seeds give equal rows.")] = 1
    started_at: Annotated[
        int | None,
        Field(
            title="Started at",
            description="Ticks (us since 1970) of the first row. Without it a run begins when it starts, and a preview "
            "shows the rows of 2026-01-01 at once.",
        ),
    ] = None
    total_rows: Annotated[
        int | None, Field(ge=0, title="Rows in all", description="The input ends after so many rows; empty: never.")
    ] = None
