"""The inventory is the only source: its page is generated, and a scrape has its metrics and no others."""

from typing import Any

import pytest

from streaming.wire.progress import InputMeasures
from tests.conftest import ROOT
from tests.webapp.live.reporting import MINUTE, Reporting, input_counts, lane
from tests.webapp.telemetry.scraping import families, names, scrape_installation
from webapp.core.http.process_metrics import MetricType
from webapp.telemetry import metrics
from webapp.telemetry.metrics import INVENTORY, OF_ORGANISATION
from webapp.telemetry.page import lines

FEW = {metrics.RETAINED.name, metrics.OLDEST_WAITING.name, metrics.REASONS.name, metrics.REDIS_MEMORY.name}
"""Metrics of things that this run does not have."""


@pytest.fixture
def scrapes(reporting: Reporting) -> dict[str, Any]:
    """Both addresses, of a run that reports everything."""
    scene = reporting.scene
    counts = input_counts({"on_time": 3}, reporting.now - MINUTE, [lane("1", received=3, dropped=0)])
    times = {"largest_behind": 1, "largest_late": 1, "largest_moved": 1, "largest_transport": 1}
    buckets: Any = {"behind": {0: 1}, "moved": {0: 1}, "transport": {0: 1}}
    measures = InputMeasures(**buckets, **times, last_arrival=reporting.now)
    reporting.report(counts.model_copy(update={"measures": measures, "delay": MINUTE}))
    reporting.delivers("current", waiting=0)
    return {
        "organisation": scene.person.get("metrics"),
        "installation": scrape_installation(),
    }


def test_the_page_is_what_the_inventory_says() -> None:
    page = (ROOT / "deploy" / "telemetry" / "METRICS.md").read_text().splitlines()
    assert page == list(lines()), "print it again: python -m webapp.telemetry.page >deploy/telemetry/METRICS.md"


def test_each_address_has_its_metrics_of_the_inventory_and_no_others(scrapes: dict[str, Any]) -> None:
    own = {each.name for each in OF_ORGANISATION}
    assert names(families(scrapes["organisation"])) == own - FEW
    everything = set(INVENTORY) - {metrics.QUOTA.name}
    found = {name.removesuffix("_sum").removesuffix("_count") for name in names(families(scrapes["installation"]))}
    assert found <= everything
    assert everything - found <= {*FEW, "punctual_http_requests_total", "punctual_limited_jobs_total"} | {
        "punctual_http_request_duration_seconds"  # whether this process has answered and computed depends on the tests
    }


def test_type_labels_and_meaning_of_each_sample_are_those_of_the_inventory(scrapes: dict[str, Any]) -> None:
    for answered in scrapes.values():
        for family in families(answered):
            if not family.name.startswith("punctual_") or not family.samples:
                continue
            name = family.samples[0].name.removesuffix("_bucket")
            metric, _ = INVENTORY[name]
            plain_type = MetricType.GAUGE if metric.type is MetricType.INFO else metric.type
            assert (family.type, family.documentation) == (plain_type.value, metric.meaning)
            labels = {label for each in family.samples for label in each.labels} - {"le"}
            assert labels == set(metric.labels), name


def test_names_follow_their_units() -> None:
    for metric, _ in INVENTORY.values():
        if metric.unit in {"seconds", "bytes", "ratio"}:
            assert metric.unit in metric.name, metric.name
        assert (metric.type is MetricType.COUNTER) == metric.name.endswith("_total"), metric.name
        assert not set(metric.labels) & {"run", "version", "row", "lane"}
