"""The page of metrics, as Markdown: `python -m webapp.telemetry.page >deploy/telemetry/METRICS.md`."""

import sys
from collections.abc import Iterator

from webapp.telemetry.metrics import INVENTORY, MetricScope

_INTRODUCTION = """# Metrics

This page is generated from `webapp/telemetry/metrics.py`:
`python -m webapp.telemetry.page >deploy/telemetry/METRICS.md`.

| address | content | access |
|---|---|---|
| `/metrics` | all organisations, the answering web process | PUNCTUAL_METRICS_TOKEN, or the file `metrics_token` |
| `/api/t/<slug>/metrics` | one organisation | a token with the permission `view` |

- Both answer in OpenMetrics if the client prefers it, else in Prometheus text. At the address of an organisation,
  `?binding=NAME` selects one binding, and `?include=NAME,NAME` some metrics.
- Values are those of the newest report of each binding, which is at most 3 s old when it is stored. A counter starts
  at 0 with each run; `rate` and `increase` handle that. A deleted binding has no metrics.
- A value that is not known has no sample; it is never 0. Times are seconds since 1970, so a lag is
  `time() - punctual_output_cti_timestamp_seconds`.
- Labels never name a run, a version or a row. `binding` is the name; `punctual_binding_info` also has id and query.
- The `le` of a bucket is the largest duration in it. Durations are whole microseconds, so the buckets end 1 us below
  powers of two.
- Every web process has the metrics of all bindings. If you scrape several, use `max without (instance)`.
"""
_TITLES = {
    MetricScope.BOTH: "Bindings (both addresses)",
    MetricScope.ORGANISATION: "Organisations (only `/api/t/<slug>/metrics`)",
    MetricScope.INSTALLATION: "Installation (only `/metrics`)",
}


def lines() -> Iterator[str]:
    """Yield the lines of the page."""
    yield from _INTRODUCTION.splitlines()
    for scope, title in _TITLES.items():
        yield from ("", f"## {title}", "", "| name | type | unit | labels | meaning |", "|---|---|---|---|---|")
        for metric, where in INVENTORY.values():
            if where is scope:
                labels = ", ".join(f"`{label}`" for label in metric.labels)
                yield f"| `{metric.name}` | {metric.type} | {metric.unit} | {labels} | {metric.meaning} |"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in lines())
