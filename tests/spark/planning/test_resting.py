"""The schedule of batches and their bindings; the clock of a loop advances by a second each time it is read."""

import json
from pathlib import Path

from streaming.spark.planning.poll_schedule import write_freshness
from streaming.spark.query.control import AddBinding
from streaming.wire.messages import RunSpec
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings

S = 1_000_000


def endless(binding: str, freshness: int | None = None, rate: float = 10) -> RunSpec:
    """Return a binding with `rate` rows a second, from the start of the clock on."""
    content = json.loads(spec(binding, "none").model_dump_json().replace("value", "speed"))
    content["inputs"]["readings"]["stream"]["fields"] = {"device": "string", "speed": "double"}
    options = {"rate": rate, "started_at": 0}
    content["inputs"]["readings"]["adapter"] = {"kind": "generator", "options": options}
    return RunSpec.model_validate_json(json.dumps(content | {"freshness": freshness}))


def add(loop: Loop, of: RunSpec) -> None:
    loop.carrier.control.append(AddBinding(kind="add", tick=0, spec=of, bucket_ids=[0], lanes={}, at_end="flush"))


def batches(loop: Loop, seconds: int) -> str:
    """Return a letter for each second: b where a batch started."""
    return "".join("-" if loop.batch() is None else "b" for _ in range(seconds))


def test_a_carrier_rests_between_two_batches_though_there_are_new_rows(tmp_path: Path) -> None:
    loop = Loop(tmp_path, min_interval_s=3.0)
    add(loop, endless("a"))
    assert batches(loop, 13) == "b--b--b--b--b"


def test_the_binding_with_the_shortest_freshness_sets_the_pace(tmp_path: Path) -> None:
    loop = Loop(tmp_path, min_interval_s=3.0)
    add(loop, endless("a"))
    add(loop, endless("b", freshness=1 * S))
    assert batches(loop, 4) == "bbbb"


def test_a_binding_with_a_longer_freshness_has_fewer_batches_than_the_default(tmp_path: Path) -> None:
    loop = Loop(tmp_path, min_interval_s=3.0)
    add(loop, endless("a", freshness=6 * S))
    assert batches(loop, 13) == "b-----b-----b"


def test_a_binding_with_a_longer_freshness_is_not_in_every_batch(tmp_path: Path) -> None:
    loop = Loop(tmp_path)
    add(loop, endless("patient", freshness=8 * S))
    add(loop, endless("impatient", freshness=1 * S))
    found = [{each.run for each in manifest.reports} for manifest in (loop.batch() for _ in range(9)) if manifest]
    assert ["patient-1" in runs for runs in found] == [True, False, False, False, True, False, False, False, True]
    assert all("impatient-1" in runs for runs in found)


def test_a_binding_with_nothing_to_read_causes_no_batches_for_others(tmp_path: Path) -> None:
    loop = Loop(tmp_path)
    add(loop, endless("busy", freshness=4 * S))
    add(loop, endless("silent", freshness=1 * S, rate=1e-6))
    assert batches(loop, 9) == "b---b---b"


def test_bindings_that_started_at_different_times_share_their_batches_later(tmp_path: Path) -> None:
    loop = Loop(tmp_path)
    add(loop, endless("a", freshness=6 * S))
    assert batches(loop, 4) == "b---"
    add(loop, endless("b", freshness=6 * S))
    assert batches(loop, 13) == "b-----b-----b"


def test_a_new_binding_is_polled_every_second_for_a_while(tmp_path: Path) -> None:
    loop = Loop(tmp_path, eager_s=3.0)
    add(loop, endless("a", freshness=6 * S))
    assert batches(loop, 16) == "bbbb-----b-----b"
    add(loop, endless("b", freshness=1 * S, rate=1e-6))
    assert batches(loop, 12) == "b----b-----b", "a new binding does not hurry the running ones"


def test_a_changed_freshness_applies_from_the_next_poll_on(tmp_path: Path) -> None:
    loop = Loop(tmp_path)
    add(loop, endless("a", freshness=6 * S))
    assert batches(loop, 3) == "b--"
    write_freshness(loop.carrier.folder, {"a": 2 * S})
    assert batches(loop, 5) == "b-b-b"
    write_freshness(loop.carrier.folder, {"a": 4 * S})
    assert batches(loop, 8) == "---b---b"


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


def test_a_new_driver_polls_all_bindings_at_once(tmp_path: Path) -> None:
    loop = Loop(tmp_path, min_interval_s=30.0)
    add(loop, endless("a"))
    assert batches(loop, 3) == "b--"
    loop.restart()
    assert batches(loop, 3) == "b--"
