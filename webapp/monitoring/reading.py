"""Reports of a run as samples, and the periods in which its activity is recorded; uses no database and no Redis."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import Field

from streaming.wire.message import Message
from streaming.wire.progress import ProgressReport

TICKS_PER_S: Final = 1_000_000
NO_ENTRY: Final = "0-0"
NAMES_DELAYS: Final = 2
"""Reports from this version on name the delay of an input."""
CRACK: Final = 5 * TICKS_PER_S
"""A gap of at most this length between two known periods counts as known: heartbeats come every two seconds."""
Span = tuple[int, int]
"""Two ticks: from, until."""


class InputSample(Message):
    """The totals of one input; `cti` is null before the first CTI and after the end."""

    received: int
    outcomes: dict[str, int]
    cti: int | None
    ended: bool
    largest_start: int | None


class RunSample(Message):
    """The totals of a run when a batch, which took `batch_s` seconds, was reported at tick `at`."""

    at: int
    batch: int
    batch_s: float
    inputs: dict[str, InputSample]
    output_ctis: dict[str, int | None]
    results: int
    quarantined: int


class Reading(Message):
    """The state of reading a run's reports.

    `entry` is the last one read in Redis. `known`: the periods in which the run's activity is recorded, in order and
    disjoint. `until`: the runner's last sign of life. `base`: the totals at the start of the run's first batch; null
    before it.
    """

    entry: str = NO_ENTRY
    known: list[Span] = Field(default_factory=list)
    until: int | None = None
    base: RunSample | None = None


@dataclass(frozen=True)
class Batch:
    """Reports that follow a reading, in order, and the entry of the last; `torn`: some before them may be missing."""

    reports: Sequence[ProgressReport]
    entry: str
    torn: bool


@dataclass(frozen=True)
class Watch:
    """The period in which a run could do anything, from its request to its end (if any), and its runner's lifetime."""

    requested: int
    ended: int | None
    runner: Span | None


def sample_of(report: ProgressReport) -> RunSample:
    """Return the totals of `report`."""
    inputs = {
        name: InputSample(
            received=counts.received,
            outcomes=counts.outcomes,
            cti=counts.cti,
            ended=counts.ended,
            largest_start=counts.largest_start,
        )
        for name, counts in report.inputs.items()
    }
    return RunSample(
        at=report.at,
        batch=report.batch,
        batch_s=report.batch_s,
        inputs=inputs,
        output_ctis=report.output_ctis,
        results=report.results,
        quarantined=report.quarantined,
    )


def lag_of(at: int, inputs: Mapping[str, InputSample]) -> int | None:
    """Return `at` minus the smallest CTI of the `inputs` that have not ended; None if one of them has none yet."""
    ctis = [each.cti for each in inputs.values() if not each.ended]
    return None if not ctis or None in ctis else at - min(cti for cti in ctis if cti is not None)


def overdue_of(report: ProgressReport) -> int | None:
    """Return by how many ticks results are late: `at - CTI - D` of the input that is latest.

    D is the delay of its generated CTIs, 0 if it brings its own. Inputs that have ended are left out. None if an open
    input has no CTI yet, without open inputs, and for reports of version 1, which don't name D.
    """
    still_open = [each for each in report.inputs.values() if not each.ended]
    known = [(each.cti, each.delay or 0) for each in still_open if each.cti is not None]
    if report.version < NAMES_DELAYS or len(known) < len(still_open):
        return None
    return max((report.at - cti - delay for cti, delay in known), default=None)


def read_on(reading: Reading, batch: Batch, watch: Watch, before: RunSample | None) -> Reading:
    """Return `reading` after `batch`.

    `before`: the totals of the run that this one resumes, if reports don't distinguish runs yet (`of_run`).

    A reported batch is known from its start. Between batches the run did nothing as long as one runner lived,
    because a runner reports everything that it commits.
    """
    samples = [sample_of(report) for report in batch.reports]
    known = [*reading.known, *((_begin(sample), sample.at) for sample in samples)]
    heard = _heard(reading, watch)
    known += [] if heard is None else [heard]
    if batch.torn and samples:
        known = _without(known, (_last_known(reading, watch), _begin(samples[0])))
    base = reading.base
    if base is None and samples:
        base = _base(samples[0], None if batch.reports[0].of_run else before)
    until = reading.until if heard is None else heard[1]
    return Reading(entry=batch.entry, known=joined(known), until=until, base=base)


def joined(spans: Iterable[Span]) -> list[Span]:
    """Return the union of `spans`, in order, with short gaps closed."""
    found: list[Span] = []
    for begin, end in sorted(spans):
        if found and begin - found[-1][1] <= CRACK:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        elif end > begin:
            found.append((begin, end))
    return found


def newest_in_steps(samples: Iterable[RunSample], seconds: int) -> dict[int, RunSample]:
    """Return the newest sample of each step of `seconds`, by the step's first tick."""
    found: dict[int, RunSample] = {}
    width = seconds * TICKS_PER_S
    for sample in samples:
        at = sample.at - sample.at % width
        if at not in found or (found[at].at, found[at].batch) <= (sample.at, sample.batch):
            found[at] = sample
    return found


def _begin(sample: RunSample) -> int:
    return sample.at - max(1, round(sample.batch_s * TICKS_PER_S))


def _heard(reading: Reading, watch: Watch) -> Span | None:
    """Return the period in which the runner was alive without a break, limited to the run's time."""
    if watch.runner is None:
        return None
    begin = max(watch.runner[0], watch.requested, reading.until or 0)
    end = watch.runner[1] if watch.ended is None else min(watch.runner[1], watch.ended)
    return (begin, end) if end > begin else None


def _last_known(reading: Reading, watch: Watch) -> int:
    return reading.until if reading.until is not None else watch.requested


def _without(spans: Iterable[Span], hole: Span) -> list[Span]:
    left = [(begin, min(end, hole[0])) for begin, end in spans if begin < hole[0]]
    right = [(max(begin, hole[1]), end) for begin, end in spans if end > hole[1]]
    return left + right


def _base(first: RunSample, before: RunSample | None) -> RunSample:
    """Return the totals at the start of the run: those of `before` if the run resumes from them, else zeros."""
    resumed = before is not None and all(
        counts.received <= first.inputs[name].received if name in first.inputs else False
        for name, counts in before.inputs.items()
    )
    if before is None or not resumed:
        nothing = {
            name: counts.model_copy(
                update={"received": 0, "outcomes": {}, "cti": None, "ended": False, "largest_start": None}
            )
            for name, counts in first.inputs.items()
        }
        before = first.model_copy(
            update={"inputs": nothing, "output_ctis": dict.fromkeys(first.output_ctis), "results": 0, "quarantined": 0}
        )
    return before.model_copy(update={"at": _begin(first), "batch": first.batch - 1, "batch_s": 0.0})
