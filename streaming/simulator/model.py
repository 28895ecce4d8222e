"""What a simulation shows: every row, CTI, pane and result of a query on a sample, and why each is so.

All instants are ticks (microseconds); null is infinity. `after` counts the rows of the sample that have arrived: 0 is
before the first, n after row number n (rows are numbered from 1, in order of arrival, as people count), and one more
than there are rows is after the end of the sample (the flush or stop). What stands `after=k` is shown from k on.
"""

from typing import Any, Literal

from streaming.definition.strict import Strict

SampleKind = Literal["event", "edge_start", "edge_end", "cti", "heartbeat", "malformed"]
CtiCause = Literal["row", "generated", "imported", "idle", "arrival", "end"]


class SimulatedRow(Strict):
    """A row of the sample as an input took it. `input` is the input node, None where no input reads its stream.

    `number` counts these from 1, and is what `after`, `rows` and `set_by` speak of; `sample_row` is the row of the
    sample, from 1 too, which stands here once for each input that reads its stream.

    `position` is its place in its lane from 0, as quarantine counts; None for heartbeats. `start` and `end` are as
    received, in `start` stands the time of a CTI or heartbeat; `kept_start` and `kept_end` as enqueued, None where
    nothing was. Which it is says `kept`, for a kept end may be infinity. `outcome` and `reason` are those of T12, None
    for CTIs and heartbeats. `cti_met` is the CTI of its lane (or substream) when it came, None where there was none,
    and `set_by` the number of the row that set it. `substream` is its key of `over`. `absent` is the decision that
    keeps it out of all results at the end. `smallest_delay` is the smallest `delay` of its input with which it would
    have been taken whole. `why`: what became of it, and which results contain it.
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
    """The CTIs of an input (`lane` None), of one of its lanes, of a key of `over` in a lane, or those a node gives."""

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
    """One row that a node gave. `id` is unique in the simulation.

    From `gone_after` on it is replaced or taken back; None: it stands. `end` is what was known at `after`, of an edge
    start infinity; `closed_after` and `closed_end` say when its end became known. `edge`: the ends of an edge are rows
    of their own, and `closes` is the start that an edge end ends. `deleted`: it takes back the row `replaces`; else
    that is the row whose place it takes. `parents` are rows of the nodes that this node reads, `rows` the numbers of
    the rows of the sample that made it. `released_by` is the number of the row whose arrival let it go, None for the
    end of the sample; `released_cti` the CTI of an input that let it go, None for what waited for none.
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
    """What one node gave, in order; an input gives what was enqueued."""

    node: str
    kind: str
    rows: list[TrackRow]


class PaneState(Strict):
    """What a pane holds from `after` on, and its aggregates as if the input ended now.

    `added` and `removed` are the numbers of the rows that came in and left at this step; added up they are what it
    holds. `start` and `end` are those of the pane from here on: a session grows, a snapshot is cut. Of a top_k the
    values are `rows`: the payloads that it would give.
    """

    after: int
    start: int
    end: int | None
    added: list[int]
    removed: list[int]
    values: dict[str, Any]


class SimulatedPane(Strict):
    """One window of one group.

    `opened`, `complete` and `closed` are `after`s: first row, completion (the CTI reached its end, it speaks), closed
    (end plus grace; a row that lands later is late for it). `gone`: from then on it is no more, because sessions became
    one (`into` is the id of that one) or an edge vanished. `spoke` are ids of track rows. `missed`: rows that would
    have counted here as they came but did not (dropped, adjusted away, window closed).
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


class Simulation(Strict):
    """All of it. `order` are the nodes from inputs to outputs. `outcomes` counts by stream.

    `holding`: sentences on what still waits at the end and what would release it, none after a flush. `failures`:
    sentences on expressions that failed, whose values are null.
    """

    rows: list[SimulatedRow]
    staircases: list[Staircase]
    tracks: list[Track]
    panes: list[SimulatedPane]
    order: list[str]
    outcomes: dict[str, dict[str, int]]
    holding: list[str]
    failures: list[str]
