"""Our writer of samples and the library write the same bytes in both formats."""

from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client import generate_latest as write_plain
from prometheus_client.openmetrics.exposition import generate_latest as write_openmetrics

from webapp.telemetry import metrics
from webapp.telemetry.exposition import OPENMETRICS, PLAIN, metrics_text
from webapp.telemetry.families import MetricFamilies


def filled() -> MetricFamilies:
    families = MetricFamilies(metrics.OF_BINDINGS)
    for name in ("watch", 'quoted "a" \\ b', "two\nlines", "ä ∞"):
        labels = {"organisation": "acme", "binding": name}
        families.add(metrics.BINDING_INFO, {**labels, "binding_id": "1", "query": "q"}, 1)
        for number, value in enumerate((0, 1, -2.5, 1e6, 1.7e9 + 0.000001, 2**53, float("inf"), float("-inf"))):
            families.add(metrics.FRESHNESS, {**labels, "organisation": str(number)}, value)
        families.add(metrics.RECEIVED, {**labels, "input": "cars"}, 12)
        families.add_counts(metrics.LATENESS, {**labels, "input": "cars"}, list(range(15)))
    families.add(metrics.DIFFERENCE, {}, 0)
    return families


@pytest.mark.parametrize(("form", "write"), [(PLAIN, write_plain), (OPENMETRICS, write_openmetrics)])
def test_the_text_is_that_of_the_library(form: str, write: Any) -> None:
    families = filled()
    registry = CollectorRegistry()
    registry.register(families)
    assert metrics_text(form, families) == write(registry)
    assert metrics_text(form, MetricFamilies(())) == write(CollectorRegistry())
