"""The pytest plugin: scenarios of the application on its own port as tests; no verdict is an error, never a pass."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from xml.etree import ElementTree

import pytest

from deploy.up.place import HOST
from tests.conftest import ROOT
from tests.ports import free_port
from tests.webapp.conftest import POINTS, Person, file_adapter
from tests.webapp.queries.test_texts import TIMED, saved
from tests.webapp.scenarios.test_scenarios import FAST, ROWS, body
from webapp.client import Client, PunctualError
from webapp.client.library import scenarios

PLUGIN = ("-p", "webapp.client.library.pytest_plugin", "-p", "no:django", "-p", "no:cacheprovider")
SLOW = {"start": 2_000_000, "payload": {"plate": "B", "speed": 100.0}}
Pytest = Callable[..., pytest.RunResult]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder in which pytest runs."""
    made = tmp_path / "tests_of_mine"
    made.mkdir()
    return made


def calling(folder: Path, environment: Mapping[str, str]) -> Pytest:
    """Return a call of pytest with the plugin, as a process of its own.

    The fixture `pytester` would let this process forget the modules that the application imports in that time.
    """
    kept = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(ROOT), **environment}

    def call(*words: str, **more: str) -> pytest.RunResult:
        command = [sys.executable, "-m", "pytest", *PLUGIN, *words]
        done = subprocess.run(command, cwd=folder, env={**kept, **more}, check=False, capture_output=True, text=True)
        return pytest.RunResult(done.returncode, done.stdout.splitlines(), done.stderr.splitlines(), 0.0)

    return call


@pytest.fixture
def scenario_tests(folder: Path, as_alice: dict[str, str]) -> Pytest:
    """Return a call of pytest with the plugin, as alice."""
    return calling(folder, as_alice)


@pytest.fixture
def query(alice: Person, cars: dict[str, Any]) -> dict[str, Any]:
    return saved(alice, TIMED)


def store(person: Person, query: dict[str, Any], name: str, *events: dict[str, Any], **more: Any) -> dict[str, Any]:
    made = person.post(f"queries/{query['id']}/scenarios/", {**body(name, list(events)), **more})
    assert made.status_code == 201, made.content
    scenario: dict[str, Any] = made.json()
    return scenario


def test_scenarios_pass_and_fail_row_by_row(scenario_tests: Pytest, alice: Person, query: dict[str, Any]) -> None:
    store(alice, query, "it holds", FAST)
    changed = {**FAST, "payload": {"plate": "C", "speed": 130.0}}
    store(alice, query, "it <differs>", changed, SLOW)
    store(alice, query, "nothing", *[])
    done = scenario_tests("--punctual-scenarios", "--junitxml=report.xml", "-v")
    done.assert_outcomes(passed=1, failed=2)
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.stdout.fnmatch_lines(
        [
            "punctual/acme/speeding::it holds PASSED*",
            "*speeding, version 1: it <differs>*",
            "speeding, version 1: it <differs> gives other results:",
            "changed     out [[]1970-01-01T00:00:01Z, 1970-01-01T00:00:01.000001Z)",
            '            plate: expected "C", got "A"',
            'missing     out [[]1970-01-01T00:00:02Z, 1970-01-01T00:00:02.000001Z) {"plate": "B", "speed": 100.0}',
            'unexpected  out [[]1970-01-01T00:00:01Z, *) {"plate": "A", "speed": 130.0}',
        ]
    )
    done.stdout.no_fnmatch_line("*Traceback*")


def test_junit_has_a_case_with_its_version_for_each_scenario(
    scenario_tests: Pytest, folder: Path, alice: Person, query: dict[str, Any]
) -> None:
    store(alice, query, "it holds", FAST)
    store(alice, query, "it differs", SLOW)
    scenario_tests("--punctual-scenarios", "--junitxml=report.xml")
    suite = ElementTree.parse(folder / "report.xml").getroot()[0]
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert {case.get("classname") for case in cases.values()} == {"punctual.acme.speeding"}
    versions = [each.get("value") for each in suite.iter("property") if each.get("name") == "punctual_version"]
    assert versions == ["1", "1"]
    assert [suite.get(name) for name in ("tests", "failures", "errors")] == ["2", "1", "0"]
    failure = cases["it differs"].find("failure")
    assert failure is not None
    assert "speeding, version 1: it differs gives other results:\nmissing     out " in failure.get("message", "")


