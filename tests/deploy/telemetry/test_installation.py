"""A real Prometheus scrapes an installation as `make up` starts it: the panels of its running demo have data."""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from deploy.telemetry.dashboards import BINDINGS, INSTALLATION
from tests.conftest import ROOT
from tests.e2e.installation import Installation, running_installation
from tests.prometheus import expressions, running_prometheus, scrapes_of, until
from webapp.runs.demo import SLUG
from webapp.telemetry import metrics

NOT_IN_THE_DEMO = {
    metrics.WAITING_ROWS.name,
    metrics.OLDEST_WAITING.name,
    metrics.REFUSED.name,
    metrics.TARGETS.name,
    metrics.RETAINED.name,
}
"""Its results stay here, and its source retains nothing; `test_prometheus` has both."""


def token_of(installation: Installation) -> str:
    words = ["createtoken", "--email", installation.email, "--organisation", SLUG, "--role", "viewer", "--days", "1"]
    command = [sys.executable, "manage.py", *words]
    env = {**installation.env, "PUNCTUAL_EMBEDDED": "1"}
    made = subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True)
    return made.stdout.strip()


@pytest.mark.thorough
def test_the_panels_of_a_running_demo_have_data_and_others_see_none_of_it(tmp_path: Path) -> None:
    with running_installation(tmp_path / "var") as installation:
        token, address = token_of(installation), installation.address.rstrip("/")
        metrics_token = (installation.var / "metrics_token").read_text()
        assert metrics_token not in "".join(installation.printed)
        explained = f"{address}/api/t/{SLUG}/queries/explain/"
        httpx.post(
            explained, headers={"authorization": f"Bearer {token}"}, json={"text": "SELECT * FROM x"}, timeout=60
        )
        with running_prometheus(tmp_path, scrapes_of(address, metrics_token, SLUG, token)) as prometheus:
            for job in ("punctual", SLUG):
                received = f'sum(punctual_received_events_total{{job="{job}",organisation="{SLUG}"}}) > 0'
                until(lambda asked=received: prometheus.value(asked), f"{job} has received rows")  # type: ignore[misc]
            grows = f'sum(increase(punctual_received_events_total{{job="punctual",organisation="{SLUG}"}}[1m])) > 0'
            until(lambda: prometheus.value(grows), "the demo receives rows")
            for panel in (*BINDINGS, *INSTALLATION):
                for expression in expressions(panel):
                    if not any(name in expression for name in NOT_IN_THE_DEMO):
                        until(lambda asked=expression: prometheus.value(asked), f"{panel.title}: {expression}")  # type: ignore[misc]
            assert [value for _, value in prometheus.value("punctual_accounting_difference_rows")] != []
            assert {value for _, value in prometheus.value("punctual_accounting_difference_rows")} == {0}
        assert httpx.get(f"{address}/api/t/{SLUG}/metrics", timeout=60).status_code == 401
        assert httpx.get(f"{address}/metrics", timeout=60).status_code == 401
