"""What travels between the feed and the operators, and out of both."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import pyarrow as pa

from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import NO_CTI
from streaming.wire.failures import FailureTally

EnvelopeKind = Literal["partials", "events", "ctis", "watched"]
TRAILING: Final = "trailing"
"""In the metadata of partials and events of late rows that come after all CTIs of the batch (`Plan.trailing`)."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """One message of a lane to one bucket of the operators; the fields are the columns of the shuffle.

    `seq` orders the envelopes of a (input, lane) inside a batch, from 0. `cti` is the CTI of the lane after the batch
    (NO_CTI, INFINITY are the sentinels); an input all of whose lanes are fed together speaks as the one lane "".
    `chunk` is an Arrow IPC stream:
    partials: folded slices for a window; the schema metadata names the branch.
    events: `Flows.to_table` of one branch, which the metadata names; where the plan is `ordered` with a column `@step`
    (int32): how many of the CTIs that this lane sends for the branch in this batch came before the row.
    ctis: columns `branch` (index in the input's branches), `cti`: the steps of the CTI as each branch sees them; the
    metadata `horizon` is the largest finite time seen, in the input's own times (T4).
    watched: WATCHED_SCHEMA, the received rows whose outcome windows behind the shuffle decide.
    """

    bucket: int
    input: str
    lane: str
    seq: int
    cti: int
    kind: EnvelopeKind
    chunk: bytes


@dataclass(frozen=True, slots=True)
class LaneCounts:
    """Totals of one lane since its first batch, this one included. `outcomes` adds up to `received` (T12).

    `lateness` has wire.messages.LATENESS_BUCKETS entries and counts every violation of a CTI, whatever became of it.
    `cti` and `largest_start` are None where there is none yet; a lane that ended has CTI INFINITY.
    """

    received: int
    outcomes: Mapping[Outcome, int]
    reasons: Mapping[Reason, int]
    lateness: tuple[int, ...]
    cti: int | None
    ended: bool
    largest_start: int | None
    cti_suppressed: int


@dataclass(frozen=True, slots=True)
class LaneTurn:
    """What one lane made of one batch.

    `state` is for the lane's next batch. `late` has the columns of LATE_SCHEMA, one row for each element of this batch
    whose outcome is neither on_time nor reordered (T13), in order of arrival, but for those that are watched: of these
    `counts` has the outcome that the clock gave them. `failures` are those of expressions, of this batch alone.
    `reach` is the largest end of what was enqueued, NO_CTI if nothing was.
    """

    envelopes: list[Envelope]
    state: bytes
    counts: LaneCounts
    late: pa.Table
    failures: FailureTally
    reach: int = NO_CTI


@dataclass(frozen=True, slots=True)
class OperatorOutput:
    """What a turn of the operators released at one output node.

    `rows`: an Arrow IPC stream of `Flows.to_table()`: `@start`, `@end` (ticks), for edges and rows that may be replaced
    `@flag`, `@id` and `@pane_...`, then the fields; rows that are taken back come first, edge ends last. `ctis`: an IPC
    stream with the column `cti`, the output CTIs that moved, INFINITY included. With `output` empty, `late`: received
    rows whose outcome was decided here, with LATE_SCHEMA; `corrections`: JSON, by input and lane how many `outcomes`
    and `reasons` differ from what the feed counted, as totals since the first batch; `failures`: JSON of a
    FailureTally, of this turn alone.
    """

    output: str
    kind: Literal["rows", "ctis", "late", "corrections", "failures"]
    chunk: bytes


LATE_SCHEMA = pa.schema(
    [
        pa.field("input", pa.string(), nullable=False),
        pa.field("lane", pa.string(), nullable=False),
        pa.field("position", pa.int64(), nullable=False),
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
        pa.field("cti", pa.int64()),
        pa.field("outcome", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
        pa.field("policy", pa.string(), nullable=False),
        pa.field("moved_by", pa.int64()),
        pa.field("raw", pa.string(), nullable=False),
        pa.field("edge", pa.string()),
    ]
)
"""The columns of wire.messages.LateEvent, and `edge` (start, end, or null for other shapes). `start` and `end` are the
original ones, null for a malformed row; `end` is INFINITY for an open edge, `cti` null where there was none."""

WATCHED_SCHEMA = pa.schema([*LATE_SCHEMA, pa.field("source", pa.string()), pa.field("refused", pa.string())])
"""LATE_SCHEMA with the outcome of the clock; `source` as in `Flows.source`; `refused` is the reason of the windows for
which the feed folds, when they refused the row."""
