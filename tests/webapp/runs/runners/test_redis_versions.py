"""Runners are separated on every supported version of Redis."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import redis

from streaming.runtime.mailbox import Mailbox
from streaming.wire import keys
from streaming.wire.messages import RunnerLease
from tests.redis_servers import programs, running_redis
from webapp.runs.runners.redis_users import address_for, require_runner_users, user_of

ACME, ZETA = uuid4(), uuid4()
LEASE = RunnerLease(token="t", host="here", pid=1, started_at=0, beat_at=0)


@pytest.fixture(params=["embedded", "Debian"])
def server(request: pytest.FixtureRequest, tmp_path: Path, settings: Any) -> Iterator["redis.Redis"]:
    """The installation's connection to a server of that version."""
    with running_redis(programs()[request.param], tmp_path) as url, redis.Redis.from_url(url) as client:
        settings.REDIS_URL = url
        yield client


def test_the_servers_are_of_different_versions(tmp_path: Path) -> None:
    found = set()
    for name, program in programs().items():
        folder = tmp_path / name
        folder.mkdir()
        with running_redis(program, folder) as url, redis.Redis.from_url(url) as client:
            found.add(str(client.info("server")["redis_version"]).rpartition(".")[0])
    assert len(found) == 2
    assert "6.2" in found


def test_a_runner_works_as_its_own_user_and_reads_nothing_of_others(server: "redis.Redis") -> None:
    server.set(keys.lease(str(ZETA)), "theirs")
    with redis.Redis.from_url(address_for(ACME)) as runner:
        mailbox = Mailbox(runner, str(ACME))
        assert mailbox.renew(LEASE)
        assert mailbox.holder() == LEASE
        for command in (("GET", keys.lease(str(ZETA))), ("KEYS", "*"), ("ACL", "LIST"), ("CLIENT", "LIST")):
            with pytest.raises(redis.ResponseError, match=r"(?i)no permissions|can't access"):
                runner.execute_command(*command)
    assert user_of(ACME) in server.acl_users()


def test_a_pool_reads_only_what_it_serves(server: "redis.Redis") -> None:
    server.set(keys.lease(str(ZETA)), "theirs")
    with redis.Redis.from_url(address_for("pool-1", [ZETA])) as runner:
        assert runner.get(keys.lease(str(ZETA))) == b"theirs"
        address_for("pool-1", [ACME])
        with pytest.raises(redis.ResponseError, match=r"(?i)no permissions|can't access"):
            runner.get(keys.lease(str(ZETA)))


def test_the_probe_of_the_rights_leaves_no_user(server: "redis.Redis") -> None:
    before = server.acl_users()
    require_runner_users(server)
    assert server.acl_users() == before
