"""History, then live, in a carrier (without Spark's own process): seams, kills, stops, and marks (T54 to T58)."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from streaming.adapters.committed import CommittedBatches
from streaming.adapters.push.inbox import InboxLimits, PushInbox
from streaming.spark.query.control import StopBinding
from streaming.wire.messages import RunSpec
from tests.spark.history_specs import (
    add_joined,
    contents,
    joined_spec,
    one_run,
    push,
    readings,
    results,
    write_archive,
)
from tests.spark.loop import Loop
from tests.spark.test_loop import STAGES, states

SEAM = 100
"""The place in live, the number and the id at which live begins."""
OF_HISTORY, OF_LIVE = readings(range(SEAM)), readings(range(SEAM, 160))


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    home = tmp_path / "files"  # inboxes are next to it
    write_archive(home, OF_HISTORY[:60])
    write_archive(home, OF_HISTORY[60:], "archive/2.parquet")
    return Loop(home, rows_per_batch=25)


def once(wanted: RunSpec) -> list[tuple[int, str]]:
    return one_run(wanted, [("0", row) for row in (*OF_HISTORY, *OF_LIVE)], ["0"])


def reported(loop: Loop) -> dict[str, int]:
    manifests = loop.run()
    outcomes: dict[str, int] = dict(manifests[-1].reports[0].inputs["readings"].outcomes)
    return outcomes


@pytest.mark.parametrize("stage", STAGES)
def test_kills_of_every_batch_change_nothing(loop: Loop, stage: str) -> None:
    """Killed at every batch: within history, at its end, at the seam, and in live."""
    push(loop.home, [*OF_HISTORY, *OF_LIVE])
    wanted = joined_spec({"position": SEAM})
    add_joined(loop, wanted)
    batches = 0
    while loop.killed_at(stage):
        loop.batch()
        batches += 1
    assert batches >= 8
    assert contents(loop.home) == once(wanted)


def test_history_of_one_lane_is_of_that_lane_and_its_counts_continue(loop: Loop) -> None:
    push(loop.home, [*OF_HISTORY, *OF_LIVE])
    wanted = joined_spec({"position": SEAM})
    add_joined(loop, wanted)
    outcomes = reported(loop)
    assert sum(outcomes.values()) == 160
    assert contents(loop.home) == once(wanted)


@pytest.mark.parametrize(
    ("seam", "repeated"), [({"id": "value"}, 30), ({"id": "value", "over": "1h"}, 30), ({"position": SEAM}, 0)]
)
def test_rows_that_both_sources_have_count_once(loop: Loop, seam: dict[str, Any], repeated: int) -> None:
    places = seam.get("position", 30)
    push(loop.home, [*readings(range(SEAM - places, SEAM)), *OF_LIVE])
    wanted = joined_spec(seam)
    add_joined(loop, wanted)
    outcomes = reported(loop)
    assert outcomes.get("overlap", 0) == repeated
    assert contents(loop.home) == once(wanted)


def test_a_seam_by_time_divides_by_start(loop: Loop) -> None:
    """History has what starts before the seam. Late rows that only live has are lost, as `check` warns."""
    at = SEAM * 3 + 100
    push(loop.home, [*OF_HISTORY[90:], *OF_LIVE])
    wanted = joined_spec({"time": at})
    add_joined(loop, wanted)
    outcomes = reported(loop)
    kept = [row for row in OF_LIVE if row["at"] >= at]
    assert outcomes["overlap"] == 10 + len(OF_LIVE) - len(kept)
    assert contents(loop.home) == one_run(wanted, [("0", row) for row in (*OF_HISTORY, *kept)], ["0"])


def test_a_stop_within_history_leaves_live_unread_and_a_start_resumes_there(loop: Loop) -> None:
    push(loop.home, [*OF_HISTORY, *OF_LIVE])
    wanted = joined_spec({"position": SEAM})
    add_joined(loop, wanted)
    for _ in range(3):
        loop.batch()
    loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding="a", flush=False))
    manifests = loop.run()
    assert manifests[-1].reports[0].inputs["readings"].received < SEAM
    add_joined(loop, wanted.model_copy(update={"run": "a-2"}))
    loop.run()
    assert contents(loop.home) == once(wanted)


def test_rows_that_come_during_history_wait_for_it(loop: Loop) -> None:
    push(loop.home, OF_HISTORY)
    wanted = joined_spec({"position": SEAM})
    add_joined(loop, wanted)
    for number in range(3):
        loop.batch()
        push(loop.home, OF_LIVE[number * 20 : number * 20 + 20])
    loop.run()
    assert contents(loop.home) == once(wanted)


def test_a_place_that_live_no_longer_has_is_refused_before_anything_is_read(loop: Loop) -> None:
    push(loop.home, OF_HISTORY[:20])
    push(loop.home, OF_HISTORY[20:30])
    inbox = PushInbox.of(loop.home, "readings")
    for place in (20, 30):
        inbox.note_reader("another", place, now=0)
    line = json.dumps({"start": 0, "device": "d0"}).encode() + b"\n"
    size = len(pa.compress(line, codec="zstd", asbytes=True))
    inbox.accept(line, 1, batch=None, now=0, limits=InboxLimits(inbox.state().stored + size - 1, 7))
    assert inbox.state().oldest == 20
    add_joined(loop, joined_spec({"position": 10}))
    ((_, domain, message),) = [each for each in states(loop.run(), "a") if each[0] == "failed"]
    assert domain == "user"
    assert message is not None
    assert message.startswith("seam_gone: the live rows 10 to 19 of lane 0 of readings don't exist")
    assert contents(loop.home) == []


def test_a_seam_after_the_end_of_live_is_refused(loop: Loop) -> None:
    push(loop.home, OF_HISTORY[:20])
    add_joined(loop, joined_spec({"position": SEAM}))
    ((_, _, message),) = [each for each in states(loop.run(), "a") if each[0] == "failed"]
    assert message is not None
    assert "live ends at 20" in message


@pytest.mark.parametrize(
    ("historic", "mark", "delivered"),
    [(None, "stored", False), ("store", "stored", False), ("deliver", "delivered", True)],
)
def test_results_of_history_alone_are_marked(loop: Loop, historic: str | None, mark: str, delivered: bool) -> None:
    """A result across the seam isn't historic: its window was closed by live (T57)."""
    push(loop.home, [*OF_HISTORY, *OF_LIVE])
    wanted = joined_spec({"position": SEAM}, historic=historic)
    add_joined(loop, wanted)
    loop.run()
    by_history = one_run(wanted, [("0", row) for row in OF_HISTORY], ["0"])
    marked = [line for line in results(loop.home) if "historic" in line]
    assert {line["historic"] for line in marked} == {mark}
    assert sorted((line["start"], json.dumps(line["payload"])) for line in marked) == by_history
    rows = rows_to_deliver(loop.home)
    assert len(rows) == len(results(loop.home)) - (0 if delivered else len(marked))
    assert contents(loop.home) == once(wanted)


