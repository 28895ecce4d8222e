"""A real runner with every kind of input and output, without servers: its planted secrets appear nowhere."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import redis
from cryptography.fernet import Fernet

from streaming.adapters.kinds import InputKind
from streaming.definition.streams.stream import AdapterChoice
from streaming.wire import keys
from streaming.wire.deliveries import BindingDeliveries
from streaming.wire.messages import RunSpec
from streaming.wire.sealed import sealed
from tests.adapters.planted import MARK, PlantedKind, planted_kinds
from tests.runtime.processes.process import carried
from tests.runtime.processes.test_secret import KEY, SECRETIVE, holding, of, shown_by_processes
from tests.spark.specs import spec

pytestmark = [pytest.mark.spark, pytest.mark.thorough]


def choice(kind: PlantedKind) -> AdapterChoice:
    """Return the kind with its secrets sealed, as the web application sends it to a runner."""
    tokens = {name: Fernet(KEY).encrypt(secret.encode()).decode() for name, secret in kind.secrets.items()}
    options = {**kind.options, **{name: sealed(token) for name, token in tokens.items()}}
    return AdapterChoice(kind=kind.kind.kind, options=options)


def reading(kind: PlantedKind) -> RunSpec:
    plain = spec(kind.name, "unused")
    content = json.loads(plain.model_dump_json())
    content["inputs"]["readings"]["stream"] |= {"event_time": {"start": {"column": "at", "unit": "us"}}}
    content["inputs"]["readings"]["adapter"] = choice(kind).model_dump(mode="json")
    return RunSpec.model_validate_json(json.dumps(content))


def delivering(every: list[PlantedKind]) -> BindingDeliveries:
    targets: list[dict[str, Any]] = [
        {"identity": each.name, "node": "out", "fields": {"n": "long"}, "adapter": choice(each), "revision": 1}
        for each in every
        if not isinstance(each.kind, InputKind)
    ]
    return BindingDeliveries.model_validate({"binding": "b", "results": "results/b", "targets": targets})


@pytest.mark.parametrize("pooled", [False, True], ids=["own", "pooled"])
def test_no_process_file_log_or_key_of_redis_shows_a_secret_of_any_kind(
    tmp_path: Path, redis_server_url: str, pooled: bool
) -> None:
    made = tmp_path / "made"
    made.mkdir()
    every = planted_kinds(made)
    (made / "chain.pem").unlink()
    wanted = [reading(each) for each in every if isinstance(each.kind, InputKind)]
    outputs = delivering(every)
    arguments = ("--idle-exit-s", "600", "--min-interval-s", "0.1")
    (runner,), (mail,) = carried(tmp_path, [SECRETIVE], redis_server_url, *arguments, pooled=pooled)
    runner.configuration |= {"outgoing": {"public": False, "networks": ["127.0.0.0/8"]}}
    mail.connection.hset(keys.deliveries(SECRETIVE), "b", outputs.model_dump_json())
    mail.desire(*(of(SECRETIVE, each) for each in wanted))
    reported: dict[str, str] = {}

    def failed() -> bool:
        seen = {each.run: mail.observed(each.run) for each in wanted}
        delivered = mail.connection.hgetall(keys.delivered(SECRETIVE))
        reported.update({run: str(each) for run, each in seen.items()})
        reported.update({str(name): str(each) for name, each in delivered.items()})
        ended = all(each is not None and each.state == "failed" for each in seen.values())
        return ended and len(delivered) == len(outputs.targets)

    runner.start()
    assert runner.process is not None
    try:
        runner.wait_until(failed, "every input has failed and every output was tried")
        shown = shown_by_processes(runner.process.pid)
    finally:
        runner.end()
    needles = [MARK, KEY, *(each for kind in every for each in kind.secrets.values())]
    needles += [base64.b64encode(each.encode()).decode() for each in needles]
    assert "streaming.runtime" in shown
    for needle in needles:
        assert needle not in shown
        assert needle not in str(reported)
    assert holding(tmp_path, [each.encode() for each in needles]) == []
    with redis.Redis.from_url(redis_server_url) as connection:
        kept = b"".join(connection.dump(key) or b"" for key in connection.scan_iter("*"))
    assert not any(each.encode() in kept for each in needles)
