"""The wheel of the client against `punctual-serve web`: a simulation, and scenarios as tests with a JUnit report."""

import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import httpx

from deploy.client.wheel import build_wheel
from tests.deploy.test_serve import ENDS_S, data, demo, read_until, run, started  # noqa: F401 - fixtures
from tests.ports import free_port
from webapp.runs.demo import EMAIL, RUNNING, SLUG, STREAM

PROGRAM = f"""
from punctual_client import Client
with Client.from_env() as client:
    rows = [{{"start": s * 1_000_000, "end": s * 1_000_000 + 1, "speed": 120.0, "road_lane": 1}} for s in (1, 20, 2)]
    late = {{{STREAM!r}: {{"generate": {{"every": 1, "delay": "2s"}}, "late": "drop"}}}}
    found = client.simulate(client.query({RUNNING!r}), rows, advance=late)
    print(found.late[0].outcome, [row["n"] for row in found.results().rows()])
    assert found._repr_html_().count("<svg") == 1
"""


def scenario(n: int) -> dict[str, object]:
    payload = {"plate": "A", "device": "d", "road_lane": 1, "speed": 120.0}
    rows = [{"stream": STREAM, "start": 1_000_000, "end": 2_000_000, "payload": payload}]
    result = {"road_lane": 1, "n": n, "avg_speed": 120.0, "top_speed": 120.0}
    events = [{"start": 0, "end": 10_000_000, "payload": result}]
    return {"name": f"{n} cars", "sample": {"rows": rows, "end": "flush"}, "expect": {"events": events}}


def test_the_wheel_simulates_and_runs_scenarios_on_a_real_server(
    demo: tuple[dict[str, str], str],  # noqa: F811
    tmp_path: Path,
) -> None:
    env, _ = demo
    words = ("--email", EMAIL, "--organisation", SLUG, "--role", "owner", "--days", "1")
    token = run(env, "manage", "createtoken", *words).stdout.split()[-1]
    with zipfile.ZipFile(build_wheel(tmp_path / "wheel")) as archive:
        archive.extractall(tmp_path / "site")
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    client = {"PATH": env["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path / "site")}
    client |= {"PUNCTUAL_ADDRESS": address, "PUNCTUAL_TOKEN": token}

    def call(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=tmp_path, env=client, check=False, capture_output=True, text=True)

    with started(env, "web", "--port", str(port)) as server:
        read_until(server, "Uvicorn running on")
        api, sent = f"{address}/api/t/{SLUG}", {"Authorization": f"Bearer {token}"}
        [query] = [
            each
            for each in httpx.get(f"{api}/queries/", headers=sent, timeout=ENDS_S).json()
            if each["name"] == RUNNING
        ]
        for n in (1, 2):
            path = f"{api}/queries/{query['id']}/scenarios/"
            assert httpx.post(path, headers=sent, json=scenario(n), timeout=ENDS_S).status_code == 201
        simulated = call("-c", PROGRAM)
        assert simulated.stdout.split() == ["dropped_late", "[1,", "1]"], simulated.stderr
        plugins = ("-p", "no:django", "-p", "no:cacheprovider")
        tested = call("-m", "pytest", *plugins, "--punctual-scenarios", "--junitxml=report.xml")
    assert tested.returncode == 1, tested.stdout + tested.stderr
    assert "n: expected 2, got 1" in tested.stdout
    suite = ElementTree.parse(tmp_path / "report.xml").getroot()[0]
    assert [suite.get(name) for name in ("tests", "failures", "errors")] == ["2", "1", "0"]
