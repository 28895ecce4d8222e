"""The progress report: what a runner reports after each batch of a run.

The sink builds it, a manifest stores it, the runner passes it to Redis, and the web application reads it there.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field

from streaming.definition.expressions.failures import FailureKind
from streaming.wire.beginning import RunBeginning
from streaming.wire.message import Message
from streaming.wire.messages import LateEvent, ResultRow

VERSION: Final = 2
"""The version of the reports that this program writes. Version 1 is that of release 0.1.0, whose readers refuse unknown
fields; since version 2 a report names its version.
"""
_SINCE_2: Final[Mapping[str, Any]] = {
    "version": True,
    "inputs": {"__all__": {"measures", "lanes", "other_lanes", "delay", "lane_wait"}},
}
"""The fields that a reader of version 1 refuses."""
_LEFT_OUT: Final = Field(exclude_if=lambda value: value is None)
"""Null is left out, as in reports of version 1."""
LATENESS_BUCKETS = 40
"""Bucket i counts lateness in `[2**i, 2**(i+1))` us; bucket 0 all below 2 us, the last all above."""
MOST_LANES = 20
"""The maximum number of lanes of an input in a report."""
MOST_FAILURES = 20
"""The maximum number of failed expressions in a report of a run: those that failed most."""


class InputMeasures(Message):
    """Measurements of all rows of one input in this run, in ticks, as in `streaming.wire.measures.Measures`."""

    model_config = ConfigDict(from_attributes=True)

    behind: dict[int, int]
    largest_behind: int | None
    largest_late: int | None
    moved: dict[int, int]
    largest_moved: int | None
    transport: dict[int, int]
    largest_transport: int | None
    last_arrival: int | None


class LaneSums(Message):
    """Totals of some lanes of an input in this run; `dropped` rows are in no result, apart from malformed ones."""

    lanes: int
    received: int
    late: int
    dropped: int


class LaneProgress(Message):
    """One lane of an input. Its own CTI and largest start, and its totals in this run, as in `LaneSums`.

    `last_arrival` is the last known arrival of a row, or, if the adapter knows none, the time at which the batch with
    its last row was planned. `reading`: the batch read rows of it; `waiting`: it had none; `idle`: it is silent, and
    the input does not wait for it (T16); `ended`: it will have none.
    """

    lane: str
    cti: int | None
    largest_start: int | None
    received: int
    late: int
    dropped: int
    last_arrival: int | None
    state: Literal["reading", "waiting", "idle", "ended"]


class InputCounts(Message):
    """Totals of one input. `outcomes` adds up to `received`; `cti` and `largest_start` continue from run to run.

    `lateness` counts late rows by their distance to the CTI that they met. `measures` is null if a program of version 1
    ran or began the run: it did not measure. `lanes` are the MOST_LANES with the lowest CTIs, which delay the input
    most, and `other_lanes` the sums of all others; null: the writer does not list lanes. `delay` is the delay of the
    generated CTIs, null if none are generated. `lane_wait`: by how much the CTI of the input is below the largest CTI
    of its lanes, because it waits for slower ones; null while a lane has no CTI, and once the input has ended.
    """

    received: int
    outcomes: dict[str, int]
    reasons: dict[str, int]
    lateness: Annotated[list[int], Field(min_length=LATENESS_BUCKETS, max_length=LATENESS_BUCKETS)]
    cti: int | None
    ended: bool
    largest_start: int | None
    measures: Annotated[InputMeasures | None, _LEFT_OUT] = None
    lanes: Annotated[list[LaneProgress] | None, Field(max_length=MOST_LANES), _LEFT_OUT] = None
    other_lanes: Annotated[LaneSums | None, _LEFT_OUT] = None
    delay: Annotated[int | None, _LEFT_OUT] = None
    lane_wait: Annotated[int | None, _LEFT_OUT] = None


class ExpressionFailed(Message):
    """An expression of a node that failed on `count` rows since the first start, and is null there (T5).

    `field` is the name of the column or aggregate, else `where`, `by`, `over` or `expression`; `text` is the source of
    the expression, cut at 200 characters. `example` holds the fields that it read on one such row, as text.
    """

    node: str
    field: str
    kind: FailureKind
    count: int
    text: str
    example: dict[str, str | None]


class ProgressReport(Message):
    """A report of one micro-batch of one binding; all counts are totals of the run, so a lost report loses nothing.

    `version` is that of its writer. `of_run` false: a report from before totals were counted by run, with totals since
    the first start of the binding. `held_back` is the organisation's limit of events per second, if it limited the
    batch while more events waited. `failures` are the expressions that failed on most rows; `failed` counts the
    failures of all. `beginning` is the record of the run's start, null for the first run and for one that resumed with
    all state. `reading_again`: it hasn't yet reached the position where the previous run stopped reading. `behind`: for
    a run that reads in parallel with another, how many rows it still has to read of those that the other had read
    before this batch; null for other runs.
    """

    kind: Literal["progress"]
    version: int = 1
    run: str
    batch: int
    at: int
    inputs: dict[str, InputCounts]
    output_ctis: dict[str, int | None]
    results: int
    quarantined: int
    recent_results: list[ResultRow]
    recent_late: list[LateEvent]
    batch_s: float
    of_run: bool = False
    held_back: int | None = None
    failures: list[ExpressionFailed] = Field(default_factory=list, max_length=MOST_FAILURES)
    failed: int = 0
    beginning: RunBeginning | None = None
    reading_again: bool = False
    behind: int | None = None

    def to_redis(self, reader: int) -> str:
        """Return the whole report as a reader of version `reader` accepts it."""
        return self.model_dump_json(exclude=dict(_SINCE_2) if reader < VERSION else None)


def read_without_rows(content: Mapping[str, Any]) -> ProgressReport:
    """Read a report without its newest rows, which are nine tenths of it. Raises `ValidationError`."""
    return ProgressReport.model_validate({**content, "recent_results": [], "recent_late": []})