def test_results_of_history_alone_are_discarded_on_request(loop: Loop) -> None:
    push(loop.home, [*OF_HISTORY, *OF_LIVE])
    wanted = joined_spec({"position": SEAM}, historic="discard")
    add_joined(loop, wanted)
    loop.run()
    by_history = one_run(wanted, [("0", row) for row in OF_HISTORY], ["0"])
    assert sorted([*contents(loop.home), *by_history]) == once(wanted)


def rows_to_deliver(home: Path) -> list[Any]:
    batches = CommittedBatches(home / "results" / "a", "out", delivered=True)
    piece = batches.after(None, most_rows=10_000, most_bytes=1 << 20)
    assert piece is not None
    return [row for batch in piece.batches for row in batch.rows]


def test_time_doesn_t_pass_in_history(loop: Loop) -> None:
    """The idle rule checks live alone: an archive is read as fast as it goes, whatever the wall clock says (T56)."""
    push(loop.home, [*OF_HISTORY, *OF_LIVE])
    content = json.loads(joined_spec({"position": SEAM}).model_dump_json())
    content["inputs"]["readings"]["stream"]["advance"] |= {"idle_after": "1s", "idle": "advance"}
    wanted = RunSpec.model_validate_json(json.dumps(content))
    add_joined(loop, wanted)
    for _ in range(5):
        manifest = loop.batch()
    assert manifest is not None
    cti = manifest.reports[0].inputs["readings"].cti
    assert cti is not None
    assert cti < 1_000


@pytest.mark.parametrize(
    ("history", "sentence"),
    [
        ({"adapter": {"kind": "file", "options": {"path": "archive", "follow": True}}}, "A history must end"),
        ({"adapter": {"kind": "push", "options": {"inbox": "x"}}}, "A history must end"),
        ({"order": "time"}, "order"),
    ],
)
def test_a_history_that_can_t_be_read_is_refused(loop: Loop, history: dict[str, Any], sentence: str) -> None:
    push(loop.home, OF_LIVE)
    add_joined(loop, joined_spec({"position": 0}, **history))
    ((_, domain, message),) = [each for each in states(loop.run(), "a") if each[0] == "failed"]
    assert domain == "user"
    assert message is not None
    assert sentence in message


def test_no_batch_has_rows_of_both_sources_although_it_has_room_for_all(loop: Loop, tmp_path: Path) -> None:
    """Under a limit for all bindings the planner asks an input several times for more rows of the same batch."""
    shared = Loop(loop.home, str(tmp_path / "shared"), batch_rows=1_000)
    push(loop.home, [*OF_HISTORY, *OF_LIVE])
    wanted = joined_spec({"position": SEAM})
    add_joined(shared, wanted)
    found = []
    while shared.batch() is not None:
        (item,) = shared.offset.every
        found.append(tuple(item.positions["readings"][lane] for lane in ("(history)", "0")))
    assert found == [(SEAM, 0), (SEAM + 1, SEAM), (SEAM + 1, 160)]
    assert contents(loop.home) == once(wanted)
