"""The inventory of metrics: each name with type, unit, labels and meaning.

`deploy/telemetry/METRICS.md` is printed from it. A metric that isn't here can't be emitted.
"""

from enum import StrEnum
from typing import Final

from webapp.core.http.process_metrics import OF_THIS_PROCESS, PREFIX, MetricDefinition, MetricType


class MetricScope(StrEnum):
    """The address that has a metric."""

    BOTH = "both"
    ORGANISATION = "organisation"
    INSTALLATION = "installation"


_BINDING: Final = ("organisation", "binding")
_INPUT: Final = (*_BINDING, "input")
_OUTPUT: Final = (*_BINDING, "output")


def _gauge(name: str, unit: str, labels: tuple[str, ...], meaning: str) -> MetricDefinition:
    return MetricDefinition(f"{PREFIX}{name}", MetricType.GAUGE, unit, labels, meaning)


def _counter(name: str, unit: str, labels: tuple[str, ...], meaning: str) -> MetricDefinition:
    return MetricDefinition(f"{PREFIX}{name}_total", MetricType.COUNTER, unit, labels, meaning)


def _histogram(name: str, meaning: str) -> MetricDefinition:
    return MetricDefinition(f"{PREFIX}{name}_seconds", MetricType.HISTOGRAM, "seconds", _INPUT, meaning)


def _time(name: str, labels: tuple[str, ...], meaning: str, note: str = "") -> MetricDefinition:
    return _gauge(f"{name}_timestamp_seconds", "seconds", labels, f"{meaning}, in seconds since 1970.{note}")


