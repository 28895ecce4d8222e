"""How long a carrier rests between two batches; the clock of a loop moves on by a second each time it is asked."""

import json
from pathlib import Path

from streaming.spark.control import AddBinding
from streaming.wire.messages import RunSpec
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings

S = 1_000_000


def endless(binding: str, freshness: int | None = None) -> RunSpec:
    """Ten rows a second, from the clock's beginning on."""
    content = json.loads(spec(binding, "none").model_dump_json().replace("value", "speed"))
    content["inputs"]["readings"]["stream"]["fields"] = {"device": "string", "speed": "double"}
    options = {"rate": 10, "started_at": 0}
    content["inputs"]["readings"]["adapter"] = {"kind": "generator", "options": options}
    return RunSpec.model_validate_json(json.dumps(content | {"freshness": freshness}))


def add(loop: Loop, of: RunSpec) -> None:
    loop.carrier.control.append(AddBinding(kind="add", tick=0, spec=of, bucket_ids=[0], lanes={}, at_end="flush"))


def batches(loop: Loop, seconds: int) -> str:
    """A letter for each second: b where a batch began."""
    return "".join("-" if loop.batch() is None else "b" for _ in range(seconds))


def test_a_carrier_rests_from_the_end_of_a_batch_though_every_batch_finds_new_rows(tmp_path: Path) -> None:
    loop = Loop(tmp_path, min_interval_s=3.0)
    add(loop, endless("a"))
    assert batches(loop, 13) == "b---b---b---b"


def test_a_binding_that_asks_for_fresher_results_is_why_its_carrier_rests_less(tmp_path: Path) -> None:
    loop = Loop(tmp_path, min_interval_s=3.0)
    add(loop, endless("a"))
    add(loop, endless("b", freshness=1 * S))
    assert batches(loop, 7) == "b-b-b-b"


def test_who_is_content_with_less_fresh_results_holds_nobody_up(tmp_path: Path) -> None:
    loop = Loop(tmp_path, min_interval_s=3.0)
    add(loop, endless("a", freshness=60 * S))
    assert batches(loop, 9) == "b---b---b"


def test_a_command_and_the_end_of_an_input_do_not_wait(tmp_path: Path) -> None:
    loop = Loop(tmp_path, min_interval_s=30.0)
    add(loop, endless("a"))
    assert batches(loop, 5) == "b----"
    write_readings(tmp_path / "rows.jsonl", batches=1)
    add(loop, spec("b", "rows.jsonl"))
    assert batches(loop, 5) == "bb---", "its end comes in a batch of its own"


def test_rows_that_one_batch_could_not_take_do_not_wait(tmp_path: Path) -> None:
    write_readings(tmp_path / "rows.jsonl", batches=3)
    loop = Loop(tmp_path, min_interval_s=30.0, rows_per_batch=1)
    add(loop, spec("a", "rows.jsonl"))
    assert batches(loop, 6) == "bbbb--"


def test_a_new_driver_counts_from_the_batch_before(tmp_path: Path) -> None:
    loop = Loop(tmp_path, min_interval_s=3.0)
    add(loop, endless("a"))
    assert batches(loop, 3) == "b--"
    loop.restart()
    loop.clock += 30 * S
    assert batches(loop, 1) == "b"
