"""A real Prometheus for tests, on the loopback address, with its data in a folder of its own."""

import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
import yaml

from deploy.telemetry.dashboards import Panel
from deploy.up.place import HOST
from tests.ports import free_port

T = TypeVar("T")
WITHIN_S = 60


def scrapes_of(address: str, metrics_token: str, slug: str, token: str) -> list[dict[str, Any]]:
    """The jobs that scrape an installation (`punctual`), and one organisation of it (its name), with their tokens."""
    targets = [{"targets": [address.removeprefix("http://")]}]
    organisation = {"metrics_path": f"/api/t/{slug}/metrics", "authorization": {"credentials": token}}
    return [
        {"job_name": "punctual", "authorization": {"credentials": metrics_token}, "static_configs": targets},
        {"job_name": slug, **organisation, "static_configs": targets},
    ]


def expressions(panel: Panel) -> list[str]:
    """The expressions of a panel, for all organisations and bindings."""
    variables = {"$organisation": ".*", "$binding": ".*", "$__rate_interval": "1m"}
    found = list(panel.expressions.values())
    for name, value in variables.items():
        found = [each.replace(name, value) for each in found]
    return found


@dataclass(frozen=True)
class Prometheus:
    """A running server that scrapes every second."""

    address: str

    def ask(self, path: str, **parameters: str) -> Any:
        """The data of an answer of its API; the error is in the message."""
        answered = httpx.get(f"{self.address}/api/v1/{path}", params=parameters, timeout=60)
        assert answered.status_code == 200, answered.text
        return answered.json()["data"]

    def value(self, expression: str) -> list[tuple[dict[str, str], float]]:
        """The present value of an expression: labels and number of each series."""
        found = self.ask("query", query=expression)["result"]
        return [(each["metric"], float(each["value"][1])) for each in found]


def until(happened: Callable[[], T], what: str) -> T:
    """Poll until `happened` returns a true value."""
    turn = threading.Event()
    for _ in range(WITHIN_S * 4):
        if found := happened():
            return found
        turn.wait(0.25)
    raise AssertionError(f"it did not happen: {what}")


@contextmanager
def running_prometheus(
    folder: Path, scrapes: Sequence[Mapping[str, Any]], rules: Sequence[Path] = ()
) -> Iterator[Prometheus]:
    """Start a server with `scrapes` as its scrape_configs and the files of `rules`; end it after the block."""
    every = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
    content = {"global": every, "rule_files": [str(path) for path in rules], "scrape_configs": list(scrapes)}
    configuration = folder / "prometheus.yaml"
    configuration.write_text(yaml.safe_dump(content))
    address = f"{HOST}:{free_port()}"
    command = [
        "/usr/bin/prometheus",
        f"--config.file={configuration}",
        f"--storage.tsdb.path={folder / 'tsdb'}",
        f"--web.listen-address={address}",
    ]
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        until(lambda: _is_ready(address), "Prometheus is ready")
        yield Prometheus(f"http://{address}")
    finally:
        process.terminate()
        process.wait()


def _is_ready(address: str) -> bool:
    try:
        return httpx.get(f"http://{address}/-/ready").status_code == 200
    except httpx.TransportError:
        return False