BINDING_INFO: Final = MetricDefinition(
    f"{PREFIX}binding_info",
    MetricType.INFO,
    "",
    (*_BINDING, "binding_id", "query"),
    "One for each binding: its id and its query.",
)
DESIRED_RUNNING: Final = _gauge("binding_desired_running", "", _BINDING, "1 if the binding should run, otherwise 0.")
STATE: Final = _gauge(
    "binding_state",
    "",
    (*_BINDING, "state"),
    "1 for the state of the newest run; `lost` while its runner is silent. Missing before the first start.",
)
RUN_START: Final = _time("run_start", _BINDING, "Start of the newest run", " There its counters start at 0.")
LAST_REPORT: Final = _time("last_report", _BINDING, "Time of the newest report of the run")
RECEIVED: Final = _counter("received_events", "rows", _INPUT, "Rows that the newest run received.")
EVENTS: Final = _counter(
    "events", "rows", (*_INPUT, "outcome"), "Received rows by outcome; 0 for an outcome that no row has."
)
REASONS: Final = _counter(
    "event_reasons",
    "rows",
    (*_INPUT, "reason"),
    "Received rows by the reason of their outcome, if it has one.",
)
LATENESS: Final = _histogram(
    "event_lateness", "Late rows by their distance to the CTI that they met. The sum is not known."
)
ADJUSTMENT: Final = _histogram(
    "event_adjustment", "Adjusted and shifted rows by how far they were moved. The sum is not known."
)
TRANSPORT: Final = _histogram(
    "event_transport", "Rows with a known arrival by the time from their start to it. The sum is not known."
)
INPUT_CTI: Final = _time("input_cti", _INPUT, "CTI of an input", " Missing before the first CTI and after the end.")
DELAY: Final = _gauge(
    "input_delay_seconds", "seconds", _INPUT, "Delay of the generated CTIs below the largest start, as chosen."
)
LARGEST_START: Final = _time("input_largest_start", _INPUT, "Largest start of an event of an input")
LAST_ARRIVAL: Final = _time("input_last_arrival", _INPUT, "Last known arrival of a row")
OUTPUT_CTI: Final = _time("output_cti", _OUTPUT, "CTI of an output", " Missing before the first CTI and after the end.")
RESULTS: Final = _counter("results", "rows", _BINDING, "Result rows of the newest run, all outputs together.")
QUARANTINED: Final = _counter("quarantined_rows", "rows", _BINDING, "Rows that the newest run put into quarantine.")
LANES: Final = _gauge(
    "input_lanes",
    "lanes",
    (*_INPUT, "state"),
    "Lanes of an input by state. Reports list the 20 lanes that delay most; the others are `unlisted`.",
)
HOLDS_BACK: Final = _gauge(
    "input_holds_back", "", _INPUT, "1 if another input has a larger CTI, so that results wait for this input."
)
ENDED: Final = _gauge("input_ended", "", _INPUT, "1 if an input has ended, so that it has no CTI, otherwise 0.")
BATCH_DURATION: Final = _gauge("batch_duration_seconds", "seconds", _BINDING, "Duration of the newest batch.")
FRESHNESS: Final = _gauge(
    "freshness_target_seconds", "seconds", _BINDING, "Time that a row may wait before a batch reads it, as chosen."
)
FAILURES: Final = _counter(
    "expression_failures", "failures", _BINDING, "Failures of expressions since the first start; each gave null."
)
RETAINED: Final = _gauge(
    "source_retained_bytes",
    "bytes",
    _INPUT,
    "Bytes that the source keeps for an input, for example in a replication slot.",
)
WAITING_ROWS: Final = _gauge(
    "delivery_waiting_rows",
    "rows",
    _OUTPUT,
    "Committed rows that wait for delivery, all targets of the output together; an upper bound with several outputs.",
)
OLDEST_WAITING: Final = _time("delivery_oldest_waiting", _OUTPUT, "Time since which the oldest row waits for delivery")
REFUSED: Final = _gauge(
    "delivery_refused_requests", "requests", _OUTPUT, "Refused requests whose rows are kept until somebody decides."
)
TARGETS: Final = _gauge(
    "delivery_targets",
    "targets",
    (*_OUTPUT, "state"),
    "Targets of an output by the state of their delivery; `unknown` until a runner has reported it.",
)
QUARANTINE_BYTES: Final = _gauge("quarantine_bytes", "bytes", _BINDING, "Bytes of the kept quarantine.")
REPAIRED: Final = _counter("repaired_rows", "rows", _BINDING, "Rows of quarantine that repairs added to results.")
ALERTS: Final = _gauge("alerts_firing", "rules", (*_BINDING, "level"), "Rules of a binding that fire, by level.")
DIFFERENCE: Final = _gauge(
    "accounting_difference_rows", "rows", _INPUT, "Received rows minus the sum of all outcomes: always 0."
)
QUOTA: Final = _gauge("quota_used_ratio", "ratio", ("organisation", "quota"), "Used part of a quota.")
RUNNERS: Final = _gauge("runners", "processes", (), "Runners that hold a lease; standby runners are not counted.")
REDIS_MEMORY: Final = _gauge("redis_memory_ratio", "ratio", (), "Used part of Redis' memory; missing without a limit.")

OF_BINDINGS: Final = (
    BINDING_INFO,
    DESIRED_RUNNING,
    STATE,
    RUN_START,
    LAST_REPORT,
    RECEIVED,
    EVENTS,
    REASONS,
    LATENESS,
    ADJUSTMENT,
    TRANSPORT,
    INPUT_CTI,
    DELAY,
    LARGEST_START,
    LAST_ARRIVAL,
    OUTPUT_CTI,
    RESULTS,
    QUARANTINED,
    LANES,
    HOLDS_BACK,
    ENDED,
    BATCH_DURATION,
    FRESHNESS,
    FAILURES,
    RETAINED,
    WAITING_ROWS,
    OLDEST_WAITING,
    REFUSED,
    TARGETS,
    QUARANTINE_BYTES,
    REPAIRED,
    ALERTS,
    DIFFERENCE,
)
INVENTORY: Final = {
    each.name: (each, scope)
    for scope, metrics in (
        (MetricScope.BOTH, OF_BINDINGS),
        (MetricScope.ORGANISATION, (QUOTA,)),
        (MetricScope.INSTALLATION, (RUNNERS, REDIS_MEMORY, *OF_THIS_PROCESS)),
    )
    for each in metrics
}
OF_ORGANISATION: Final = tuple(each for each, scope in INVENTORY.values() if scope is not MetricScope.INSTALLATION)
