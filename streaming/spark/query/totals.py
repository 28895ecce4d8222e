"""Counts of a binding, in frozen values: of each lane, of a generation of its state, and of one run alone.

Generations count across runs, but a report covers one run alone. So the totals of a generation store under `since` the
counts that are not the run's: those of previous runs. If the run had an earlier generation, `since` is reduced by the
counts of that one for the run.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from streaming.engine.exchange.envelopes import LaneCounts
from streaming.spark.query.failures import TallyJson, added_failures
from streaming.temporal.outcomes import QUARANTINED, Outcome
from streaming.temporal.ticks import INFINITY
from streaming.wire.fast_json import decoded, encoded
from streaming.wire.measures import Measures, larger
from streaming.wire.message import make_dataclass
from streaming.wire.progress import LATENESS_BUCKETS

Corrections = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""By bucket, input and lane, the differences of outcomes and reasons to the feed's counts, as totals."""
MovedCtis = Mapping[str, Mapping[int, Sequence[int]]]
"""By output and bucket, the CTIs that moved in a batch, rising."""


@dataclass(frozen=True, slots=True)
class LaneReport:
    """The feed's report of a lane after a batch that was planned at `tick`.

    `at` is the position, `reach` the end of its last event, `clock` the clock for a restart point; `held` and
    `again` as in `BindingWork`. `due`: the tick from which time alone may move a CTI of its binding, if no row arrives
    before; None: never. The others as in `LaneCounts`; `measures` are of one batch and not stored.
    """

    tick: int
    held: int | None
    again: bool
    at: int
    reach: int | None
    clock: dict[str, Any] | None
    received: int
    outcomes: Mapping[str, int]
    reasons: Mapping[str, int]
    lateness: Sequence[int]
    cti: int | None
    ended: bool
    largest_start: int | None
    cti_suppressed: int
    due: int | None = 0
    own_cti: int | None = None
    idle: bool = False
    measures: Mapping[str, Any] | None = field(default=None, compare=False)

    @classmethod
    def counted(cls, counts: LaneCounts, **planned: Any) -> "LaneReport":
        """Return the report of `counts`, with the values that the batch was `planned` with."""
        return cls(**planned, **{name: getattr(counts, name) for name in LaneCounts.__slots__})

    def to_json(self) -> dict[str, Any]:
        """Return the stored fields as JSON values."""
        return {name: getattr(self, name) for name in _STORED}

    def to_chunk(self) -> bytes:
        """Return the chunk of a message."""
        return encoded({**self.to_json(), "measures": self.measures})

    @classmethod
    def of_chunk(cls, chunk: bytes) -> "LaneReport":
        """Read the output of `to_chunk`."""
        return cls(**decoded(chunk))


_STORED: Final = tuple(name for name in LaneReport.__slots__ if name != "measures")
Lanes = Mapping[str, Mapping[str, LaneReport]]
"""By input and lane."""


class LaneRead(NamedTuple):
    """The tick of the last batch with rows of a lane, and the last known arrival of one."""

    batch: int | None = None
    arrival: int | None = None

    def after(self, known: LaneReport | None, report: LaneReport) -> "LaneRead":
        """Return the values after `report`, which followed `known`."""
        arrival = None if report.measures is None else report.measures.get("last_arrival")
        grew = report.received > (0 if known is None else known.received)
        return LaneRead(report.tick if grew else self.batch, larger(self.arrival, arrival))


class LaneCount(NamedTuple):
    """The rows of a lane; `dropped` ones are in no result, apart from malformed ones."""

    received: int = 0
    late: int = 0
    dropped: int = 0

    @classmethod
    def of(cls, report: LaneReport) -> "LaneCount":
        """Return the counts since the first batch of the lane."""
        return cls(report.received, sum(report.lateness), sum(report.outcomes.get(each, 0) for each in _DROPPED))

    def less(self, taken: "LaneCount") -> "LaneCount":
        """Return these counts minus the counts `taken`."""
        return LaneCount(self.received - taken[0], self.late - taken[1], self.dropped - taken[2])


