"""Messages from the feed to the operators, and the output of both."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import pyarrow as pa

from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import NO_CTI
from streaming.wire.execution.failures import FailureTally

EnvelopeKind = Literal["partials", "events", "ctis", "watched", "reports"]
TRAILING: Final = "trailing"
"""In the metadata of partials and events of late rows that come after all CTIs of the batch (`Plan.trailing`)."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """One message of a lane to one bucket of the operators; the fields are the columns of the shuffle.

    `seq` orders the envelopes of a (input, lane) inside a batch, from 0. `cti` is the CTI of the lane after the batch
    (NO_CTI, INFINITY are the sentinels); an input whose lanes are all fed together uses the one lane "". `chunk` is an
    Arrow IPC stream:
    - partials: folded slices for a window; the schema metadata names the branch.
    - events: `Flows.to_table` of one branch, named in the metadata. If the plan is `ordered`, a column `@step` (int32)
      counts the CTIs that this lane sends for the branch in this batch before the row.
    - ctis: columns `branch` (index in the input's branches), `cti`: the steps of the CTI as each branch sees them; the
      metadata `horizon` is the largest finite time seen, in the input's own times (T4).
    - watched: WATCHED_SCHEMA, the received rows whose outcome windows after the shuffle decide.
    - reports: REPORT_SCHEMA, about watched rows of tables.
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

    `lateness` has wire.progress.LATENESS_BUCKETS entries and counts every violation of a CTI, whatever its outcome.
    `cti` and `largest_start` are None before the first; a lane that ended has CTI INFINITY. `own_cti` is the
    CTI of the lane itself where `cti` is that of its input, fed together; `idle`: it is, so the input does not wait for
    it (T16). `measures` are the fields of `Measures`, of this batch alone.
    """

    received: int
    outcomes: Mapping[Outcome, int]
    reasons: Mapping[Reason, int]
    lateness: tuple[int, ...]
    cti: int | None
    ended: bool
    largest_start: int | None
    cti_suppressed: int
    measures: Mapping[str, Any]
    own_cti: int | None = None
    idle: bool = False


@dataclass(frozen=True, slots=True)
class LaneTurn:
    """The result of one lane for one batch.

    `state` is for the lane's next batch. `late` has the columns of LATE_SCHEMA, one row for each element of this batch
    whose outcome is neither on_time nor reordered (T13), in order of arrival, except watched rows: for these `counts`
    has the outcome of the clock. `failures` are those of expressions, of this batch alone. `reach` is the largest end
    of the enqueued rows, NO_CTI if nothing was enqueued.
    """

    envelopes: list[Envelope]
    state: bytes
    counts: LaneCounts
    late: pa.Table
    failures: FailureTally
    reach: int = NO_CTI


@dataclass(frozen=True, slots=True)
class OperatorOutput:
    """The rows and CTIs that a turn of the operators released at one output node.

    `rows`: an Arrow IPC stream of `Flows.to_table()`: `@start`, `@end` (ticks), for edges and rows that may be replaced
    `@flag`, `@id` and `@pane_...`, then the fields; retracted rows come first, edge ends last. `ctis`: an IPC stream
    with the column `cti`, the output CTIs that moved, INFINITY included. With `output` empty, `late`: received rows
    whose outcome was decided here, with LATE_SCHEMA; `corrections`: JSON, by input and lane how many `outcomes` and
    `reasons` differ from the feed's counts, as totals since the first batch; `failures`: JSON of a FailureTally, of
    this turn alone.
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
"""The columns of wire.messages.LateEvent, and `edge` (start, end, or null for other shapes).

`start` and `end` are the original ones, null for a malformed row; `end` is INFINITY for an open edge, `cti` null if the
lane had no CTI.
"""

WATCHED_SCHEMA = pa.schema([*LATE_SCHEMA, pa.field("source", pa.string()), pa.field("refused", pa.string())])
"""LATE_SCHEMA with the outcome of the clock; `source` as in `Flows.source`.

`refused` is the reason of the windows for which the feed folds, if they refused the row.
"""

TAKEN: Final = "taken"
SETTLED: Final = "settled"
REPORT_SCHEMA = pa.schema([pa.field("source", pa.string()), pa.field("report", pa.string())])
"""Reports of the feed about watched rows of tables, whose versions come with later CTIs (T48).

TAKEN: a window for which the feed folds has a version of it; SETTLED: no further version of it will come; else the
reason of such a window's refusal.
"""