def test_without_its_option_the_plugin_does_nothing(
    scenario_tests: Pytest, alice: Person, query: dict[str, Any]
) -> None:
    store(alice, query, "it differs", SLOW)
    assert scenario_tests().ret == pytest.ExitCode.NO_TESTS_COLLECTED
    refused = scenario_tests("--punctual-query", "speeding")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["*--punctual-query and --punctual-organisation need --punctual-scenarios.*"])


def test_queries_and_scenarios_are_selected(
    scenario_tests: Pytest, folder: Path, alice: Person, query: dict[str, Any]
) -> None:
    other = saved(alice, TIMED.replace("speeding", "other"))
    store(alice, query, "it holds", FAST)
    store(alice, other, "it differs", SLOW)
    (folder / "test_plain.py").write_text("def test_plain(): pass\n")
    scenario_tests("--punctual-scenarios").assert_outcomes(passed=2, failed=1)
    scenario_tests("--punctual-scenarios", "-m", "punctual_scenario").assert_outcomes(passed=1, failed=1, deselected=1)
    scenario_tests("--punctual-scenarios", "-k", "holds or plain").assert_outcomes(passed=2, deselected=1)
    chosen = scenario_tests("--punctual-scenarios", "--punctual-query", "speeding", "--punctual-organisation", "acme")
    chosen.assert_outcomes(passed=2)


def sentences(done: pytest.RunResult) -> str:
    """Return the output of a run whose collection failed."""
    assert done.ret == pytest.ExitCode.INTERRUPTED
    done.assert_outcomes(errors=1)
    done.stdout.no_fnmatch_line("*Traceback*")
    return str(done.stdout)


@pytest.mark.parametrize(
    ("words", "environment", "sentence"),
    [
        ([], {"PUNCTUAL_TOKEN": ""}, "There is no token for http://"),
        ([], {"PUNCTUAL_TOKEN": "", "PUNCTUAL_ADDRESS": ""}, "You are not signed in. Run `punctual sign-in`."),
        ([], {"PUNCTUAL_TOKEN": "pct_wrong"}, "This token is not valid."),
        ([], {"PUNCTUAL_ADDRESS": f"http://{HOST}:{free_port()}"}, "cannot be reached"),
        ([], {}, "The organisation acme has no scenarios. Save one in the simulator of a query."),
        (
            ["--punctual-query", "speeding"],
            {},
            "These queries have no scenarios: speeding. Save some in the simulator.",
        ),
        (["--punctual-query", "sped"], {}, "There is no query 'sped'. There are: speeding."),
        (["--punctual-organisation", "zeta"], {}, "This token is not for the organisation zeta."),
    ],
)
@pytest.mark.usefixtures("query")
def test_a_run_without_scenarios_is_an_error_with_a_sentence(
    scenario_tests: Pytest,
    words: list[str],
    environment: dict[str, str],
    sentence: str,
    folder: Path,
) -> None:
    shown = sentences(scenario_tests("--punctual-scenarios", "--junitxml=report.xml", *words, **environment))
    assert sentence in shown
    assert "pct_" not in shown
    suite = ElementTree.parse(folder / "report.xml").getroot()[0]
    assert suite.get("errors") == "1"


def test_a_scenario_that_cannot_be_run_is_an_error_and_no_failure(
    scenario_tests: Pytest, alice: Person, cars: dict[str, Any], query: dict[str, Any]
) -> None:
    store(alice, query, "it holds", FAST)
    trucks = [{**row, "stream": "trucks"} for row in ROWS]
    store(alice, query, "trucks", FAST, sample={"rows": trucks, "end": "flush"})
    done = scenario_tests("--punctual-scenarios")
    done.assert_outcomes(passed=1, errors=1)
    done.stdout.no_fnmatch_line("*_refusals*")
    done.stdout.fnmatch_lines(["speeding, version 1: trucks can't be run: *trucks*"])
    assert done.ret == pytest.ExitCode.TESTS_FAILED


