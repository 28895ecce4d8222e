"""A runner with workers on another machine: a planted secret reaches the readers, and no other place."""

from pathlib import Path

import psutil
import pytest
from cryptography.fernet import Fernet

from streaming.spark.session.secret_client import ADDRESS_VARIABLE, TICKETS_VARIABLE
from tests.cluster.standalone import standalone
from tests.runtime.processes.process import RunnerProcess
from tests.runtime.processes.test_secret import KEY, PLANTED, Guarded, downloading, holding, server, shown_by_processes

__all__ = ["server"]  # a fixture


@pytest.mark.spark
@pytest.mark.thorough
def test_a_secret_reaches_the_workers_only_through_a_ticket(tmp_path: Path, redis_server_url: str, server: str) -> None:
    token = Fernet(KEY).encrypt(PLANTED.encode()).decode()
    wanted = downloading("good", f"{server}/rows.jsonl", token)
    folder = tmp_path / "cluster"
    folder.mkdir()
    with standalone(folder) as cluster:
        runner = RunnerProcess(tmp_path, "far", redis_server_url, "--idle-exit-s", "600", "--master", cluster.url)
        runner.configuration |= {"keys": [KEY], "outgoing": {"public": False, "networks": ["127.0.0.0/8"]}}
        runner.start()
        assert runner.process is not None
        try:
            runner.desire(wanted)
            runner.wait_until(lambda: runner.state(wanted.run) in {"failed", "completed"}, "the run ends")
            of_workers = [shown_by_processes(each.pid) for each in cluster.workers]
            shown = "\n".join([shown_by_processes(runner.process.pid), *of_workers])
            assert all(psutil.pid_exists(each.pid) for each in cluster.executors())
        finally:
            runner.end()
        assert runner.state(wanted.run) == "completed", runner.log_end()
        assert runner.progress(wanted.run).inputs["readings"].received == 15
    assert set(Guarded.asked) == {f"Bearer {PLANTED}"}
    assert "CoarseGrainedExecutorBackend" in "\n".join(of_workers)
    assert ADDRESS_VARIABLE not in "\n".join(of_workers)
    assert TICKETS_VARIABLE in shown
    for needle in (PLANTED, token, KEY):
        assert needle not in shown
    assert holding(tmp_path, [PLANTED.encode(), token.encode(), KEY.encode()]) == []
