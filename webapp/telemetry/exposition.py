"""The two text formats of metrics, and the choice between them.

`prometheus_client` writes headings and the metrics of the process. The samples of bindings are written here, because
the library needs 0.83 s for those of 1,000 bindings, and this a fifth of it; a test compares both.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Metric
from prometheus_client import exposition as prometheus
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from webapp.telemetry.families import MetricFamilies

OPENMETRICS: Final = "application/openmetrics-text"
PLAIN: Final = "text/plain"
_END: Final = b"# EOF\n"
_FORMATS: Final[Mapping[str, tuple[Callable[[Collector], bytes], str]]] = {
    PLAIN: (prometheus.generate_latest, prometheus.CONTENT_TYPE_PLAIN_0_0_4),
    OPENMETRICS: (openmetrics.generate_latest, openmetrics.CONTENT_TYPE_LATEST),
}


class _Heading(Collector):
    """A metric without its samples."""

    def __init__(self, metric: Metric) -> None:
        self._heading = Metric(metric.name, metric.documentation, metric.type, metric.unit)

    def collect(self) -> Iterator[Metric]:
        """Yield it."""
        yield self._heading


def metrics_response(request: HttpRequest, families: MetricFamilies, process: Collector | None = None) -> HttpResponse:
    """Return the metrics in the format that the client prefers; Prometheus text for a client without a preference."""
    preferred = _preferred(request)
    response = HttpResponse(metrics_text(preferred, families, process), content_type=_FORMATS[preferred][1])
    response.headers["Cache-Control"] = "no-store"
    response.headers["Vary"] = "Accept"
    return response


def metrics_text(form: str, families: MetricFamilies, process: Collector | None = None) -> bytes:
    """Return the samples of `families`, then those of `process`, in the format PLAIN or OPENMETRICS."""
    write = _FORMATS[form][0]
    parts = []
    for metric in families.collect():
        parts.append(write(_Heading(metric)).removesuffix(_END))
        parts.append("".join(_lines(metric)).encode())
    return b"".join([*parts, write(process or CollectorRegistry())])


def _preferred(request: HttpRequest) -> str:
    accepted = (f"{each.main_type}/{each.sub_type}" for each in request.accepted_types)
    return next((each for each in accepted if each in _FORMATS), PLAIN)


def _lines(metric: Metric) -> Iterator[str]:
    """Yield the line of each sample, which is the same in both formats: samples have no times and no exemplars."""
    for name, labels, value, *_ in metric.samples:
        text = ",".join([f'{label}="{_escaped(labels[label])}"' for label in sorted(labels)])
        number = floatToGoString(value)  # type: ignore[no-untyped-call]
        yield f"{name}{{{text}}} {number}\n" if text else f"{name} {number}\n"


@lru_cache(maxsize=4_096)
def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
