"""The result of a simulation: every row, CTI, pane and result of a query on a sample, with explanations.

All instants are ticks (microseconds); null is infinity. `after` counts the rows of the sample that have arrived: 0 is
before the first row, n after row number n, and one more than the number of rows is after the end of the sample (the
flush or stop). Rows are numbered from 1 in order of arrival. An item with `after=k` is shown from k on.
"""

from typing import Any, Literal

from streaming.definition.strict import Strict

SampleKind = Literal["event", "edge_start", "edge_end", "cti", "heartbeat", "malformed"]
AttemptStatus = Literal["open", "matched", "failed"]
CtiCause = Literal["row", "generated", "imported", "idle", "arrival", "end"]


class SimulatedRow(Strict):
    """A row of the sample as an input took it. `input` is the input node, None if no input reads its stream.

    `number` counts these from 1; `after`, `rows` and `set_by` refer to it. `sample_row` is the row of the sample, from
    1 too; a row appears once for each input that reads its stream.

    `position` is its place in its lane from 0, as quarantine counts; None for heartbeats. `start` and `end` are as
    received; for a CTI or heartbeat, `start` holds its time. `kept_start` and `kept_end` are as enqueued, None if
    nothing was; `kept` distinguishes this from an end at infinity. `outcome` and `reason` are those of T12, None for
    CTIs and heartbeats. `cti_met` is the CTI of its lane (or substream) when it arrived, None before the first CTI, and
    `set_by` the number of the row that set it. `substream` is its key of `over`. `absent` is the decision that keeps it
    out of all results at the end. `smallest_delay` is the smallest `delay` of its input that would have kept the whole
    row. `why`: its outcome, and the results that contain it.
    """

    number: int
    sample_row: int
    stream: str
    input: str | None
    lane: str
    position: int | None
    kind: SampleKind
    start: int | None
    end: int | None
    payload: dict[str, Any] | None
    outcome: str | None
    reason: str | None
    lateness: int | None
    moved_by: int | None
    kept: bool
    kept_start: int | None
    kept_end: int | None
    cti_met: int | None
    set_by: int | None
    substream: str | None
    absent: str | None
    smallest_delay: int | None
    why: list[str]


class CtiStep(Strict):
    """The CTI is `at` from `after` on."""

    after: int
    at: int | None
    cause: CtiCause


class Staircase(Strict):
    """The CTIs of an input (`lane` None), of a lane, of a key of `over` in a lane, or of the output of another node."""

    node: str
    lane: str | None
    substream: str | None
    steps: list[CtiStep]


class PaneMark(Strict):
    """Metadata of a row of a pane (T20)."""

    start: int
    end: int | None
    timing: str
    index: int
    is_last: bool


class TrackRow(Strict):
    """One row that a node emitted. `id` is unique in the simulation.

    From `gone_after` on it is replaced or retracted; None: it remains. `end` is the end known at `after`, infinity for
    an edge start; `closed_after` and `closed_end` say when its end became known. `edge`: the ends of an edge are
    separate rows, and `closes` is the start that an edge end ends. `deleted`: it retracts the row `replaces`; otherwise
    it replaces that row. `parents` are rows of the upstream nodes, `rows` the numbers of the sample rows that made it.
    `released_by` is the number of the row whose arrival released it, None for the end of the sample; `released_cti` the
    CTI of an input that released it, None if it did not wait.
    """

    id: int
    node: str
    after: int
    gone_after: int | None
    start: int
    end: int | None
    closed_after: int | None
    closed_end: int | None
    payload: dict[str, Any]
    edge: Literal["start", "end"] | None
    deleted: bool
    replaces: int | None
    closes: int | None
    parents: list[int]
    rows: list[int]
    released_by: int | None
    released_cti: int | None
    pane: PaneMark | None
    why: list[str]


class Track(Strict):
    """The rows that one node emitted, in order; for an input the enqueued rows."""

    node: str
    kind: str
    rows: list[TrackRow]


class PaneState(Strict):
    """The contents of a pane from `after` on, and its aggregates as if the input ended now.

    `added` and `removed` are the numbers of the rows that joined and left at this step; their running total is the
    contents. `start` and `end` are the bounds of the pane from here on: a session grows, a snapshot is cut. The values
    of a top_k are `rows`: the payloads that it would emit.
    """

    after: int
    start: int
    end: int | None
    added: list[int]
    removed: list[int]
    values: dict[str, Any]


class SimulatedPane(Strict):
    """One window of one group.

    `opened`, `complete` and `closed` are values of `after`: first row, completion (the CTI reached its end and it
    emits), and closing (end plus grace; a row that arrives later is late for it). `gone`: from then on it no longer
    exists, because sessions merged (`into` is the id of the merged one) or an edge vanished. `spoke` are ids of track
    rows. `missed`: rows that would have counted here as received but did not (dropped, adjusted, window closed).
    """

    id: int
    node: str
    group: dict[str, Any]
    start: int
    end: int | None
    opened: int
    complete: int | None
    closed: int | None
    gone: int | None
    into: int | None
    states: list[PaneState]
    spoke: list[int]
    missed: list[int]
    why: list[str]


class AttemptRow(Strict):
    """A row that an attempt took, by the numbers of the sample rows that made it, and the variable that took it."""

    rows: list[int]
    variable: str
    excluded: bool


class AttemptState(Strict):
    """The state of an attempt from `after` on.

    `taken` are the rows after the first `kept` of the previous state: of the match, else of the path that came
    furthest. `ended_by` are the numbers of the rows at which that path ended, `next` the variables that were tried next
    or that it waits for. `why`: the rows, the end or the wait, and the CTI that decides.
    """

    after: int
    status: AttemptStatus
    kept: int
    taken: list[AttemptRow]
    ended_by: list[int]
    next: list[str]
    why: list[str]


class SimulatedAttempt(Strict):
    """An attempt of a sequence to match its pattern from one row of a group on.

    `first` are the numbers of the sample rows that made its first row, which starts at `start`. From `until` on, a row
    is too late for WITHIN; null without WITHIN. `results` are ids of track rows.
    """

    id: int
    node: str
    group: dict[str, Any]
    first: list[int]
    start: int
    until: int | None
    states: list[AttemptState]
    results: list[int]


class Simulation(Strict):
    """A complete simulation. `order` lists the nodes from inputs to outputs. `outcomes` counts by stream.

    `holding`: sentences on what still waits at the end and what would release it; empty after a flush. `failures`:
    sentences on expressions that failed; their values are null.
    """

    rows: list[SimulatedRow]
    staircases: list[Staircase]
    tracks: list[Track]
    panes: list[SimulatedPane]
    attempts: list[SimulatedAttempt]
    order: list[str]
    outcomes: dict[str, dict[str, int]]
    holding: list[str]
    failures: list[str]
