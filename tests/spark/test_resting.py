"""How often there are batches, and of whom; the clock of a loop moves on by a second each time it is asked."""

import json
from pathlib import Path

from streaming.spark.control import AddBinding
from streaming.spark.looks import write_freshness
from streaming.wire.messages import RunSpec
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings

S = 1_000_000


def endless(binding: str, freshness: int | None = None, rate: float = 10) -> RunSpec:
    """`rate` rows a second, from the clock's beginning on."""
    content = json.loads(spec(binding, "none").model_dump_json().replace("value", "speed"))
    content["inputs"]["readings"]["stream"]["fields"] = {"device": "string", "speed": "double"}
    options = {"rate": rate, "started_at": 0}
    content["inputs"]["readings"]["adapter"] = {"kind": "generator", "options": options}
    return RunSpec.model_validate_json(json.dumps(content | {"freshness": freshness}))


def add(loop: Loop, of: RunSpec) -> None:
    loop.carrier.control.append(AddBinding(kind="add", tick=0, spec=of, bucket_ids=[0], lanes={}, at_end="flush"))


def batches(loop: Loop, seconds: int) -> str:
    """A letter for each second: b where a batch began."""
    return "".join("-" if loop.batch() is None else "b" for _ in range(seconds))


def test_a_carrier_rests_between_two_batches_though_there_are_new_rows(tmp_path: Path) -> None:
    loop = Loop(tmp_path, min_interval_s=3.0)
    add(loop, endless("a"))
    assert batches(loop, 13) == "b--b--b--b--b"


def test_batches_follow_the_most_impatient_binding(tmp_path: Path) -> None:
    loop = Loop(tmp_path, min_interval_s=3.0)
    add(loop, endless("a"))
    add(loop, endless("b", freshness=1 * S))
    assert batches(loop, 4) == "bbbb"


def test_who_is_content_with_less_fresh_results_has_fewer_batches_than_is_usual(tmp_path: Path) -> None:
    loop = Loop(tmp_path, min_interval_s=3.0)
    add(loop, endless("a", freshness=6 * S))
    assert batches(loop, 13) == "b-----b-----b"


def test_who_is_patient_is_not_in_every_batch_of_who_is_not(tmp_path: Path) -> None:
    loop = Loop(tmp_path)
    add(loop, endless("patient", freshness=8 * S))
    add(loop, endless("impatient", freshness=1 * S))
    found = [{each["run"] for each in manifest.reports} for manifest in (loop.batch() for _ in range(9)) if manifest]
    assert ["patient-1" in runs for runs in found] == [True, False, False, False, True, False, False, False, True]
    assert all("impatient-1" in runs for runs in found)


def test_an_impatient_binding_with_nothing_to_read_hurries_nobody(tmp_path: Path) -> None:
    loop = Loop(tmp_path)
    add(loop, endless("busy", freshness=4 * S))
    add(loop, endless("silent", freshness=1 * S, rate=1e-6))
    assert batches(loop, 9) == "b---b---b"


def test_bindings_that_began_at_different_times_come_to_share_their_batches(tmp_path: Path) -> None:
    loop = Loop(tmp_path)
    add(loop, endless("a", freshness=6 * S))
    assert batches(loop, 4) == "b---"
    add(loop, endless("b", freshness=6 * S))
    assert batches(loop, 13) == "b-----b-----b"


def test_who_has_just_begun_is_looked_at_every_second_for_a_while(tmp_path: Path) -> None:
    loop = Loop(tmp_path, eager_s=3.0)
    add(loop, endless("a", freshness=6 * S))
    assert batches(loop, 16) == "bbbb-----b-----b"
    add(loop, endless("b", freshness=1 * S, rate=1e-6))
    assert batches(loop, 12) == "b----b-----b", "who begins does not hurry those that go on"


def test_a_freshness_that_is_changed_holds_from_the_next_look_on(tmp_path: Path) -> None:
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


def test_a_new_driver_looks_at_everybody_at_once(tmp_path: Path) -> None:
    loop = Loop(tmp_path, min_interval_s=30.0)
    add(loop, endless("a"))
    assert batches(loop, 3) == "b--"
    loop.restart()
    assert batches(loop, 3) == "b--"
