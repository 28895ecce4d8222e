"""The progress report of a batch, from the totals of its binding."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

from pydantic import TypeAdapter

from streaming.planning.plan import NotRunnable, QueryPlan
from streaming.spark.query.binding import RunnableBinding, binding_of
from streaming.spark.query.failures import report_failures
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.totals import BindingTotals, LaneCount, LaneRead, LaneReport
from streaming.spark.sink.part_files import BindingSummary
from streaming.temporal.outcomes import QUARANTINED
from streaming.temporal.ticks import INFINITY, NO_CTI, TICKS_PER_S
from streaming.wire.messages import LateEvent, ResultRow
from streaming.wire.progress import MOST_LANES, VERSION, InputCounts, LaneProgress, LaneSums, ProgressReport

_RESULTS: Final = TypeAdapter(list[ResultRow])
_LATE: Final = TypeAdapter(list[LateEvent])


def _binding(carrier: CarrierFolder, entry: int) -> RunnableBinding | None:
    """Return the binding; None if it failed because it cannot be planned."""
    try:
        return binding_of(carrier, entry)
    except NotRunnable:
        return None


def report_of(
    carrier: CarrierFolder, totals: BindingTotals, summary: BindingSummary, batch: int, now: int, behind: int | None
) -> ProgressReport:
    """Return the report of a batch that was committed at tick `now`; `behind` as in `ProgressReport`."""
    counts, binding = totals.of_run, _binding(carrier, summary.entry)
    lanes = [lane for each in summary.counts.values() for lane in each.values()]
    planned = min((lane.tick for lane in lanes), default=now)
    lanes_of = _InputLanes(totals, None if binding is None else binding.plan, planned)
    inputs = {
        name: InputCounts.model_validate({**vars(each), "measures": totals.measures_of(name), **lanes_of.fields(name)})
        for name, each in counts.inputs.items()
    }
    failures, failed = report_failures(carrier.control.added(summary.entry).spec.query, totals.failures)
    return ProgressReport(
        kind="progress",
        version=VERSION,
        run=totals.run,
        batch=batch,
        at=now,
        inputs=inputs,
        output_ctis={output: None if cti == INFINITY else cti for output, cti in totals.ctis.items()},
        results=counts.results,
        quarantined=sum(each.outcomes.get(outcome, 0) for each in inputs.values() for outcome in QUARANTINED),
        recent_results=_RESULTS.validate_python(summary.recent_results),
        recent_late=_LATE.validate_python(summary.recent_late),
        of_run=True,
        batch_s=max(0, now - planned) / TICKS_PER_S,
        held_back=max((lane.held for lane in lanes if lane.held is not None), default=None),
        failures=failures,
        failed=failed,
        beginning=None if binding is None else binding.beginning,
        reading_again=any(lane.again for lane in lanes),
        behind=behind,
    )


class _InputLanes:
    """The lanes of the inputs of a binding after a batch planned at `tick`."""

    def __init__(self, totals: BindingTotals, plan: QueryPlan | None, tick: int) -> None:
        self._reports, self._counts = totals.inputs, totals.lanes_of_run
        self._reads, self._plan, self._tick = totals.lanes_read, plan, tick

    def fields(self, name: str) -> dict[str, Any]:
        """Return the fields of InputCounts about the lanes of an input: first those that delay it most."""
        reports, counts, reads = self._reports.get(name, {}), self._counts.get(name, {}), self._reads.get(name, {})
        order = sorted(reports, key=lambda lane: (_rank(reports[lane]), lane))
        others = [counts[lane] for lane in order[MOST_LANES:]]
        return {
            "lanes": [
                _progress(lane, reports[lane], counts[lane], reads.get(lane, LaneRead()), self._tick)
                for lane in order[:MOST_LANES]
            ],
            "other_lanes": _sums(others) if others else None,
            "delay": self._delay(name),
            "lane_wait": _wait(reports.values()),
        }

    def _delay(self, name: str) -> int | None:
        planned = None if self._plan is None else self._plan.inputs.get(name)
        generate = None if planned is None else planned.advance.generate
        return None if generate is None else int(generate.delay)


def _sums(counts: Sequence[LaneCount]) -> LaneSums:
    return LaneSums(
        lanes=len(counts),
        received=sum(each.received for each in counts),
        late=sum(each.late for each in counts),
        dropped=sum(each.dropped for each in counts),
    )


def _wait(reports: Iterable[LaneReport]) -> int | None:
    """Return by how much the input's CTI is below the largest CTI of its lanes."""
    going = [report for report in reports if not report.ended]
    ctis = [report.own_cti for report in going if report.own_cti is not None]
    reached = [report.cti for report in going]
    if not ctis or None in reached:
        return None
    return max(0, max(ctis) - min(cti for cti in reached if cti is not None))


def _rank(report: LaneReport) -> tuple[bool, int]:
    """Return the rank among lanes that delay their input: by CTI, after them the ended and idle ones."""
    return report.ended or report.idle, NO_CTI if report.own_cti is None else report.own_cti


def _progress(lane: str, report: LaneReport, counts: LaneCount, read: LaneRead, tick: int) -> LaneProgress:
    state: Literal["reading", "waiting", "idle", "ended"] = "reading" if read.batch == tick else "waiting"
    if report.ended:
        state = "ended"
    elif report.idle:
        state = "idle"
    return LaneProgress(
        lane=lane,
        cti=None if report.own_cti == INFINITY else report.own_cti,
        largest_start=report.largest_start,
        **counts._asdict(),
        last_arrival=read.batch if read.arrival is None else read.arrival,
        state=state,
    )
