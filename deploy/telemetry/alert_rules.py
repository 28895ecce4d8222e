"""Alert rules for Prometheus: those of the built-in rules whose values are metrics, with the same limits."""

from dataclasses import dataclass
from typing import Any, Final

from deploy.telemetry.expressions import BINDING, INPUT, LOST, MOVED, OUTPUT, age, once, total

WARN: Final = "warning"
PAGE: Final = "critical"
RUNNING: Final = f"{once(BINDING, 'punctual_binding_desired_running')} == 1"
GIB: Final = 2**30
RECEIVED: Final = "punctual_received_events_total"
CTI: Final = "punctual_input_cti_timestamp_seconds"


@dataclass(frozen=True)
class PrometheusRule:
    """A rule: its condition, how long it must hold, its severity, a sentence, and what to do."""

    name: str
    expression: str
    lasting: str
    severity: str
    summary: str
    remedy: str


def _grown(metric: str, span: str, labels: tuple[str, ...] = INPUT, more: str = "") -> str:
    """Return by binding how much a counter grew."""
    selected = f"{metric}{{{more}}}" if more else metric
    return total(BINDING, once(labels, f"increase({selected}[{span}])"))


def _outcomes(span: str, more: str) -> str:
    return _grown("punctual_events_total", span, (*INPUT, "outcome"), more)


def _state(state: str) -> str:
    return once(BINDING, f'punctual_binding_state{{state="{state}"}}')


def _lost(share: float, rows: int) -> str:
    lost = _outcomes("5m", LOST)
    return f"{lost} / {_grown(RECEIVED, '5m')} > {share:g} and {lost} >= {rows}"


def _stuck() -> str:
    """Select the bindings with an input that has no CTI, or one that was the same for 5 minutes; not ended inputs."""
    changes = f"{once(INPUT, f'changes({CTI}[5m])')} and {once(INPUT, CTI)}"
    without = f"{once(INPUT, 'punctual_input_ended')} == 0"
    return f"min by ({', '.join(BINDING)}) ({changes} or {without}) == 0"


def _lag(limit_s: int) -> str:
    """Select the inputs that lag. An input without generated CTIs has no delay."""
    delay = f"({once(INPUT, 'punctual_input_delay_seconds')} or 0 * {once(INPUT, CTI)})"
    return f"{age(INPUT, CTI)} - {delay} > {limit_s} and on ({', '.join(BINDING)}) {RUNNING}"


def _slow(factor: int) -> str:
    """Select the bindings with slow batches. Without new rows the duration of the last batch means nothing."""
    target = once(BINDING, "punctual_freshness_target_seconds")
    slow = f"{once(BINDING, 'punctual_batch_duration_seconds')} > {factor} * {target}"
    return f"{slow} and {_grown(RECEIVED, '5m')} > 0"


def _failures(share: float) -> str:
    failures = _grown("punctual_expression_failures_total", "5m", BINDING)
    return f"{failures} / {_grown(RECEIVED, '5m')} > {share:g}"


def _targets(state: str) -> str:
    return f"{once(OUTPUT, f'punctual_delivery_targets{{state={chr(34)}{state}{chr(34)}}}')} > 0"


