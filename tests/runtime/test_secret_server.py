"""The secrets of a runner: taken from desired specs, served to its own processes, and changes of keys."""

import io
import os
import socket
import stat
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from streaming.adapters.contract import AdapterError
from streaming.definition.streams.stream import AdapterChoice
from streaming.resume.restart_points import named_shape_of
from streaming.runtime.configuration import NotConfigured, read_configuration
from streaming.runtime.secret_server import KeysOutdated, SecretKeeper, SecretSocket
from streaming.spark.session.secret_client import ADDRESS_VARIABLE, reveal_secrets
from streaming.wire.messages import RunSpec
from streaming.wire.sealed import PLACEHOLDER, Keyring, sealed
from tests.spark.specs import spec

NEW, OLD = Fernet.generate_key().decode(), Fernet.generate_key().decode()
PLANTED = "planted-9d10"
URL = "https://files.example/rows.jsonl"


def with_secret(binding: str, key: str | None) -> RunSpec:
    """Return a run that downloads with a token, sealed with `key`."""
    value = PLANTED if key is None else sealed(Fernet(key).encrypt(PLANTED.encode()).decode())
    plain = spec(binding, "rows.jsonl")
    adapter = AdapterChoice(kind="download", options={"url": URL, "token": value})
    item = plain.inputs["readings"].model_copy(update={"adapter": adapter})
    return plain.model_copy(update={"inputs": {"readings": item}})


def options_of(taken: RunSpec) -> dict[str, object]:
    return taken.inputs["readings"].adapter.options


@pytest.mark.parametrize("key", [NEW, None], ids=["with a key", "without"])
def test_specs_are_carried_with_placeholders(key: str | None) -> None:
    keeper = SecretKeeper(Keyring([NEW]))
    taken = keeper.take({"a": with_secret("a", key)})["a"]
    assert options_of(taken) == {"url": URL, "token": PLACEHOLDER}
    assert keeper.answer("a-1", "readings") == {"secrets": {"token": PLANTED}}


def test_a_run_without_secrets_is_carried_as_it_is() -> None:
    plain = spec("a", "rows.jsonl")
    assert SecretKeeper(Keyring([])).take({"a": plain}) == {"a": plain}


def test_a_run_whose_secret_is_sealed_again_continues_as_the_same() -> None:
    before = SecretKeeper(Keyring([OLD])).take({"a": with_secret("a", OLD)})["a"]
    after = SecretKeeper(Keyring([NEW])).take({"a": with_secret("a", NEW)})["a"]
    assert named_shape_of(before) == named_shape_of(after)


def test_a_secret_that_was_opened_once_needs_no_newer_key() -> None:
    keeper = SecretKeeper(Keyring([OLD]))
    keeper.take({"a": with_secret("a", OLD)})
    keeper.take({"a": with_secret("a", NEW)})
    assert keeper.answer("a-1", "readings") == {"secrets": {"token": PLANTED}}


def test_a_new_run_with_a_newer_key_ends_the_runner_so_that_it_starts_with_that_key() -> None:
    keeper = SecretKeeper(Keyring([OLD]))
    keeper.take({"a": with_secret("a", OLD)})
    with pytest.raises(KeysOutdated):
        keeper.take({"a": with_secret("a", OLD), "b": with_secret("b", NEW)})


def test_a_secret_that_the_newest_keys_do_not_open_fails_only_its_run() -> None:
    keeper = SecretKeeper(Keyring([NEW]))
    desired = {"a": with_secret("a", OLD), "b": with_secret("b", NEW)}
    for _ in range(2):
        keeper.take(desired)
    refused = keeper.answer("a-1", "readings")
    assert refused["domain"] == "user"
    assert "Enter it again" in refused["refused"]
    assert keeper.answer("b-1", "readings") == {"secrets": {"token": PLANTED}}


@pytest.fixture
def keeper() -> Iterator[SecretKeeper]:
    """Return a keeper with an open socket."""
    kept = SecretKeeper(Keyring([NEW]))
    hatch = SecretSocket(kept)
    yield kept
    hatch.close()
    assert ADDRESS_VARIABLE not in os.environ


def test_processes_of_the_runner_get_the_secret_when_they_build_the_adapter(keeper: SecretKeeper) -> None:
    taken = keeper.take({"a": with_secret("a", NEW)})["a"]
    assert reveal_secrets("a-1", "readings", options_of(taken)) == {"url": URL, "token": PLANTED}


def test_only_the_user_may_enter_the_folder_of_the_socket(keeper: SecretKeeper) -> None:
    folder = Path(os.environ[ADDRESS_VARIABLE]).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert folder.stat().st_uid == os.getuid()


def test_many_simultaneous_requests_are_all_answered(keeper: SecretKeeper) -> None:
    options = options_of(keeper.take({"a": with_secret("a", NEW)})["a"])
    together = threading.Barrier(100)

    def ask(_: int) -> dict[str, object]:
        together.wait()
        return reveal_secrets("a-1", "readings", options)

    with ThreadPoolExecutor(100) as threads:
        assert list(threads.map(ask, range(100))) == [{"url": URL, "token": PLANTED}] * 100


def test_the_socket_of_a_killed_runner_is_removed_and_that_of_a_live_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    killed, being_made, foreign = (tmp_path / name for name in ("punctual-runner-1", "punctual-runner-2", "other"))
    for folder in (killed, being_made, foreign):
        folder.mkdir()
    for folder in (killed, foreign):
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(folder / "secrets"))
            left.listen()
    living = SecretSocket(SecretKeeper(Keyring([])))
    used = Path(os.environ[ADDRESS_VARIABLE]).parent
    SecretSocket(SecretKeeper(Keyring([]))).close()
    assert set(tmp_path.iterdir()) == {used, being_made, foreign}
    living.close()


def test_a_request_for_an_unknown_secret_is_retried_later(keeper: SecretKeeper) -> None:
    with pytest.raises(AdapterError, match="is retried") as raised:
        reveal_secrets("z-1", "readings", {"token": dict(PLACEHOLDER)})
    assert raised.value.domain == "external"


def test_an_unreachable_runner_is_an_external_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(ADDRESS_VARIABLE, str(tmp_path / "nothing"))
    with pytest.raises(AdapterError, match="did not provide the secrets") as raised:
        reveal_secrets("a-1", "readings", {"token": dict(PLACEHOLDER)})
    assert raised.value.domain == "external"


def test_options_without_placeholders_need_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ADDRESS_VARIABLE, raising=False)
    assert reveal_secrets("a-1", "readings", {"path": "x"}) == {"path": "x"}


def test_the_configuration_is_read_from_the_standard_input() -> None:
    configuration = read_configuration(io.StringIO(f'{{"redis": "redis://:{PLANTED}@127.0.0.1/0", "keys": ["{NEW}"]}}'))
    assert configuration.redis.get_secret_value().endswith("@127.0.0.1/0")
    assert PLANTED not in repr(configuration)
    assert NEW not in repr(configuration)
    assert configuration.keyring().open(Fernet(NEW).encrypt(b"x").decode()) == "x"


@pytest.mark.parametrize("text", ["", "{}", f'{{"redis": 1, "keys": "{PLANTED}"}}', f"{PLANTED}"])
def test_an_unreadable_configuration_is_not_part_of_the_error(text: str) -> None:
    with pytest.raises(NotConfigured) as raised:
        read_configuration(io.StringIO(text))
    assert PLANTED not in str(raised.value)
    assert raised.value.__context__ is None
