"""The samples of bindings, as metrics; pure: no database, no Redis, no clock."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from streaming.wire.deliveries import DeliveryObserved
from streaming.wire.messages import OutcomeName
from streaming.wire.progress import InputCounts
from webapp.alerts.rules.evaluation import AlertLevel
from webapp.runs.states import Desired
from webapp.telemetry import metrics
from webapp.telemetry.families import TICKS_PER_S, Labels, MetricFamilies, late, measured
from webapp.telemetry.gathering import BindingSample, NewestRun, RunReport

UNLISTED: Final = "unlisted"
UNKNOWN: Final = "unknown"
_NO_ROWS: Final = {outcome.value: 0 for outcome in OutcomeName}
"""Every outcome is a sample from the first report on: a counter that appears with its first rows has no increase."""


def add_binding(families: MetricFamilies, binding: BindingSample) -> None:
    """Add everything that is known of a binding."""
    labels = {"organisation": binding.organisation, "binding": binding.name}
    run = binding.run
    families.add(metrics.BINDING_INFO, {**labels, "binding_id": str(binding.id), "query": binding.query}, 1)
    wanted = run is not None and run.state.ended_at is None and run.state.desired == Desired.RUNNING
    families.add(metrics.DESIRED_RUNNING, labels, wanted)
    families.add(metrics.FRESHNESS, labels, binding.freshness / TICKS_PER_S)
    families.add(metrics.QUARANTINE_BYTES, labels, binding.quarantine_bytes)
    families.add(metrics.REPAIRED, labels, binding.repaired_rows)
    for level in AlertLevel:
        families.add(metrics.ALERTS, {**labels, "level": level.value}, binding.firing.get(level, 0))
    for node, size in binding.retained.items():
        families.add(metrics.RETAINED, {**labels, "input": node}, size)
    for node in dict.fromkeys(node for node, _ in binding.targets):
        targets = [seen for each, seen in binding.targets if each == node]
        _add_deliveries(families, {**labels, "output": node}, targets)
    if run is not None:
        _add_run(families, labels, run)


def _add_run(families: MetricFamilies, labels: Labels, run: NewestRun) -> None:
    families.add(metrics.STATE, {**labels, "state": run.state.observed.value}, 1)
    families.add_time(metrics.RUN_START, labels, run.started_at)
    report = run.report
    if report is None:
        return
    families.add_time(metrics.LAST_REPORT, labels, report.at)
    families.add(metrics.RESULTS, labels, report.results)
    families.add(metrics.QUARANTINED, labels, report.quarantined)
    families.add(metrics.FAILURES, labels, report.failed)
    for output, cti in report.output_ctis.items():
        families.add_time(metrics.OUTPUT_CTI, {**labels, "output": output}, cti)
    for node, counts in report.inputs.items():
        _add_input(families, {**labels, "input": node}, counts)
    if run.state.ended_at is None:
        _add_present(families, labels, report)


def _add_present(families: MetricFamilies, labels: Labels, report: RunReport) -> None:
    """Add what is true only as long as the run continues."""
    families.add(metrics.BATCH_DURATION, labels, report.batch_s)
    delaying = _delaying(report.inputs)
    for node, counts in report.inputs.items():
        own = {**labels, "input": node}
        families.add(metrics.HOLDS_BACK, own, node in delaying)
        families.add(metrics.ENDED, own, counts.ended)
        if counts.lanes is not None:
            states = Counter[str](lane.state for lane in counts.lanes)
            if counts.other_lanes is not None:
                states[UNLISTED] = counts.other_lanes.lanes
            for state, lanes in states.items():
                families.add(metrics.LANES, {**own, "state": state}, lanes)


def _delaying(inputs: Mapping[str, InputCounts]) -> set[str]:
    """Return the inputs with the smallest CTI, if another input has a larger one; no CTI is below every CTI."""
    ctis = {node: float("-inf") if each.cti is None else each.cti for node, each in inputs.items() if not each.ended}
    ended = len(ctis) < len(inputs)
    if not ctis or (not ended and len(set(ctis.values())) == 1):
        return set()
    return {node for node, cti in ctis.items() if cti == min(ctis.values())}


def _add_input(families: MetricFamilies, labels: Labels, counts: InputCounts) -> None:
    families.add(metrics.RECEIVED, labels, counts.received)
    for outcome, rows in {**_NO_ROWS, **counts.outcomes}.items():
        families.add(metrics.EVENTS, {**labels, "outcome": outcome}, rows)
    for reason, rows in counts.reasons.items():
        families.add(metrics.REASONS, {**labels, "reason": reason}, rows)
    families.add(metrics.DIFFERENCE, labels, counts.received - sum(counts.outcomes.values()))
    families.add_counts(metrics.LATENESS, labels, late(counts.lateness))
    families.add_time(metrics.INPUT_CTI, labels, counts.cti)
    families.add(metrics.DELAY, labels, None if counts.delay is None else counts.delay / TICKS_PER_S)
    families.add_time(metrics.LARGEST_START, labels, counts.largest_start)
    measures = counts.measures
    if measures is not None:
        families.add_time(metrics.LAST_ARRIVAL, labels, measures.last_arrival)
        families.add_counts(metrics.ADJUSTMENT, labels, measured(measures.moved))
        families.add_counts(metrics.TRANSPORT, labels, measured(measures.transport))


def _add_deliveries(families: MetricFamilies, labels: Labels, targets: Sequence[DeliveryObserved | None]) -> None:
    """Add the deliveries of one output to its targets."""
    states = Counter(UNKNOWN if seen is None else seen.state for seen in targets)
    for state, count in states.items():
        families.add(metrics.TARGETS, {**labels, "state": state}, count)
    reported = [seen for seen in targets if seen is not None]
    if reported:
        families.add(metrics.WAITING_ROWS, labels, sum(each.waiting_rows for each in reported))
        families.add(metrics.REFUSED, labels, sum(each.refused_requests for each in reported))
        oldest = [each.waiting_since for each in reported if each.waiting_since is not None]
        families.add_time(metrics.OLDEST_WAITING, labels, min(oldest, default=None))
