"""The metrics of the web process: requests by route, limited jobs by result, and the token's length."""

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from tests.webapp.conftest import Person
from tests.webapp.telemetry.scraping import samples, scrape_installation, value
from webapp import environment
from webapp.core.http.process_metrics import REGISTRY


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


@pytest.mark.parametrize(
    ("path", "route", "status"),
    [
        ("bindings/", "api/t/<slug:slug>/bindings/", "200"),
        ("bindings/6c0d4cbb-0000-4000-8000-000000000000/", "api/t/<slug:slug>/bindings/<uuid:binding>/", "404"),
    ],
)
def test_a_request_is_counted_under_its_route_and_never_under_its_address(
    alice: Person, path: str, route: str, status: str
) -> None:
    labels = {"method": "GET", "route": route, "status": status}
    before = counted("punctual_http_requests_total", **labels)
    times = counted("punctual_http_request_duration_seconds_count", method="GET")
    assert str(alice.get(path).status_code) == status
    assert counted("punctual_http_requests_total", **labels) == before + 1
    assert counted("punctual_http_request_duration_seconds_count", method="GET") == times + 1


def test_an_unknown_method_is_counted_as_other(db: None) -> None:
    labels = {"method": "other", "route": "api/permissions/", "status": "401"}
    before = counted("punctual_http_requests_total", **labels)
    Client().generic("MAKEUP", "/api/permissions/")
    assert (
        counted("punctual_http_requests_total", **labels)
        + counted("punctual_http_requests_total", **{**labels, "status": "405"})
        == before + 1
    )


def test_a_job_in_a_limited_process_is_counted(alice: Person, cars: Any, redis_connection: Any) -> None:
    def done() -> float:
        found = samples(scrape_installation())
        return sum(
            each
            for (name, labels), each in found.items()
            if name == "punctual_limited_jobs_total"
            if ("result", "done") in labels
        )

    before = done()
    answered = alice.post("queries/explain/", {"text": "SELECT * FROM cars"})
    assert answered.status_code == 200, answered.content
    assert done() > before
    found = samples(scrape_installation())
    assert (value(found, "runners"), value(found, "redis_memory_ratio")) == (0, None)


def test_a_token_is_generated_once_where_keys_are_generated(tmp_path: Path) -> None:
    assert environment.metrics_token({}, tmp_path, may_generate=False) == ""
    assert list(tmp_path.iterdir()) == []
    token, again = (environment.metrics_token({}, tmp_path, may_generate=True) for _ in range(2))
    kept = tmp_path / "metrics_token"
    assert token == again == kept.read_text()
    assert (len(token) >= 32, kept.stat().st_mode & 0o777) == (True, 0o600)
    given = {"PUNCTUAL_METRICS_TOKEN": "x" * 32}
    assert environment.metrics_token(given, tmp_path, may_generate=True) == "x" * 32


def test_a_short_token_prevents_the_start(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="at least 32 random characters"):
        environment.metrics_token({"PUNCTUAL_METRICS_TOKEN": "x" * 31}, tmp_path, may_generate=True)
    (tmp_path / "metrics_token").write_text("\n")
    with pytest.raises(ImproperlyConfigured, match="the file metrics_token"):
        environment.metrics_token({}, tmp_path, may_generate=True)
