"""Scrapes, read by the parsers of the library."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.test import Client
from prometheus_client import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_plain

OPENMETRICS = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
Labels = frozenset[tuple[str, str]]
Samples = dict[tuple[str, Labels], float]


def scrape_installation() -> Any:
    """The answer of `/metrics` to a monitoring system that has the token."""
    return Client().get("/metrics", headers={"host": "10.1.2.3:8000", **authorization()})


def authorization() -> dict[str, str]:
    """The header with the token of `/metrics`."""
    return {"authorization": f"Bearer {settings.METRICS_TOKEN}"}


def families(answered: Any) -> list[Metric]:
    """The metrics of an answer in either format."""
    assert answered.status_code == 200, answered.content
    read = read_openmetrics if answered["Content-Type"].startswith("application/openmetrics-text") else read_plain
    return list(read(answered.content.decode()))


def samples(answered: Any) -> Samples:
    """Every sample by name and labels; a sample that came twice is an error."""
    found: Samples = {}
    for family in families(answered):
        for each in family.samples:
            key = (each.name, frozenset(each.labels.items()))
            assert key not in found, key
            found[key] = each.value
    return found


def value(found: Samples, name: str, **labels: str) -> float | None:
    """The only sample of `name` that has `labels`, among others; None without one."""
    fitting = [each for (one, own), each in found.items() if one == f"punctual_{name}" and labels.items() <= own]
    assert len(fitting) <= 1, (name, labels)
    return fitting[0] if fitting else None


def buckets(found: Samples, name: str) -> list[tuple[str, float]]:
    """The buckets of the only histogram of `name`, by their limits."""
    own = [(dict(labels)["le"], each) for (one, labels), each in found.items() if one == f"punctual_{name}_bucket"]
    return sorted(own, key=lambda each: float(each[0]))


def names(metrics: Iterable[Metric]) -> set[str]:
    """The names of the samples, those of a histogram without the ending."""
    return {each.name.removesuffix("_bucket") for metric in metrics for each in metric.samples}
