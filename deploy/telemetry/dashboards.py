"""The two Grafana dashboards, as the dictionaries of their JSON files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from deploy.telemetry.expressions import BINDING, INPUT, LOST, MOVED, OUTPUT, age, once, total

OWN: Final = '{organisation=~"$organisation",binding=~"$binding"}'
_SOURCE: Final = {"type": "prometheus", "uid": "${source}"}
_WIDTH: Final = 24
_HEIGHT: Final = 8


@dataclass(frozen=True)
class Panel:
    """A panel: a title, the unit of its values, and an expression for each legend; `stat`: one number, no chart."""

    title: str
    unit: str
    expressions: Mapping[str, str]
    help: str = ""
    stat: bool = False


def _rate(metric: str, more: str = "") -> str:
    own = OWN.removesuffix("}") + (f",{more}}}" if more else "}")
    return f"rate({metric}{own}[$__rate_interval])"


def _rows(metric: str, labels: tuple[str, ...], by: tuple[str, ...] = BINDING, more: str = "") -> str:
    """Return rows per second."""
    return total(by, once(labels, _rate(metric, more)))


def _quantile(metric: str, quantile: float) -> str:
    rates = total((*INPUT, "le"), once((*INPUT, "le"), _rate(f"{metric}_bucket")))
    return f"histogram_quantile({quantile}, {rates})"


def _share(more: str) -> str:
    outcomes = _rows("punctual_events_total", (*INPUT, "outcome"), more=more)
    return f"{outcomes} / {_rows('punctual_received_events_total', INPUT)}"


def _distance(metric: str) -> dict[str, str]:
    return {
        f"{{{{binding}}}} {{{{input}}}} {name}": _quantile(metric, quantile)
        for name, quantile in (("half", 0.5), ("95 %", 0.95), ("99 %", 0.99))
    }


BINDINGS: Final[Sequence[Panel]] = (
    Panel(
        "Bindings that should run",
        "short",
        {"bindings": f"sum({once(BINDING, f'punctual_binding_desired_running{OWN}')})"},
        stat=True,
    ),
    Panel(
        "Bindings by state",
        "short",
        {"{{state}}": f"count by (state) ({once((*BINDING, 'state'), f'punctual_binding_state{OWN}')})"},
        "`lost`: the runner is silent.",
        stat=True,
    ),
    Panel(
        "Firing alerts",
        "short",
        {"{{level}}": total(("level",), once((*BINDING, "level"), f"punctual_alerts_firing{OWN}"))},
        stat=True,
    ),
    Panel("Received rows", "rows/s", {"{{binding}}": _rows("punctual_received_events_total", INPUT)}),
    Panel(
        "Outcomes",
        "rows/s",
        {"{{outcome}}": _rows("punctual_events_total", (*INPUT, "outcome"), ("outcome",))},
    ),
    Panel(
        "Share of lost and of moved rows",
        "percentunit",
        {"{{binding}} lost": _share(LOST), "{{binding}} moved": _share(MOVED)},
        "Lost: dropped or malformed. Moved: adjusted or shifted.",
    ),
    Panel(
        "Distance of outputs to now",
        "s",
        {"{{binding}} {{output}}": age(OUTPUT, f"punctual_output_cti_timestamp_seconds{OWN}")},
        "Now minus the CTI of each output; the delay of its inputs and the length of its windows are part of it.",
    ),
    Panel(
        "Distance of inputs to now",
        "s",
        {
            "{{binding}} {{input}}": age(INPUT, f"punctual_input_cti_timestamp_seconds{OWN}"),
            "{{binding}} {{input}} delay": once(INPUT, f"punctual_input_delay_seconds{OWN}"),
            "{{binding}} {{input}} largest start": age(INPUT, f"punctual_input_largest_start_timestamp_seconds{OWN}"),
        },
        "Now minus the CTI, with the chosen delay. If the largest start is far from now, the source is late.",
    ),
    Panel(
        "Time since the last arrival and the last report",
        "s",
        {
            "{{binding}} {{input}} arrival": age(INPUT, f"punctual_input_last_arrival_timestamp_seconds{OWN}"),
            "{{binding}} report": age(BINDING, f"punctual_last_report_timestamp_seconds{OWN}"),
            "{{binding}} start of the run": age(BINDING, f"punctual_run_start_timestamp_seconds{OWN}"),
        },
    ),
    Panel(
        "Lateness of late rows", "s", _distance("punctual_event_lateness_seconds"), "The distance to the CTI they met."
    ),
    Panel("Adjustment of moved rows", "s", _distance("punctual_event_adjustment_seconds")),
    Panel(
        "Time from start to arrival", "s", _distance("punctual_event_transport_seconds"), "Rows with a known arrival."
    ),
    Panel(
        "Reasons",
        "rows/s",
        {"{{reason}}": _rows("punctual_event_reasons_total", (*INPUT, "reason"), ("reason",))},
    ),
    Panel(
        "Lanes",
        "short",
        {
            "{{binding}} {{input}} {{state}}": once((*INPUT, "state"), f"punctual_input_lanes{OWN}"),
            "{{binding}} waits for {{input}}": once(INPUT, f"punctual_input_holds_back{OWN}"),
            "{{binding}} {{input}} has ended": once(INPUT, f"punctual_input_ended{OWN}"),
        },
    ),
    Panel(
        "Duration of batches",
        "s",
        {
            "{{binding}}": once(BINDING, f"punctual_batch_duration_seconds{OWN}"),
            "{{binding}} freshness target": once(BINDING, f"punctual_freshness_target_seconds{OWN}"),
        },
    ),
    Panel(
        "Results, quarantine and repairs",
        "rows/s",
        {
            "{{binding}} results": _rows("punctual_results_total", BINDING),
            "{{binding}} quarantined": _rows("punctual_quarantined_rows_total", BINDING),
            "{{binding}} repaired": _rows("punctual_repaired_rows_total", BINDING),
        },
    ),
    Panel(
        "Failures of expressions", "failures/s", {"{{binding}}": _rows("punctual_expression_failures_total", BINDING)}
    ),
    Panel(
        "Rows that wait for delivery",
        "short",
        {
            "{{binding}} {{output}} rows": once(OUTPUT, f"punctual_delivery_waiting_rows{OWN}"),
            "{{binding}} {{output}} refused requests": once(OUTPUT, f"punctual_delivery_refused_requests{OWN}"),
        },
    ),
    Panel(
        "Age of the oldest waiting row",
        "s",
        {"{{binding}} {{output}}": age(OUTPUT, f"punctual_delivery_oldest_waiting_timestamp_seconds{OWN}")},
        "Empty while no row waits.",
    ),
    Panel(
        "Targets of outputs",
        "short",
        {"{{state}}": total(("state",), once((*OUTPUT, "state"), f"punctual_delivery_targets{OWN}"))},
        "`unknown`: no runner has reported the delivery.",
    ),
    Panel(
        "Stored bytes",
        "bytes",
        {
            "{{binding}} quarantine": once(BINDING, f"punctual_quarantine_bytes{OWN}"),
            "{{binding}} {{input}} at the source": once(INPUT, f"punctual_source_retained_bytes{OWN}"),
        },
        "At the source: for example what a replication slot retains.",
    ),
    Panel(
        "Received rows without an outcome",
        "short",
        {"{{binding}} {{input}}": once(INPUT, f"punctual_accounting_difference_rows{OWN}")},
        "Always 0.",
    ),
    Panel(
        "Quotas",
        "percentunit",
        {"{{quota}}": once(("organisation", "quota"), 'punctual_quota_used_ratio{organisation=~"$organisation"}')},
        "Only from the address of an organisation.",
    ),
)
INSTALLATION: Final[Sequence[Panel]] = (
    Panel("Runners", "short", {"runners": "max(punctual_runners)"}, stat=True),
    Panel(
        "Bindings by organisation",
        "short",
        {"{{organisation}}": total(("organisation",), once(BINDING, "punctual_binding_desired_running"))},
        "Bindings that should run.",
        stat=True,
    ),
    Panel(
        "Received rows by organisation",
        "rows/s",
        {
            "{{organisation}}": total(
                ("organisation",), once(INPUT, "rate(punctual_received_events_total[$__rate_interval])")
            )
        },
    ),
    Panel(
        "Requests by status",
        "reqps",
        {"{{status}}": "sum by (status) (rate(punctual_http_requests_total[$__rate_interval]))"},
    ),
    Panel(
        "Duration of requests",
        "s",
        {
            name: "histogram_quantile("
            f"{quantile}, sum by (le) (rate(punctual_http_request_duration_seconds_bucket[$__rate_interval])))"
            for name, quantile in (("half", 0.5), ("95 %", 0.95), ("99 %", 0.99))
        },
    ),
    Panel(
        "Limited jobs",
        "ops",
        {"{{result}}": "sum by (result) (rate(punctual_limited_jobs_total[$__rate_interval]))"},
        "Computations on a person's input.",
    ),
    Panel("Memory of web processes", "bytes", {"{{instance}}": "process_resident_memory_bytes{job=~'.*punctual.*'}"}),
    Panel(
        "Processor time of web processes",
        "s",
        {"{{instance}}": "rate(process_cpu_seconds_total{job=~'.*punctual.*'}[$__rate_interval])"},
    ),
    Panel(
        "Open files of web processes",
        "percentunit",
        {"{{instance}}": "process_open_fds{job=~'.*punctual.*'} / process_max_fds{job=~'.*punctual.*'}"},
    ),
)


def _variable(name: str, query: str) -> dict[str, Any]:
    return {
        "name": name,
        "type": "query",
        "datasource": _SOURCE,
        "query": {"query": query, "refId": name},
        "refresh": 2,
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": "All", "value": "$__all"},
    }


_OF_SOURCE: Final = {"name": "source", "type": "datasource", "query": "prometheus", "label": "Data source"}
_OF_BINDINGS: Final = (
    _OF_SOURCE,
    _variable("organisation", "label_values(punctual_binding_info, organisation)"),
    _variable("binding", 'label_values(punctual_binding_info{organisation=~"$organisation"}, binding)'),
)


def dashboards() -> dict[str, dict[str, Any]]:
    """Return the dashboards by the name of their file."""
    return {
        "bindings.json": _dashboard("Punctual: bindings", "punctual-bindings", BINDINGS, _OF_BINDINGS),
        "installation.json": _dashboard("Punctual: installation", "punctual-installation", INSTALLATION, (_OF_SOURCE,)),
    }


def _dashboard(title: str, uid: str, panels: Sequence[Panel], variables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "title": title,
        "uid": uid,
        "tags": ["punctual"],
        "schemaVersion": 39,
        "timezone": "utc",
        "time": {"from": "now-6h", "to": "now"},
        "refresh": "30s",
        "templating": {"list": list(variables)},
        "panels": list(_placed(panels)),
    }


def _placed(panels: Sequence[Panel]) -> list[dict[str, Any]]:
    """Return the panels in rows of two, or of three numbers."""
    placed: list[dict[str, Any]] = []
    x = y = 0
    for number, panel in enumerate(panels, start=1):
        width, height = (_WIDTH // 3, _HEIGHT // 2) if panel.stat else (_WIDTH // 2, _HEIGHT)
        if x + width > _WIDTH or (placed and placed[-1]["gridPos"]["h"] != height and x):
            x, y = 0, y + placed[-1]["gridPos"]["h"]
        placed.append(_drawn(panel, number, {"x": x, "y": y, "w": width, "h": height}))
        x += width
    return placed


def _drawn(panel: Panel, number: int, position: Mapping[str, int]) -> dict[str, Any]:
    targets = [
        {"refId": chr(ord("A") + index), "datasource": _SOURCE, "expr": expression, "legendFormat": legend}
        for index, (legend, expression) in enumerate(panel.expressions.items())
    ]
    return {
        "id": number,
        "title": panel.title,
        "description": panel.help,
        "type": "stat" if panel.stat else "timeseries",
        "datasource": _SOURCE,
        "gridPos": dict(position),
        "fieldConfig": {"defaults": {"unit": panel.unit}, "overrides": []},
        "targets": targets,
    }
