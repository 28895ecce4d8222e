"""To Redis each runner is a user of its own: it reads and writes what is its organisation's, and nothing else."""

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
import redis
from django.core.cache import caches

from streaming.runtime.mailbox import Mailbox
from streaming.wire import keys
from streaming.wire.messages import RunnerLease
from tests.conftest import ROOT
from tests.webapp.scene import Scene
from tests.wire.reports import report
from webapp.core.cached_values import JSONValues
from webapp.runs.runners import redis_users
from webapp.runs.runners.redis_users import (
    RunnerUsersRefused,
    address_for,
    dismiss_runner,
    require_runner_users,
    user_of,
)
from webapp.runs.turns import reconciler
from webapp.settings import CACHES

ACME, ZETA = uuid4(), uuid4()
LEASE = RunnerLease(token="t", host="here", pid=1, started_at=0, beat_at=0)


@pytest.fixture
def runner(redis_connection: "redis.Redis") -> Iterator["redis.Redis"]:
    """The connection of acme's runner."""
    with redis.Redis.from_url(address_for(ACME)) as client:
        yield client
    dismiss_runner(redis_connection, ACME)
    assert user_of(ACME) not in redis_connection.acl_users()


def test_a_runner_does_all_its_work_as_a_user_of_its_own(runner: "redis.Redis") -> None:
    mailbox = Mailbox(runner, str(ACME))
    assert mailbox.renew(LEASE)
    assert mailbox.holder() == LEASE
    assert mailbox.desired() == {}
    assert mailbox.limits() is None
    assert mailbox.reported() == {}
    mailbox.report({"r": report("r", 1)})
    mailbox.report_rate(5)
    assert mailbox.called(0.01) == set()
    mailbox.take_over(LEASE)
    mailbox.release("t")
    assert mailbox.holder() is None


def test_a_runner_may_use_every_command_that_its_code_calls() -> None:
    sources = [path.read_text() for path in (ROOT / "streaming" / "runtime").rglob("*.py")]
    called = {name for text in sources for name in re.findall(r"\b(?:_redis|together|connection)\.([a-z_]+)\(", text)}
    commands = {"del" if name == "delete" else name for name in called - {"pipeline", "execute", "close", "map"}}
    assert len(commands) > 8
    assert commands - {word.removeprefix("+") for word in redis_users.COMMANDS.split()} == set()


def test_a_runner_reads_and_writes_nothing_of_others(runner: "redis.Redis", redis_connection: "redis.Redis") -> None:
    redis_connection.set(keys.lease(str(ZETA)), "theirs")
    for key in (keys.lease(str(ZETA)), "celery", "_kombu.binding.celery", "json:1:rate"):
        for command in (("GET", key), ("SET", key, "x"), ("DEL", key), ("EVAL", f"redis.call('get', '{key}')", "0")):
            with pytest.raises(redis.ResponseError, match=r"(?i)no permissions|can't access"):
                runner.execute_command(*command)
    for line in ("KEYS *", "SCAN 0", "FLUSHALL", "CONFIG GET *", "ACL LIST", "CLIENT LIST", "MONITOR", "SHUTDOWN"):
        with pytest.raises(redis.ResponseError, match=r"(?i)no permissions"):
            runner.execute_command(*line.split())
    assert redis_connection.get(keys.lease(str(ZETA))) == b"theirs"


def test_a_runner_gets_the_address_with_its_own_name(redis_connection: "redis.Redis", settings: Any) -> None:
    settings.REDIS_URL += "?client_name=x&password=planted"
    reported = address_for(ACME)
    dismiss_runner(redis_connection, ACME)
    assert reported.startswith(f"redis://{user_of(ACME)}:")
    assert reported.endswith("?client_name=x")
    settings.REDIS_URL = "unix://:planted@/run/redis.sock"
    with pytest.raises(redis.ConnectionError):
        address_for(ACME)


def test_a_redis_that_has_forgotten_its_users_learns_them_at_the_next_turn(scene: Scene) -> None:
    scene.running()
    organisation = UUID(scene.organisation)
    address = address_for(organisation)
    dismiss_runner(scene.connection, organisation)
    with redis.Redis.from_url(address) as runner:
        with pytest.raises(redis.AuthenticationError):
            runner.ping()
        scene.lease()
        scene.turn()
        assert runner.ping()
    dismiss_runner(scene.connection, organisation)


@pytest.fixture
def weak(redis_connection: "redis.Redis", settings: Any) -> Iterator[None]:
    """REDIS_URL names a user that may do everything except create users."""
    redis_connection.execute_command("ACL", "SETUSER", "weak", "on", ">pw", "~*", "+@all", "-acl")
    settings.REDIS_URL = settings.REDIS_URL.replace("//", "//weak:pw@")
    yield
    redis_connection.acl_deluser("weak")


@pytest.mark.usefixtures("weak")
def test_where_no_users_can_be_made_no_runner_gets_an_address_and_the_cause_is_named(settings: Any) -> None:
    with pytest.raises(RunnerUsersRefused, match=r"(?i)no permissions.*ACL SETUSER") as refused:
        address_for(ACME)
    assert "pw" not in str(refused.value)
    with redis.Redis.from_url(settings.REDIS_URL) as client, pytest.raises(RunnerUsersRefused):
        require_runner_users(client)


def test_a_command_that_redis_does_not_know_is_named_as_the_cause(
    redis_connection: "redis.Redis", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_users, "COMMANDS", "+nonsense")
    with pytest.raises(RunnerUsersRefused, match=r"nonsense"):
        require_runner_users(redis_connection)


def test_a_run_whose_runner_gets_no_user_waits_and_says_so(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: Any) -> None:
        raise RunnerUsersRefused("-NOPERM")

    monkeypatch.setattr(reconciler, "admit_runner", refuse)
    monkeypatch.setattr(scene.launcher, "launch", refuse)
    scene.turn()
    assert scene.run.message == reconciler.NO_USER
    assert "Redis can't create the users of runners (-NOPERM)" in caplog.text


@pytest.mark.parametrize("value", [None, True, 5, -1, 1.5, "5", "text", [1.5, 2.5], {"a": [None]}])
def test_the_cache_gives_back_what_it_was_given(settings: Any, redis_server_url: str, value: Any) -> None:
    settings.CACHES = {"default": {**CACHES["default"], "LOCATION": redis_server_url}}
    cache = caches["default"]
    cache.set("key", value)
    assert (cache.get("key", "absent"), type(cache.get("key", "absent"))) == (value, type(value))
    cache.clear()


def test_what_somebody_put_into_the_cache_is_not_run() -> None:
    with pytest.raises(ValueError, match="Expecting value"):
        JSONValues().loads(b"cos\nsystem\n(S'true'\ntR.")


@pytest.mark.parametrize("value", [(1, 2), {1: "a"}, float("nan"), b"bytes"])
def test_what_would_come_back_as_something_else_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        JSONValues().dumps(value)
