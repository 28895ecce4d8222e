"""The hold of an installation: runners answer, absent ones can't start, and nothing is saved if one doesn't answer."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.backup.holding import held
from streaming.runtime.process.single import AnotherRunner, SingleRunner
from streaming.runtime.process.stillness import keep_still
from streaming.storage.archive import BackupRefused
from streaming.storage.backup_hold import has_answered, read_hold, release_hold, withdraw_answer
from tests.deploy.backup.sites import ONE, nobody, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / ONE
    folder.mkdir()
    return folder


@contextmanager
def runner(folder: Path, *, quiet: bool = True) -> Iterator[None]:
    """Hold the folder's lock, and answer holds in a thread, as a runner does."""
    single, ended = SingleRunner(folder), threading.Event()

    def turns() -> None:
        while not ended.wait(0.005):
            keep_still(folder, lambda: quiet, lambda: None)

    thread = threading.Thread(target=turns)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        single.release()


def test_a_live_runner_answers_and_resumes_afterwards(folder: Path) -> None:
    with runner(folder):
        with held(folder.parent, [folder], nobody, 5.0) as holding:
            hold = read_hold(folder.parent)
            assert hold is not None
            assert has_answered(folder, hold.id)
            holding.require()
        assert read_hold(folder.parent) is None
    assert not (folder / "held.json").exists()


def test_no_runner_can_start_while_the_files_are_cloned(folder: Path) -> None:
    with held(folder.parent, [folder], nobody, 5.0) as holding:
        with pytest.raises(AnotherRunner):
            SingleRunner(folder)
        holding.require()
    SingleRunner(folder).release()


def test_a_runner_with_a_long_batch_is_named_with_its_carrier(folder: Path) -> None:
    write(folder / "carriers/slow/spark/offsets/1", "v1")
    write(folder / "carriers/slow/spark/offsets/0", "v1")
    write(folder / "carriers/slow/spark/commits/0", "v1")
    write(folder / "carriers/quick/spark/offsets/0", "v1")
    write(folder / "carriers/quick/spark/commits/0", "v1")
    with (
        runner(folder, quiet=False),
        pytest.raises(BackupRefused, match=rf"The runner of {ONE} .*carriers/slow\)"),
        held(folder.parent, [folder], nobody, 0.1),
    ):
        pytest.fail("it was not held")
    assert read_hold(folder.parent) is None


def test_a_runner_on_another_host_has_to_answer(folder: Path) -> None:
    with (
        pytest.raises(BackupRefused, match="didn't end the batch in flight"),
        held(folder.parent, [folder], lambda _: {ONE: f"not-{socket.gethostname()}"}, 0.1),
    ):
        pytest.fail("it was not held")


@pytest.mark.parametrize("how", ["released", "resumed"])
def test_a_hold_that_did_not_last_is_reported(how: str, folder: Path) -> None:
    with runner(folder), held(folder.parent, [folder], nobody, 5.0) as holding:
        if how == "released":
            release_hold(folder.parent)
        else:
            withdraw_answer(folder)
        with pytest.raises(BackupRefused, match="A runner resumed"):
            holding.require()
