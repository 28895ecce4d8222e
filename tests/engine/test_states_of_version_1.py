"""What the engine of version 1 left behind goes on in the present one with the same results."""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from streaming.definition.advance import temporal_settings
from streaming.engine.cases import _batches, _result
from streaming.engine.ledger import Ledger
from streaming.engine.run import EngineRun, Snapshot
from streaming.engine.state import DictState
from streaming.planning.compile import compile_binding
from streaming.reference import cases as reference
from streaming.transcripts.load import parse
from streaming.transcripts.prepare import define, prepare
from streaming.wire.case import Case, CaseEvent, EndMode

STATES = json.loads((Path(__file__).parent / "states" / "version_1.json").read_text())


def unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def case_of(state: Mapping[str, Any]) -> Case:
    transcript = parse(state["transcript"], "version_1.json")
    return replace(prepare(transcript, define(transcript)), end=EndMode.FLUSH)


def snapshot_of(state: Mapping[str, Any]) -> Snapshot:
    lanes = {(input_id, lane): unpacked(content) for input_id, lane, content in state["lanes"]}
    buckets = tuple({key: unpacked(content) for key, content in each.items()} for each in state["states"])
    return Snapshot(lanes, buckets, state["batch"], {})


def record(event: CaseEvent) -> tuple[Any, ...]:
    return event.output, event.start, event.end, json.dumps(dict(event.payload), sort_keys=True)


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("state", STATES, ids=lambda state: state["transcript"]["name"])
def test_it_goes_on(state: Mapping[str, Any], restarts: bool) -> None:
    case = case_of(state)
    plan = compile_binding(
        case.graph, case.streams, temporal_settings(case.graph, case.streams, case.advance), state["buckets"]
    )
    run = EngineRun.restored(plan, snapshot_of(state))
    released = []
    for heard in islice(_batches(case), state["at"], None):
        released.append(run.hear(heard))
        if restarts:
            run = EngineRun.restored(plan, run.snapshot())
    released.append(run.end(case.end))
    seen, expected = _result(case, plan, run, released), reference.run_case(case)
    before = [CaseEvent(*event) for event in state["events"]]
    assert Counter(map(record, [*before, *seen.events])) == Counter(map(record, expected.events))
    assert {output: (*state["ctis"].get(output, ()), *ctis) for output, ctis in seen.ctis.items()} == expected.ctis
    assert {name: dict(counts) for name, counts in seen.outcomes.items() if not restarts} == {
        name: dict(counts) for name, counts in expected.outcomes.items() if not restarts
    }


@pytest.mark.parametrize("state", STATES, ids=lambda state: state["transcript"]["name"])
def test_who_only_reads_changes_nothing_and_who_writes_leaves_version_2_alone(state: Mapping[str, Any]) -> None:
    for content in snapshot_of(state).buckets:
        store = DictState(content)
        Ledger(store)
        assert store.snapshot() == content
        Ledger(store).write()
        keys = set(store.keys())
        head = store.get("head") or b""
        written = json.loads(head[8 : 8 + int.from_bytes(head[:8], "little")])
        assert (written["version"], keys) == (2, {"head", *written["apart"]})


def test_a_state_of_a_version_to_come_is_refused() -> None:
    text = b'{"version":3}'
    store = DictState({"head": len(text).to_bytes(8, "little") + text})
    with pytest.raises(ValueError, match="has version 3, this program reads versions 1 and 2"):
        Ledger(store)
