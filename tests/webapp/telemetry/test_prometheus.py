"""A real Prometheus scrapes the application: its numbers are those of the reports, and no panel is empty."""

import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings

from deploy.telemetry.__main__ import FOLDER
from deploy.telemetry.dashboards import BINDINGS, INSTALLATION
from streaming.wire import keys
from streaming.wire.deliveries import DeliveryObserved
from streaming.wire.progress import InputCounts
from tests.prometheus import Prometheus, expressions, running_prometheus, scrapes_of, until
from tests.webapp.live.reporting import MINUTE, SECOND, Reporting, input_counts, lane
from tests.webapp.telemetry.scraping import authorization
from tests.webapp.telemetry.test_access import token_of
from tests.webapp.telemetry.test_samples import with_lateness
from webapp.core.context import organisation_context
from webapp.core.http.process_metrics import limited_jobs
from webapp.runs.models import InputFootprint

FIRST = {"on_time": 900, "reordered": 40, "adjusted": 30, "dropped_late": 29, "malformed": 1}
THEN = {"on_time": 1_800, "reordered": 80, "adjusted": 60, "dropped_late": 58, "malformed": 2}


def counts_at(reporting: Reporting, outcomes: dict[str, int], factor: int) -> InputCounts:
    """Totals with everything that is measured; `factor` grows with the run."""
    lanes = [lane("0", received=1, dropped=0, cti=reporting.now)]
    counts = input_counts(outcomes, reporting.now - 6 * SECOND, lanes)
    filled = {"moved": {60: 30 * factor}, "transport": {70: 900 * factor}, "last_arrival": reporting.now}
    full = with_lateness(counts, **filled)
    lateness = [count * factor for count in full.lateness]
    return full.model_copy(update={"delay": 5 * SECOND, "lateness": lateness, "reasons": {"past_cti": 29 * factor}})


def lay_out(reporting: Reporting) -> None:
    """A delivery that waits, and a slot at the source."""
    scene = reporting.scene
    reporting.delivers("retrying", waiting=12)
    seen = DeliveryObserved.model_validate_json(
        str(scene.connection.hget(keys.delivered(scene.organisation), "one").decode())  # type: ignore[union-attr]
    )
    waiting = seen.model_copy(update={"waiting_since": reporting.now - MINUTE})
    scene.connection.hset(keys.delivered(scene.organisation), "one", waiting.model_dump_json())
    with organisation_context(scene.person.organisation.pk):
        InputFootprint(
            binding=scene.binding["id"],
            binding_name="watch",
            node="cars",
            stream=scene.binding["id"],
            stream_name="cars",
            adapter={},
            where="here",
            noted_at=scene.clock(),
            due_at=scene.clock(),
            kept_bytes=1_024,
        ).save()


def total_of(prometheus: Prometheus, job: str) -> dict[str, float]:
    found = prometheus.value(f'punctual_events_total{{job="{job}",organisation="acme",binding="watch",input="cars"}}')
    return {labels["outcome"]: rows for labels, rows in found if rows}


@pytest.mark.thorough
def test_prometheus_has_the_numbers_of_the_reports_and_no_panel_is_empty(
    reporting: Reporting, live_server: Any, tmp_path: Path
) -> None:
    lay_out(reporting)
    reporting.report(counts_at(reporting, FIRST, 1), rolled_up=False)
    address = live_server.url.replace("localhost", "127.0.0.1")
    jobs = scrapes_of(address, settings.METRICS_TOKEN, "acme", token_of(reporting.scene.person))
    answered = reporting.scene.person.post("queries/explain/", {"text": "SELECT * FROM cars"})
    assert answered.status_code in {200, 422}, answered.content
    assert next(iter(limited_jobs.collect())).samples, "nothing was computed in a limited process"
    with running_prometheus(tmp_path, jobs, [FOLDER / "punctual.rules.yaml"]) as prometheus:
        for job in ("punctual", "acme"):
            until(lambda job=job: total_of(prometheus, job) == FIRST, f"{job} has the first report")  # type: ignore[misc]
        reporting.report(counts_at(reporting, THEN, 2), rolled_up=False)
        for job in ("punctual", "acme"):
            until(lambda job=job: total_of(prometheus, job) == THEN, f"{job} has the second report")  # type: ignore[misc]
        for panel in (*BINDINGS, *INSTALLATION):
            for expression in expressions(panel):
                until(lambda asked=expression: prometheus.value(asked), f"{panel.title}: {expression}")  # type: ignore[misc]
        until(lambda: all(each["health"] == "ok" for each in rules_of(prometheus)), "every rule was evaluated")
        assert [each["lastError"] for each in rules_of(prometheus) if each.get("lastError")] == []
        up = {labels["job"]: value for labels, value in prometheus.value("up")}
        assert up == {"punctual": 1, "acme": 1}


def rules_of(prometheus: Prometheus) -> list[dict[str, Any]]:
    return [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]


@pytest.mark.thorough
def test_promtool_finds_nothing_in_a_scrape(reporting: Reporting, live_server: Any) -> None:
    lay_out(reporting)
    reporting.report(counts_at(reporting, FIRST, 1), rolled_up=False)
    address = live_server.url.replace("localhost", "127.0.0.1")
    for path, headers in (
        ("/metrics", authorization()),
        ("/api/t/acme/metrics", {"authorization": f"Bearer {token_of(reporting.scene.person)}"}),
    ):
        text = httpx.get(f"{address}{path}", headers=headers, timeout=60).text
        assert "punctual_received_events_total" in text
        command = ["/usr/bin/promtool", "check", "metrics"]
        done = subprocess.run(command, input=text, check=False, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done.stdout + done.stderr
