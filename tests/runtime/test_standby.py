"""A standby runner: the messages at its socket, and its log."""

import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from streaming.runtime.secret_server import UNKNOWN
from streaming.runtime.standby import LaterAnswers, StandbySocket, StandbyTaken
from streaming.wire.standby import ORPHANED_S, StayUp, TakeStandby, ask_standby

PATIENCE_S = 20.0
TAKE = TakeStandby(whose="acme", configuration={"redis": "redis://planted-password@127.0.0.1/0", "keys": []})


class Standing:
    """A standby socket that waits in a thread, with a clock that the test sets."""

    def __init__(self, path: Path) -> None:
        self.path, self.now, self.fit, self.asked = path, 0.0, True, threading.Event()
        self.socket = StandbySocket(path, lambda: self.now)
        self.pool = ThreadPoolExecutor(1)
        self.waits: Future[StandbyTaken | None] = self.pool.submit(self.socket.wait, self.asked, lambda: self.fit)

    def ask(self, message: StayUp | TakeStandby) -> str | None:
        answer = ask_standby(self.path, message, PATIENCE_S)
        return None if answer is None else answer.state

    def taken(self, answer: str) -> Future[str | None]:
        """Take it, from a thread of its own, and let it send `answer`."""
        with ThreadPoolExecutor(1) as other:
            asks = other.submit(self.ask, TAKE)
            found = self.waits.result(PATIENCE_S)
            assert found is not None
            assert (found.whose, found.configuration.redis.get_secret_value()) == (
                TAKE.whose,
                TAKE.configuration["redis"],
            )
            self.socket.close()
            found.answer("taken" if answer == "taken" else "ends")
            return asks


@pytest.fixture
def standing() -> Iterator[Standing]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "door").mkdir()
        found = Standing(Path(folder) / "door" / "socket")
        yield found
        found.asked.set()
        found.pool.shutdown()
        found.socket.close()


@pytest.mark.parametrize("answer", ["taken", "ends"])
def test_it_is_taken_once_and_answers(standing: Standing, answer: str) -> None:
    assert standing.ask(StayUp()) == "waits"
    assert standing.taken(answer).result(PATIENCE_S) == answer
    assert standing.ask(TAKE) is None
    assert not standing.path.parent.exists()


def test_it_ends_without_messages_that_it_is_needed(standing: Standing) -> None:
    for _ in range(3):
        standing.now += ORPHANED_S - 1
        assert standing.ask(StayUp()) == "waits"
    standing.now += ORPHANED_S
    assert standing.waits.result(PATIENCE_S) is None


def test_it_ends_when_it_is_asked_to_or_has_no_java_any_more(standing: Standing) -> None:
    standing.fit = False
    assert standing.waits.result(PATIENCE_S) is None


@pytest.mark.parametrize("configuration", [{"redis": 1, "planted": "password"}, {}])
def test_an_unreadable_message_has_no_effect_and_is_not_logged(
    standing: Standing, caplog: pytest.LogCaptureFixture, configuration: dict[str, object]
) -> None:
    assert standing.ask(TakeStandby(whose="acme", configuration=configuration)) is None
    assert "unreadable message" in caplog.text
    assert "password" not in caplog.text
    assert standing.ask(StayUp()) == "waits"


def test_it_refuses_secrets_until_it_is_taken() -> None:
    class Keeper:
        def answer_of(self, organisation: str, run: str, name: str) -> dict[str, object]:
            return {"secrets": {organisation: f"{run} {name}"}}

    answers = LaterAnswers()
    assert answers.answer_of("acme", "run", "cars") == {"refused": UNKNOWN, "domain": "external"}
    answers.begin(Keeper())
    assert answers.answer_of("acme", "run", "cars") == {"secrets": {"acme": "run cars"}}


PROGRAM = """
import subprocess, sys
from pathlib import Path
from streaming.runtime.standby import LogOutlet
outlet = LogOutlet()
says = "import sys; [print(line.strip(), file=sys.stderr, flush=True) for line in sys.stdin]"
with outlet.lent():
    child = subprocess.Popen([sys.executable, "-c", says], stdin=subprocess.PIPE, text=True, bufsize=1)
print("own before", file=sys.stderr, flush=True)
child.stdin.write("child before\\n")
child.stdin.flush()
sys.stdin.readline()
outlet.move(Path(sys.argv[1]))
print("own after", file=sys.stderr, flush=True)
child.stdin.write("child after\\n")
child.stdin.close()
child.wait()
outlet.close()
"""


def test_the_log_of_its_child_processes_moves_with_it(tmp_path: Path) -> None:
    moved = tmp_path / "acme" / "logs" / "runner.log"
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(moved)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        before = {process.stderr.readline(), process.stderr.readline()}
        process.stdin.write("\n")
        process.stdin.close()
        rest = process.stderr.read()
    assert (before, rest, process.returncode) == ({"own before\n", "child before\n"}, "", 0)
    assert sorted(moved.read_text().splitlines()) == ["child after", "own after"]
    assert moved.stat().st_mode & 0o077 == 0
