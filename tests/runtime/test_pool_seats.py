"""The seat of an organisation in a pool, without Spark."""

import threading
import time
from pathlib import Path

import pytest
import redis
from cryptography.fernet import Fernet

from streaming.definition.streams.stream import AdapterChoice
from streaming.runtime.pool import PoolRoom, PoolSeat
from streaming.runtime.process.single import TOKEN_VARIABLE
from streaming.runtime.runner import Runner, RunnerExit
from streaming.runtime.secret_server import SecretKeepers
from streaming.wire import keys
from streaming.wire.deliveries import BindingDeliveries
from streaming.wire.outgoing import NOTHING
from tests.delivery.targets import TARGET
from tests.runtime.paper import ORGANISATION, PaperCarrier

FILE = AdapterChoice(kind="file", options={"path": "sent", "format": "json_lines"})


def live_deliveries() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == "delivery"]


def test_a_seat_that_breaks_ends_its_deliveries(
    tmp_path: Path, redis_server_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    during = []
    turn = Runner.turn

    def break_after_a_turn(runner: Runner) -> RunnerExit | None:
        turn(runner)
        during.extend(live_deliveries())
        raise OSError("No space left on device")

    monkeypatch.setattr(Runner, "turn", break_after_a_turn)
    monkeypatch.setenv(TOKEN_VARIABLE, "of the shell")  # restores the variable that a seat sets
    target = TARGET.model_copy(update={"adapter": FILE})
    wanted = BindingDeliveries(binding="b", results="results/b", targets=[target])
    (tmp_path / ORGANISATION / "files").mkdir(parents=True)
    with redis.Redis.from_url(redis_server_url) as connection:
        connection.hset(keys.deliveries(ORGANISATION), "b", wanted.model_dump_json())
        room = PoolRoom(
            name="pool-1",
            root=tmp_path,
            token="mine",
            connection=connection,
            carriers=(),
            keepers=SecretKeepers(),
            opening=lambda _, __: PaperCarrier(),
            outgoing=NOTHING,
            idle_exit_s=60.0,
            apart_s=60.0,
            monotonic=time.monotonic,
        )
        seat = PoolSeat(room, ORGANISATION, (Fernet.generate_key().decode(),), lambda: 1)
        seat.start()
        seat.join(30)
    assert seat.ended_at is not None
    assert len(during) == 1
    assert live_deliveries() == []