CountsByLane = Mapping[str, Mapping[str, LaneCount]]
"""By input and lane."""
_UNREAD: Final = LaneRead()
_DROPPED: Final = QUARANTINED - {Outcome.MALFORMED}


@dataclass(frozen=True)
class InputTotals:
    """All lanes of an input together, with the fields of `InputCounts`."""

    received: int = 0
    outcomes: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)
    lateness: Sequence[int] = (0,) * LATENESS_BUCKETS
    cti: int | None = None
    ended: bool = False
    largest_start: int | None = None

    @classmethod
    def over(cls, lanes: Iterable[LaneReport]) -> "InputTotals":
        """Return the totals of `lanes`; the CTI of an input is the minimum over its lanes (T14)."""
        each = list(lanes)
        ctis = [lane.cti for lane in each]
        cti = None if None in ctis else min(cti for cti in ctis if cti is not None)
        return cls(
            received=sum(lane.received for lane in each),
            outcomes=_summed(lane.outcomes for lane in each),
            reasons=_summed(lane.reasons for lane in each),
            lateness=[sum(column) for column in zip(*(lane.lateness for lane in each), strict=True)],
            cti=None if cti == INFINITY else cti,
            ended=all(lane.ended for lane in each),
            largest_start=max((lane.largest_start for lane in each if lane.largest_start is not None), default=None),
        )

    def less(self, taken: "InputTotals") -> "InputTotals":
        """Return these counts minus the counts `taken` before; CTIs and starts stay."""
        return replace(
            self,
            received=self.received - taken.received,
            outcomes=_fewer(self.outcomes, taken.outcomes),
            reasons=_fewer(self.reasons, taken.reasons),
            lateness=[own - other for own, other in zip(self.lateness, taken.lateness, strict=True)],
        )


@dataclass(frozen=True)
class RunCounts:
    """The rows of results, and the totals of each input."""

    results: int = 0
    inputs: Mapping[str, InputTotals] = field(default_factory=dict)

    def less(self, taken: "RunCounts") -> "RunCounts":
        """Return these counts minus the counts `taken`; an input without counts yet becomes negative."""
        fewer = {name: self.inputs.get(name, InputTotals()).less(each) for name, each in taken.inputs.items()}
        return RunCounts(self.results - taken.results, {**self.inputs, **fewer})

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {"results": self.results, "inputs": {name: vars(each) for name, each in self.inputs.items()}}

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> "RunCounts":
        """Read the output of `to_json`."""
        return cls(
            content["results"], {name: make_dataclass(InputTotals, each) for name, each in content["inputs"].items()}
        )


