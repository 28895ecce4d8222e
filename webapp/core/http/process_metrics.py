"""Metrics of this server process: its requests, its limited jobs, its memory and processor time."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, disable_created_metrics

PREFIX: Final = "punctual_"


class MetricType(StrEnum):
    """The type of a metric, as OpenMetrics names it."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    INFO = "info"


@dataclass(frozen=True)
class MetricDefinition:
    """One metric: its whole name, type, unit of the values, labels, and meaning."""

    name: str
    type: MetricType
    unit: str
    labels: tuple[str, ...]
    meaning: str


HTTP_REQUESTS: Final = MetricDefinition(
    "punctual_http_requests_total",
    MetricType.COUNTER,
    "requests",
    ("method", "route", "status"),
    "Requests that this web process answered, by route and status. The probes and this page are not counted.",
)
HTTP_REQUEST_DURATION: Final = MetricDefinition(
    "punctual_http_request_duration_seconds",
    MetricType.HISTOGRAM,
    "seconds",
    ("method",),
    "Time from a request until its answer starts; the duration of an event stream is not included.",
)
LIMITED_JOBS: Final = MetricDefinition(
    "punctual_limited_jobs_total",
    MetricType.COUNTER,
    "jobs",
    ("job", "result"),
    "Computations on a person's input that this web process gave to a limited process: done, failed or refused.",
)
OF_THE_SYSTEM: Final = (
    MetricDefinition("process_virtual_memory_bytes", MetricType.GAUGE, "bytes", (), "Virtual memory of this process."),
    MetricDefinition("process_resident_memory_bytes", MetricType.GAUGE, "bytes", (), "Memory of this process."),
    MetricDefinition(
        "process_start_time_seconds", MetricType.GAUGE, "seconds", (), "Start of this process, in seconds since 1970."
    ),
    MetricDefinition("process_cpu_seconds_total", MetricType.COUNTER, "seconds", (), "Processor time of this process."),
    MetricDefinition("process_open_fds", MetricType.GAUGE, "files", (), "Open files of this process."),
    MetricDefinition("process_max_fds", MetricType.GAUGE, "files", (), "Most files that this process may open."),
)
"""The metrics of `ProcessCollector`, whose names are those of every Prometheus client."""
OF_THIS_PROCESS: Final = (HTTP_REQUESTS, HTTP_REQUEST_DURATION, LIMITED_JOBS, *OF_THE_SYSTEM)

disable_created_metrics()  # type: ignore[no-untyped-call]  # the start of the process is a metric of its own
REGISTRY: Final = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
requests: Final = Counter(HTTP_REQUESTS.name, HTTP_REQUESTS.meaning, HTTP_REQUESTS.labels, registry=REGISTRY)
request_duration: Final = Histogram(
    HTTP_REQUEST_DURATION.name,
    HTTP_REQUEST_DURATION.meaning,
    HTTP_REQUEST_DURATION.labels,
    registry=REGISTRY,
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
limited_jobs: Final = Counter(LIMITED_JOBS.name, LIMITED_JOBS.meaning, LIMITED_JOBS.labels, registry=REGISTRY)