_OF: Final = "{{ $labels.binding }} of {{ $labels.organisation }}"
_INPUT_OF: Final = f"{{{{ $labels.input }}}} of {_OF}"
_OUTPUT_OF: Final = f"{{{{ $labels.output }}}} of {_OF}"
_RULES: Final = (
    PrometheusRule(
        "PunctualNotRunning",
        f"{RUNNING} unless {_state('running')}",
        "2m",
        PAGE,
        f"{_OF} should run and does not",
        "Open its page: it gives the reason and what to do.",
    ),
    PrometheusRule(
        "PunctualRunnerLost",
        _state("lost"),
        "30s",
        PAGE,
        f"The runner of {_OF} is silent",
        "It is restarted automatically. If it stays silent, check the worker's log.",
    ),
    PrometheusRule(
        "PunctualFailed",
        _state("failed"),
        "5m",
        WARN,
        f"{_OF} has failed",
        "Open its page: it gives the reason and what to do.",
    ),
    PrometheusRule(
        "PunctualNoProgress",
        f"{_grown(RECEIVED, '5m')} > 0 and {_stuck()} and {age(BINDING, 'punctual_run_start_timestamp_seconds')} > 300",
        "1m",
        PAGE,
        f"Rows arrive and the CTI of {_OF} does not advance",
        "The lanes on its page show which one delays the others.",
    ),
    PrometheusRule(
        "PunctualNoRows",
        f"{_grown(RECEIVED, '2h')} == 0 and {RUNNING} "
        f"and {age(BINDING, 'punctual_run_start_timestamp_seconds')} > 7200",
        "10m",
        PAGE,
        f"{_OF} has received no row for 2 hours",
        "Check the source.",
    ),
    PrometheusRule("PunctualLag", _lag(60), "1m", WARN, f"{_INPUT_OF} lags", "Its page shows the parts of the lag."),
    PrometheusRule("PunctualLag", _lag(180), "3m", PAGE, f"{_INPUT_OF} lags", "Its page shows the parts of the lag."),
    PrometheusRule(
        "PunctualRowsLost",
        _lost(0.001, 10),
        "0s",
        WARN,
        f"{_OF} loses rows",
        "The quarantine has them, and the reason of each. Repair them or choose a longer delay.",
    ),
    PrometheusRule(
        "PunctualRowsLost",
        _lost(0.01, 100),
        "0s",
        PAGE,
        f"{_OF} loses rows",
        "The quarantine has them, and the reason of each. Repair them or choose a longer delay.",
    ),
    PrometheusRule(
        "PunctualRowsMoved",
        f"{_outcomes('15m', MOVED)} / {_grown(RECEIVED, '15m')} > 0.05",
        "0s",
        WARN,
        f"{_OF} moves many rows in time",
        "Choose a longer delay.",
    ),
    PrometheusRule(
        "PunctualBatchSlow", _slow(1), "5m", WARN, f"Batches of {_OF} exceed its freshness", "Relax its freshness."
    ),
    PrometheusRule(
        "PunctualBatchSlow", _slow(3), "5m", PAGE, f"Batches of {_OF} exceed its freshness", "Relax its freshness."
    ),
    PrometheusRule(
        "PunctualDeliveryRetrying",
        _targets("retrying"),
        "5m",
        WARN,
        f"Deliveries of {_OUTPUT_OF} fail and are retried",
        "Check the target.",
    ),
    PrometheusRule(
        "PunctualDeliveryStopped",
        _targets("stopped"),
        "0s",
        PAGE,
        f"Deliveries of {_OUTPUT_OF} have stopped",
        "Correct the settings of the output.",
    ),
    PrometheusRule(
        "PunctualDeliveryLate",
        f"{age(OUTPUT, 'punctual_delivery_oldest_waiting_timestamp_seconds')} > 300",
        "0s",
        WARN,
        f"Rows of {_OUTPUT_OF} wait for delivery",
        "Check the target.",
    ),
    PrometheusRule(
        "PunctualDeliveryLate",
        f"{age(OUTPUT, 'punctual_delivery_oldest_waiting_timestamp_seconds')} > 1800",
        "0s",
        PAGE,
        f"Rows of {_OUTPUT_OF} wait for delivery",
        "Check the target.",
    ),
    PrometheusRule(
        "PunctualRequestsRefused",
        f"{once(OUTPUT, 'punctual_delivery_refused_requests')} > 0",
        "0s",
        WARN,
        f"The target of {_OUTPUT_OF} refused rows",
        "Open the refused requests on its page, and dismiss them when you have the rows.",
    ),
    PrometheusRule(
        "PunctualExpressionsFail",
        _failures(0.001),
        "0s",
        WARN,
        f"Expressions of {_OF} fail",
        "Its page names the expressions, with an example row.",
    ),
    PrometheusRule(
        "PunctualExpressionsFail",
        _failures(0.05),
        "0s",
        PAGE,
        f"Expressions of {_OF} fail",
        "Its page names the expressions, with an example row.",
    ),
    PrometheusRule(
        "PunctualSourceRetains",
        f"{once(INPUT, 'punctual_source_retained_bytes')} > {5 * GIB}",
        "0s",
        WARN,
        f"The source of {_INPUT_OF} retains much",
        "Start the binding, or delete it to remove its replication slot.",
    ),
    PrometheusRule(
        "PunctualSourceRetains",
        f"{once(INPUT, 'punctual_source_retained_bytes')} > {20 * GIB}",
        "0s",
        PAGE,
        f"The source of {_INPUT_OF} retains much",
        "Start the binding, or delete it to remove its replication slot.",
    ),
    PrometheusRule(
        "PunctualRowsUnaccounted",
        f"{once(INPUT, 'punctual_accounting_difference_rows')} != 0",
        "0s",
        PAGE,
        f"The outcomes of {_INPUT_OF} do not add up to its received rows",
        "Report this defect.",
    ),
    PrometheusRule(
        "PunctualQuota",
        f"{once(('organisation', 'quota'), 'punctual_quota_used_ratio')} > 0.8",
        "0s",
        WARN,
        "The quota {{ $labels.quota }} of {{ $labels.organisation }} is almost used up",
        "Make room, or ask your administrator for more.",
    ),
    PrometheusRule(
        "PunctualRedisMemory",
        "max(punctual_redis_memory_ratio) > 0.8",
        "5m",
        PAGE,
        "Redis has used more than 80 % of its memory",
        "Give it more memory.",
    ),
    PrometheusRule(
        "PunctualMetricsMissing",
        'count(up{job="punctual"}) unless count(punctual_runners)',
        "5m",
        PAGE,
        "Prometheus receives no metrics of the installation, or Redis does not answer",
        "Check the web process and Redis.",
    ),
)


def rules_file() -> dict[str, Any]:
    """Return the content of the file of rules. Of two rules of one name, the one that pages has the higher limit."""
    rules = [
        {
            "alert": each.name,
            "expr": each.expression,
            "for": each.lasting,
            "labels": {"severity": each.severity},
            "annotations": {"summary": f"{each.summary}.", "description": each.remedy},
        }
        for each in _RULES
    ]
    return {"groups": [{"name": "punctual", "rules": rules}]}
