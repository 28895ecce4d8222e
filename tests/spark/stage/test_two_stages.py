"""Bindings in two stages of buckets: cut, killed, failed, moved, with the other guarantees of a carrier."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError
from streaming.adapters.rows.adapter import RowsAdapter
from streaming.definition.checks.advance import temporal_settings
from streaming.engine.operators.bucket import BucketOperators
from streaming.planning.compile import compile_binding
from streaming.planning.plan import SecondStage
from streaming.reference import execution as reference
from streaming.spark.query.binding import binding_of
from streaming.spark.query.control import AddBinding, SaveBinding, StopBinding
from streaming.spark.query.layout import SETTINGS_FILE, CarrierSettings, create
from streaming.spark.query.savepoints import VERSION, read_head
from streaming.transcripts.load import LoadedTranscript
from streaming.wire.execution.case import EndMode
from streaming.wire.messages import RunSpec
from tests.engine.agreement import differences
from tests.reference.drawn.cases import Scope, cases
from tests.reference.drawn.graphs import MEETING
from tests.reference.laws.runs import cut
from tests.spark.loop import Loop
from tests.spark.looped_cases import Looped, chained, differing, divided
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import BATCHES, STAGES, rows, states
from tests.transcripts.loaded import with_shared

TWO: dict[str, Any] = {"buckets": 2, "stages": 2, "isolate": False}
PATH = "savepoints/a.arrow"
Rows = tuple[list[str], list[str]]


def chained_spec(run: str = "a-1") -> RunSpec:
    """Return `spec` with the counts for each device counted again for each parity of the total, and for each device."""
    content = json.loads(spec("a", "readings.jsonl", run=run).model_dump_json())
    parity = [{"name": "odd", "of": "total % 2"}, {"name": "n", "of": "n"}]
    sums = [{"name": "n", "function": "sum", "of": "n"}, {"name": "windows", "function": "count"}]
    window = {"kind": "window", "window": {"kind": "hopping", "size": "40us", "hop": "20us"}, "aggregates": sums}
    content["query"]["nodes"] += [
        {"id": "parity", "kind": "project", "input": "windows", "columns": parity},
        {"id": "by_parity", "input": "parity", "group_by": ["odd"], **window},
        {"id": "each", "kind": "output", "input": "by_parity"},
    ]
    return RunSpec.model_validate_json(json.dumps(content))


def begin(home: Path, location: str | None = None, **more: Any) -> Loop:
    home.mkdir(exist_ok=True)
    write_readings(home / "readings.jsonl", BATCHES)
    return Loop(home, location, **{**TWO, **more})


def add(loop: Loop, wanted: RunSpec, entering: str | None = None, *, moving: bool = False) -> int:
    ids = list(range(loop.carrier.settings.buckets))
    return loop.carrier.control.append(
        AddBinding(
            kind="add",
            tick=0,
            spec=wanted,
            bucket_ids=ids,
            lanes={},
            at_end="flush",
            from_savepoint=entering,
            moving=moving,
        )
    )


def save(loop: Loop) -> None:
    loop.carrier.control.append(SaveBinding(kind="savepoint", tick=0, binding="a", path=PATH))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """Return the rows of a shared carrier, which has one stage and one bucket."""
    loop = begin(tmp_path_factory.mktemp("undisturbed"), buckets=1, stages=1)
    add(loop, chained_spec())
    loop.run()
    return rows(loop, "a")


@pytest.fixture(scope="module")
def runnable(shared_transcripts: Path) -> list[LoadedTranscript]:
    return [each for each in with_shared(shared_transcripts) if each.transcript.expect is not None]


def test_a_dedicated_carrier_gives_what_a_shared_one_gives(tmp_path: Path, undisturbed: Rows) -> None:
    loop = begin(tmp_path)
    entry = add(loop, chained_spec())
    second = binding_of(loop.carrier, entry).plan.second
    assert isinstance(second, SecondStage)
    assert [node.id for node in second.nodes] == ["by_parity", "each"]
    report = loop.run()[-1].reports[-1]
    assert rows(loop, "a") == undisturbed
    outputs = {json.loads(row)["output"] for row in undisturbed[0]}
    assert outputs == {"out", "each"}
    assert report.results == len(undisturbed[0])
    assert report.inputs["readings"].received == BATCHES * 5
    assert [key for key, content in loop.state.items() if content] == [], "the end clears both stages"


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("at", [1, 3, BATCHES, BATCHES + 1])
def test_a_batch_killed_at_any_stage_changes_nothing(tmp_path: Path, undisturbed: Rows, stage: str, at: int) -> None:
    loop = begin(tmp_path)
    add(loop, chained_spec())
    for _ in range(at - 1):
        loop.batch()

    assert loop.killed_at(stage)
    loop.run()
    assert rows(loop, "a") == undisturbed


def test_transcripts_in_two_stages_hold_for_every_cut_when_each_batch_is_killed_once(
    runnable: list[LoadedTranscript], monkeypatch: pytest.MonkeyPatch
) -> None:
    used = list(filter(chained, runnable))
    assert len(used) > 3
    assert differing(used, "all", Looped(kills=random.Random(6), **TWO), monkeypatch) == []


def test_transcripts_that_need_one_stage_hold_with_two_stages(
    runnable: list[LoadedTranscript], monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = random.Random(7).sample(list(filter(divided, runnable)), 30)
    assert differing(sample, "none", Looped(**TWO), monkeypatch) == []


@pytest.mark.parametrize("kind", MEETING)
@settings(max_examples=max(4, settings.default.max_examples // 12), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), kills=st.randoms(use_true_random=False))
def test_a_carrier_with_two_stages_agrees_with_the_reference(kind: str, data: st.DataObject, kills: Any) -> None:
    """Check random chained graphs, cut before every row, each batch killed once at a random stage."""
    case = data.draw(cases(kind, Scope(wall=False, chained=True, ends=(EndMode.FLUSH,))))
    everywhere = cut(case, range(1, len(case.rows)))
    (seen,) = Looped(kills=kills, **TWO)([everywhere])
    assert differences(everywhere, reference.run_case(everywhere), seen, each_alone=False) == []


@pytest.mark.parametrize("stage", [0, 1])
@pytest.mark.parametrize("breaks_at", [1, 3, BATCHES])
@pytest.mark.parametrize("isolate", [True, False])
def test_an_error_of_either_stage_undoes_the_batch_in_all_buckets(
    tmp_path: Path, undisturbed: Rows, monkeypatch: pytest.MonkeyPatch, stage: int, breaks_at: int, isolate: bool
) -> None:
    turn = BucketOperators.turn

    def broken(self: BucketOperators, batch: int, envelopes: Any) -> Any:
        released = turn(self, batch, envelopes)
        if batch == breaks_at and self._bucket == 1 and isinstance(self._plan, SecondStage) == bool(stage):
            raise ArithmeticError("a fault of ours")
        return released

    loop = begin(tmp_path, isolate=isolate)
    add(loop, chained_spec())
    with monkeypatch.context() as patched:
        patched.setattr(BucketOperators, "turn", broken)
        manifests = loop.upheld()
    state, domain, message = states(manifests, "a")[-1]
    assert (state, domain) == ("failed", "internal")
    assert "computing the results" in (message or "")
    add(loop, chained_spec("a-2"))
    loop.upheld()
    assert rows(loop, "a") == undisturbed


def test_a_read_error_undoes_the_batch_in_both_stages(
    tmp_path: Path, undisturbed: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = RowsAdapter.read

    def broken(self: RowsAdapter, lane: str, start: int, end: int) -> Any:
        yield from read(self, lane, start, end)
        if end == 3:
            raise AdapterError("The disk of the device went away. Plug it in again.", domain="external")

    loop = begin(tmp_path, isolate=True)
    add(loop, chained_spec())
    with monkeypatch.context() as patched:
        patched.setattr(RowsAdapter, "read", broken)
        assert [state for state, _, _ in states(loop.run(), "a")] == ["running", "failed"]
    add(loop, chained_spec("a-2"))
    loop.run()
    assert rows(loop, "a") == undisturbed


def test_a_stop_without_flush_keeps_the_state_of_both_stages(tmp_path: Path, undisturbed: Rows) -> None:
    loop = begin(tmp_path)
    add(loop, chained_spec())
    loop.batch()
    loop.batch()
    loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding="a", flush=False))
    loop.run()
    assert {stage for stage, _, _ in (key for key, content in loop.state.items() if content)} == {0, 1}
    add(loop, chained_spec("a-2"))
    loop.run()
    assert rows(loop, "a") == undisturbed


@pytest.mark.parametrize("after", [1, 3, 5])
def test_a_moved_run_keeps_the_state_of_both_stages(tmp_path: Path, undisturbed: Rows, after: int) -> None:
    old, new = begin(tmp_path), begin(tmp_path, str(tmp_path / "other"))
    add(old, chained_spec())
    for _ in range(after):
        old.batch()
    save(old)
    old.run()
    head = read_head(old.carrier.every, PATH)
    before = head.totals["results"]
    assert (head.buckets, head.second, head.version) == (2, 2, VERSION)
    add(new, chained_spec("a-2"), PATH)
    last = new.run()[-1].reports[-1]
    assert rows(new, "a") == undisturbed
    assert before + last.results == len(undisturbed[0])


def test_a_savepoint_of_two_stages_does_not_fit_into_one(tmp_path: Path) -> None:
    old = begin(tmp_path)
    add(old, chained_spec())
    old.batch()
    save(old)
    old.run()
    new = begin(tmp_path, str(tmp_path / "other"), stages=1, isolate=True)
    add(new, chained_spec("a-2"), PATH)
    ((state, _, message),) = states(new.run(), "a")
    assert state == "failed"
    assert "created with 2 buckets and a second stage of 2, but this engine uses 1 bucket" in str(message)
    add(new, chained_spec("a-3"), PATH, moving=True)
    observed = states(new.run(), "a")
    assert [state for state, _, _ in observed] == ["running", "completed"]
    assert "can't be divided into one bucket" in str(observed[0][2])


def test_the_number_of_stages_of_a_carrier_never_changes(tmp_path: Path) -> None:
    def made(name: str, stages: int) -> CarrierSettings:
        return create(tmp_path / name, CarrierSettings(home=str(tmp_path), buckets=2, stages=stages)).settings

    assert [made("new", 2).stages, made("new", 1).stages] == [2, 2]
    made("old", 1)
    path = tmp_path / "old" / SETTINGS_FILE
    before = {name: value for name, value in json.loads(path.read_text()).items() if name != "stages"}
    path.write_text(json.dumps(before))
    assert made("old", 2).stages == 1, "a file from before there were two stages"


def test_without_a_second_stage_the_same_graph_has_one_bucket() -> None:
    wanted = chained_spec()
    streams = {"readings": wanted.inputs["readings"].stream}
    advance = temporal_settings(wanted.query, streams, {})
    assert compile_binding(wanted.query, streams, advance, 2, stages=1).spread == (1, 0)
    assert compile_binding(wanted.query, streams, advance, 2, stages=2).spread == (2, 2)
    assert compile_binding(wanted.query, streams, advance, 1, stages=2).spread == (1, 0)
