"""What a binding has counted, in frozen values: of each lane, of a generation of its state, and of one run alone.

Generations count on from run to run, and a report tells of one run alone: the totals of a generation keep under `since`
what of their counts is not the run's, those of runs before it; where the run had an earlier generation, less what that
one counted for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from streaming.engine.exchange.envelopes import LaneCounts
from streaming.spark.failures import Told, added_failures
from streaming.temporal.ticks import INFINITY
from streaming.wire.fast_json import decoded, encoded
from streaming.wire.messages import LATENESS_BUCKETS

Corrections = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""By bucket, input and lane how many outcomes and reasons differ from what the feed counted, as totals."""
MovedCtis = Mapping[str, Mapping[int, Sequence[int]]]
"""By output and bucket, the CTIs that moved in a batch, rising."""


@dataclass(frozen=True, slots=True)
class LaneReport:
    """What the feed says of a lane after a batch that was planned at `tick`.

    `at` is the position, `reach` the end of its last event, `clock` what a restart point keeps of its clock; `held` and
    `again` as in `BindingWork`. `due`: from which tick on time alone may move a CTI of its binding, if no row comes
    before; None: never. The others as in `LaneCounts`.
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

    @classmethod
    def counted(cls, counts: LaneCounts, **planned: Any) -> "LaneReport":
        """The report of `counts`, with what the batch was `planned` to do."""
        return cls(**planned, **{name: getattr(counts, name) for name in LaneCounts.__slots__})

    def to_json(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}

    def to_chunk(self) -> bytes:
        """As the chunk of a message."""
        return encoded(self.to_json())

    @classmethod
    def of_chunk(cls, chunk: bytes) -> "LaneReport":
        """Read what `to_chunk` wrote."""
        return cls(**decoded(chunk))


Lanes = Mapping[str, Mapping[str, LaneReport]]
"""By input and lane."""


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
        """The CTI of an input is the minimum over its lanes (T14)."""
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
        """These counts without those that were `taken` before; CTIs and starts stay."""
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
        """These counts without those that were `taken`; an input that is not known yet is less than nothing."""
        fewer = {name: self.inputs.get(name, InputTotals()).less(each) for name, each in taken.inputs.items()}
        return RunCounts(self.results - taken.results, {**self.inputs, **fewer})

    def to_json(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {"results": self.results, "inputs": {name: vars(each) for name, each in self.inputs.items()}}

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> "RunCounts":
        """Read what `to_json` wrote."""
        return cls(content["results"], {name: InputTotals(**each) for name, each in content["inputs"].items()})


@dataclass(frozen=True)
class BindingTotals:
    """What a generation of a binding's state has counted since it began, as far as the run `run` came.

    `folder` is that of its results. `ctis`: the last CTI of each output; `reached`: that of each of its buckets.
    `corrections`: see `Corrections`; `failures`: `FailureTally.to_json`. `since`: what of all that was counted before
    this run. `pointed`: the tick of its last restart point. `cleared`: its state is gone after this batch.
    """

    binding: str
    run: str = ""
    folder: str = ""
    inputs: Lanes = field(default_factory=dict)
    ctis: Mapping[str, int] = field(default_factory=dict)
    reached: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    results: int = 0
    corrections: Corrections = field(default_factory=dict)
    failures: Told = ()
    since: RunCounts = RunCounts()
    pointed: int = 0
    cleared: bool = False

    @property
    def counts(self) -> RunCounts:
        """What was counted in all, with what operators changed."""
        lanes = _corrected(self.inputs, self.corrections)
        return RunCounts(self.results, {name: InputTotals.over(each.values()) for name, each in lanes.items()})

    @property
    def of_run(self) -> RunCounts:
        """What the run counted; CTIs and starts are those of the state that it goes on with."""
        return self.counts.less(self.since)

    @property
    def reads_again(self) -> bool:
        """Whether a lane was reading what the run before had read, when it was heard of last."""
        return any(lane.again for lanes in self.inputs.values() for lane in lanes.values())

    def begun_by(self, run: str, folder: str, others: Iterable["BindingTotals"]) -> "BindingTotals":
        """What is counted from now on belongs to `run`; `others`: all totals before, of some of which it may be too."""
        if self.run == run:
            return self if self.folder == folder else replace(self, folder=folder)
        since = self.counts
        for each in others:
            if each.binding == self.binding and each.run == run:
                since = since.less(each.of_run)
        return replace(self, run=run, folder=folder, since=since)

    def with_lanes(self, counts: Lanes) -> "BindingTotals":
        """After a batch in which the feed said `counts`."""
        inputs = dict(self.inputs)
        for name, lanes in counts.items():
            known = inputs.get(name, {})
            inputs[name] = {**known, **{lane: _later(known.get(lane), said) for lane, said in lanes.items()}}
        return replace(self, inputs=inputs)

    def with_output(self, rows: int, corrections: Mapping[int, Any], failures: Told) -> "BindingTotals":
        """After a batch that gave `rows`."""
        changed = {**self.corrections, **{str(bucket): each for bucket, each in corrections.items()}}
        failed = added_failures(self.failures, failures) if failures else self.failures
        return replace(self, results=self.results + rows, corrections=changed, failures=failed)

    def moved_on(
        self, moved: MovedCtis, buckets_of: Mapping[str, Sequence[int]]
    ) -> tuple["BindingTotals", dict[str, list[int]]]:
        """After a batch in which buckets told CTIs, and the CTIs of each output that moved.

        Where all buckets moved alike these are all their CTIs. Otherwise it is the smallest over the buckets, if that
        rose: where one has told none yet there is none. Writing the same batch again tells the same.
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
        """The fields as JSON values, which share what they hold with these."""
        inputs = {name: {lane: each.to_json() for lane, each in lanes.items()} for name, lanes in self.inputs.items()}
        return {**vars(self), "inputs": inputs, "since": self.since.to_json()}

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> "BindingTotals":
        """Read what `to_json` wrote."""
        named = content["inputs"].items()
        inputs = {name: {lane: LaneReport(**each) for lane, each in lanes.items()} for name, lanes in named}
        return cls(**{**content, "inputs": inputs, "since": RunCounts.of_json(content["since"])})


def _later(known: LaneReport | None, said: LaneReport) -> LaneReport:
    """A lane reaches as far as it ever did."""
    if known is None or known.reach is None or (said.reach is not None and said.reach >= known.reach):
        return said
    return replace(said, reach=known.reach)


def _smallest(reached: Mapping[str, int], buckets: Sequence[int]) -> int | None:
    known = [reached.get(str(bucket)) for bucket in buckets]
    return None if None in known else min(each for each in known if each is not None)


def _corrected(inputs: Lanes, corrections: Corrections) -> Lanes:
    """The counts of each lane with what operators changed (`streaming/engine/operators`)."""
    if not corrections:
        return inputs
    found = {name: dict(lanes) for name, lanes in inputs.items()}
    for by_input in corrections.values():
        for name, lanes in by_input.items():
            for lane, changes in lanes.items():
                said = found[name][lane]
                outcomes, reasons = (
                    _summed((said.outcomes, changes["outcomes"])),
                    _summed((said.reasons, changes["reasons"])),
                )
                found[name][lane] = replace(said, outcomes=_some(outcomes), reasons=_some(reasons))
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
