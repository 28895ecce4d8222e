"""A JVM that ends takes its runner with it, and no run fails: the next runner resumes them."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from streaming.wire.messages import RunSpec
from tests.runtime.processes.process import OrganisationMail, RunnerProcess, carried
from tests.spark.planning.test_token_bucket import file_spec, write_lines

pytestmark = pytest.mark.spark
ROWS = 40


def following() -> RunSpec:
    """Return a run over the files of a folder, now and later."""
    content = json.loads(file_spec("b", "lines").model_dump_json()) | {"organisation": "o1"}
    content["inputs"]["readings"]["adapter"]["options"]["follow"] = True
    return RunSpec.model_validate_json(json.dumps(content))


RUN = following()


@pytest.fixture(params=[False, True], ids=["own", "pooled"])
def runner(
    tmp_path: Path, redis_server_url: str, request: pytest.FixtureRequest
) -> Iterator[tuple[RunnerProcess, OrganisationMail]]:
    """A runner and its only organisation, which desires a run."""
    (process,), (mail,) = carried(tmp_path, ["o1"], redis_server_url, "--min-interval-s", "0", pooled=request.param)
    (mail.files / "lines").mkdir(parents=True)
    write_lines(mail.files / "lines" / "1.jsonl", ROWS)
    mail.desire(RUN)
    yield process, mail
    process.end()


def end_jvm(runner: RunnerProcess, how: signal.Signals) -> int:
    """Send `how` to the runner's JVM. Return the exit code of the runner."""
    assert runner.process is not None
    children = psutil.Process(runner.process.pid).children(recursive=True)
    next(each for each in children if each.name() == "java").send_signal(how)
    return runner.process.wait(60)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_run_fails_when_the_jvm_ends(runner: tuple[RunnerProcess, OrganisationMail], how: signal.Signals) -> None:
    process, mail = runner
    process.start()
    process.wait_until(lambda: mail.state(RUN.run) == "starting", "the run is starting")
    assert end_jvm(process, how) == 1
    assert mail.state(RUN.run) == "starting"
    process.start()
    process.wait_until(lambda: mail.batch(RUN.run) > 0, "a batch was committed")
    assert end_jvm(process, how) == 1
    assert mail.state(RUN.run) == "running"
    write_lines(mail.files / "lines" / "2.jsonl", ROWS)
    process.start()
    process.wait_until(lambda: mail.progress(RUN.run).inputs["readings"].received == 2 * ROWS, "the run has resumed")
    process.wait_until(lambda: mail.state(RUN.run) == "running", "the runner reports it")