def test_a_stream_that_the_query_no_longer_fits_is_an_error(
    scenario_tests: Pytest, alice: Person, cars: dict[str, Any], query: dict[str, Any]
) -> None:
    store(alice, query, "it holds", FAST)
    definition = {**POINTS, "fields": {"plate": "string", "speed": "string"}}
    body_ = {"name": "cars", "definition": definition, "adapter": file_adapter("files/cars.jsonl")}
    assert alice.put(f"streams/{cars['id']}/", body_).status_code == 200
    done = scenario_tests("--punctual-scenarios")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["speeding, version 1: it holds can't be run: *"])


@pytest.fixture
def busy() -> Iterator[dict[str, Any]]:
    """A server with one scenario that answers runs with `answers`, (status, body), one after the other."""
    state: dict[str, Any] = {"answers": []}
    current = {"number": 3, "id": "v3"}
    paths = {
        "/api/me/": {"organisations": [{"slug": "acme"}]},
        "/api/t/acme/queries/": [{"id": "q", "name": "speeding", "current": current}],
        "/api/t/acme/queries/q/scenarios/": [{"id": "s", "name": "\x1b[31mone", "rows": 1, "expected": 1}],
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(200, paths[self.path])

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self._answer(*state["answers"].pop(0))

        def _answer(self, status: int, body: Any) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - its name in the standard library
            pass

    with ThreadingHTTPServer((HOST, 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        state["environment"] = {
            "PUNCTUAL_ADDRESS": f"http://{HOST}:{server.server_port}",
            "PUNCTUAL_TOKEN": "pct_x",
        }
        yield state
        server.shutdown()
        thread.join()


FULL = (429, {"code": "too_many_requests", "message": "Too much is running. Try again."})
USED_UP = (429, {"code": "over_quota", "message": "The day's time is used up."})
FAILED = (500, {"code": "internal", "message": "The server failed."})
HOLDS = {"holds": True, "missing": [], "unexpected": [], "changed": [], "other": []}


def verdict(scenario: str = "s") -> tuple[int, list[dict[str, Any]]]:
    return 200, [{"scenario": scenario, "version": 3, "findings": HOLDS}]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (verdict(), None),
        (USED_UP, "The day's time is used up."),
        (FAILED, "The server failed."),
        ((200, []), "The server did not judge the scenario"),
        (verdict("another"), "The server did not judge the scenario"),
    ],
)
def test_a_server_without_a_verdict_is_an_error(
    folder: Path, busy: dict[str, Any], answer: tuple[int, Any], sentence: str | None
) -> None:
    busy["answers"] = [answer]
    done = calling(folder, busy["environment"])("--punctual-scenarios", "-v")
    done.assert_outcomes(passed=sentence is None, errors=sentence is not None)
    assert busy["answers"] == []
    assert sentence is None or sentence in str(done.stdout)
    assert "\x1b" not in str(done.stdout)
    done.stdout.no_fnmatch_line("*_refusals*")


@pytest.mark.parametrize("fulls", [2, scenarios.ATTEMPTS])
def test_a_busy_server_is_tried_again(busy: dict[str, Any], fulls: int) -> None:
    busy["answers"] = [*[FULL] * fulls, verdict()]
    pauses: list[float] = []
    with Client.from_env(busy["environment"]) as client:
        [scenario] = client.query("speeding").scenarios()
        if fulls < scenarios.ATTEMPTS:
            assert scenario.run("v3", pause=pauses.append).holds
        else:
            with pytest.raises(PunctualError, match=r"Too much is running\."):
                scenario.run("v3", pause=pauses.append)
    assert pauses == [scenarios.PAUSE_S] * min(fulls, scenarios.ATTEMPTS - 1)