@dataclass(frozen=True)
class BindingTotals:
    """The counts of a generation of a binding's state since its start, up to the run `run`.

    `folder` is that of its results. `ctis`: the last CTI of each output; `reached`: the last CTI of each of its
    buckets. `corrections`: see `Corrections`; `failures`: `FailureTally.to_json`. `since`: the counts from before this
    run. `measures`: by input, those of this run; None if it began with a program that did not measure.
    `lanes_since`: by input and lane, the counts from before this run. `pointed`: the tick of its last restart point.
    `cleared`: its state is gone after this batch. `restart`: as `RunBatches.restart` of its next commit.
    """

    binding: str
    run: str = ""
    folder: str = ""
    inputs: Lanes = field(default_factory=dict)
    ctis: Mapping[str, int] = field(default_factory=dict)
    reached: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    results: int = 0
    corrections: Corrections = field(default_factory=dict)
    failures: TallyJson = ()
    since: RunCounts = RunCounts()
    measures: Mapping[str, Measures] | None = None
    lanes_since: Mapping[str, Mapping[str, LaneCount]] = field(default_factory=dict)
    lanes_read: Mapping[str, Mapping[str, LaneRead]] = field(default_factory=dict)
    pointed: int = 0
    cleared: bool = False
    restart: int | None = None

    @property
    def counts(self) -> RunCounts:
        """All counts, with the changes by operators."""
        lanes = _corrected(self.inputs, self.corrections)
        return RunCounts(self.results, {name: InputTotals.over(each.values()) for name, each in lanes.items()})

    @property
    def of_run(self) -> RunCounts:
        """The counts of the run; CTIs and starts are those of the state that it continues."""
        return self.counts.less(self.since)

    @property
    def _counts_by_lane(self) -> CountsByLane:
        lanes = _corrected(self.inputs, self.corrections).items()
        return {name: {lane: LaneCount.of(each) for lane, each in by_lane.items()} for name, by_lane in lanes}

    @property
    def lanes_of_run(self) -> CountsByLane:
        """The counts of each lane in the run."""
        return _less_by_lane(self._counts_by_lane, self.lanes_since)

    def measures_of(self, name: str) -> Measures | None:
        """Return what the run measured of an input; None if it began with a program that did not measure."""
        return None if self.measures is None else self.measures.get(name, Measures())

    @property
    def reads_again(self) -> bool:
        """True if, at its last report, a lane was replaying rows of the previous run."""
        return any(lane.again for lanes in self.inputs.values() for lane in lanes.values())

    def begun_by(self, run: str, folder: str, others: Iterable["BindingTotals"]) -> "BindingTotals":
        """Return the totals with later counts assigned to `run`; `others`: all totals, perhaps some of `run`."""
        if self.run == run:
            return self if self.folder == folder else replace(self, folder=folder)
        since = self.counts
        measures: Mapping[str, Measures] | None = {}
        lanes = self._counts_by_lane
        for each in others:
            if each.binding == self.binding and each.run == run:
                since = since.less(each.of_run)
                measures = None if measures is None or each.measures is None else _added(measures, each.measures)
                lanes = _less_by_lane(lanes, each.lanes_of_run)
        return replace(self, run=run, folder=folder, since=since, measures=measures, lanes_since=lanes)

    def with_lanes(self, counts: Lanes) -> "BindingTotals":
        """Return the totals after a batch in which the feed reported `counts`."""
        inputs, reads = dict(self.inputs), dict(self.lanes_read)
        for name, lanes in counts.items():
            known, read = inputs.get(name, {}), reads.get(name, {})
            inputs[name] = {**known, **{lane: _later(known.get(lane), report) for lane, report in lanes.items()}}
            now = {lane: read.get(lane, _UNREAD).after(known.get(lane), report) for lane, report in lanes.items()}
            reads[name] = {**read, **now}
        measures = None if self.measures is None else _added(self.measures, _measures_in(counts))
        return replace(self, inputs=inputs, lanes_read=reads, measures=measures)

    def with_output(self, rows: int, corrections: Mapping[int, Any], failures: TallyJson) -> "BindingTotals":
        """Return the totals after a batch that emitted `rows`."""
        changed = {**self.corrections, **{str(bucket): each for bucket, each in corrections.items()}}
        failed = added_failures(self.failures, failures) if failures else self.failures
        return replace(self, results=self.results + rows, corrections=changed, failures=failed)

    def moved_on(
        self, moved: MovedCtis, buckets_of: Mapping[str, Sequence[int]]
    ) -> tuple["BindingTotals", dict[str, list[int]]]:
        """Return the totals after a batch in which buckets reported CTIs, and the CTIs of each output that moved.

        If all buckets moved alike, these are all their CTIs. Otherwise it is the smallest over the buckets, if that
        rose; if a bucket has reported none yet, there is no CTI. Writing the same batch again reports the same.
        """
        reached, ctis = dict(self.reached), dict(self.ctis)
        found: dict[str, list[int]] = {}
        for output, by_bucket in moved.items():
            known, buckets = reached.get(output, {}), buckets_of[output]
            reached[output] = {**known, **{str(bucket): each[-1] for bucket, each in by_bucket.items()}}
            before, after = _smallest(known, buckets), _smallest(reached[output], buckets)
            if after is None or (before is not None and after <= before):
                continue
            lists = {tuple(each) for each in by_bucket.values()}
            alike = len(lists) == 1 and set(by_bucket) == set(buckets)
            found[output] = list(next(iter(lists))) if alike else [after]
            ctis[output] = after
        return replace(self, reached=reached, ctis=ctis), found

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values, which share their contents with these totals."""
        inputs = {name: {lane: each.to_json() for lane, each in lanes.items()} for name, lanes in self.inputs.items()}
        measures = None
        if self.measures is not None:
            measures = {name: each.to_json() for name, each in self.measures.items()}
        return {**vars(self), "inputs": inputs, "since": self.since.to_json(), "measures": measures}

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> "BindingTotals":
        """Read the output of `to_json`."""
        named = content["inputs"].items()
        inputs = {
            name: {lane: make_dataclass(LaneReport, each) for lane, each in lanes.items()} for name, lanes in named
        }
        lanes_since = {
            name: {lane: LaneCount(*each) for lane, each in lanes.items()}
            for name, lanes in content.get("lanes_since", {}).items()
        }
        since = RunCounts.of_json(content["since"])
        lanes_read = {
            name: {lane: LaneRead(*each) for lane, each in lanes.items()}
            for name, lanes in content.get("lanes_read", {}).items()
        }
        read = {**content, "inputs": inputs, "since": since, "lanes_since": lanes_since, "lanes_read": lanes_read}
        if content.get("measures") is not None:
            read["measures"] = {name: make_dataclass(Measures, each) for name, each in content["measures"].items()}
        return make_dataclass(cls, read)


def _later(known: LaneReport | None, report: LaneReport) -> LaneReport:
    """Return the later report with the larger reach: the reach of a lane never shrinks."""
    if known is None or known.reach is None or (report.reach is not None and report.reach >= known.reach):
        return report
    return replace(report, reach=known.reach)


def _measures_in(counts: Lanes) -> dict[str, Measures]:
    """Return what the lanes measured in one batch, by input."""
    found: dict[str, Measures] = {}
    for name, lanes in counts.items():
        for report in lanes.values():
            if report.measures:
                measured = make_dataclass(Measures, report.measures)
                found[name] = found[name].plus(measured) if name in found else measured
    return found


def _added(measures: Mapping[str, Measures], more: Mapping[str, Measures]) -> dict[str, Measures]:
    return {
        **measures,
        **{name: measures[name].plus(each) if name in measures else each for name, each in more.items()},
    }


def _less_by_lane(counts: CountsByLane, taken: CountsByLane) -> CountsByLane:
    """Return `counts` minus `taken`; a lane without counts yet becomes negative."""
    names = [*counts, *(name for name in taken if name not in counts)]
    found: dict[str, dict[str, LaneCount]] = {}
    for name in names:
        mine, other = counts.get(name, {}), taken.get(name, {})
        lanes = [*mine, *(lane for lane in other if lane not in mine)]
        found[name] = {lane: mine.get(lane, LaneCount()).less(other.get(lane, LaneCount())) for lane in lanes}
    return found


def _smallest(reached: Mapping[str, int], buckets: Sequence[int]) -> int | None:
    known = [reached.get(str(bucket)) for bucket in buckets]
    return None if None in known else min(each for each in known if each is not None)


def _corrected(inputs: Lanes, corrections: Corrections) -> Lanes:
    """Return the counts of each lane with the changes by operators (`streaming/engine/operators`)."""
    if not corrections:
        return inputs
    found = {name: dict(lanes) for name, lanes in inputs.items()}
    for by_input in corrections.values():
        for name, lanes in by_input.items():
            for lane, changes in lanes.items():
                report = found[name][lane]
                outcomes = _summed((report.outcomes, changes["outcomes"]))
                reasons = _summed((report.reasons, changes["reasons"]))
                found[name][lane] = replace(report, outcomes=_some(outcomes), reasons=_some(reasons))
    return found


def _fewer(counts: Mapping[str, int], less: Mapping[str, int]) -> dict[str, int]:
    return _some({name: counts.get(name, 0) - less.get(name, 0) for name in (*counts, *less)})


def _some(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for each in counts:
        for name, count in each.items():
            total[name] = total.get(name, 0) + count
    return total
