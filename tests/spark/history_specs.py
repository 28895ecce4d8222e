"""Bindings whose stream has a history: readings in files, then live, and their results in one run of the reference."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from streaming.adapters.push.inbox import InboxLimits, PushInbox
from streaming.definition.streams.stream import StreamDefinition
from streaming.reference import execution as reference
from streaming.spark.query.control import AddBinding
from streaming.spark.sink.committed_rows import committed_lines
from streaming.wire.execution.case import Case, CaseRow, EndMode
from streaming.wire.execution.case_execution import run_case
from streaming.wire.messages import RunSpec
from tests.spark.loop import Loop
from tests.spark.specs import spec

Reading = dict[str, Any]
PUSHED = {"kind": "push", "options": {"inbox": "readings"}}


def readings(numbers: Sequence[int]) -> list[Reading]:
    """Return readings of two devices, every fifth late."""
    return [
        {"at": number * 3 - (40 if number % 5 == 4 else 0) + 100, "device": f"d{number % 2}", "value": number}
        for number in numbers
    ]


def write_archive(home: Path, rows: Sequence[Reading], name: str = "archive/1.parquet") -> None:
    """Write `rows` as one file of the archive."""
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), path)


def push(home: Path, rows: Sequence[Reading]) -> None:
    """Push `rows` to the inbox of the binding."""
    body = b"".join(json.dumps({"start": row["at"], **row}).encode() + b"\n" for row in rows)
    inbox = PushInbox.of(home, "readings")
    inbox.accept(body, len(rows), batch=None, now=1, limits=InboxLimits(1 << 30, 7))


def joined_spec(seam: dict[str, Any], live: dict[str, Any] = PUSHED, **history: Any) -> RunSpec:
    """Return the count and sum of `spec` over the files of the archive, then over `live`."""
    content = json.loads(spec("a", "none").model_dump_json())
    wanted = content["inputs"]["readings"]
    wanted["adapter"] = live
    wanted["stream"] |= {
        "event_time": {"start": {"column": "at", "unit": "us"}},
        "history": {"seam": seam, "adapter": {"kind": "file", "options": {"path": "archive"}}, **history},
    }
    return RunSpec.model_validate_json(json.dumps(content))


def add_joined(loop: Loop, wanted: RunSpec, lanes: Sequence[str] = ("0",)) -> int:
    """Add the binding; it names its lanes as a carrier does."""
    known = {"readings": [*lanes, "(history)"]}
    return loop.carrier.control.append(
        AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=[0], lanes=known, at_end="flush")
    )


def one_run(wanted: RunSpec, rows: Sequence[tuple[str, Reading]], lanes: Sequence[str]) -> list[tuple[int, str]]:
    """Return the reference's results of one run over `rows`, each with its lane; nothing is flushed."""
    stream = wanted.inputs["readings"].stream.model_dump(mode="json")
    stream |= {"event_time": None, "history": None, "lanes": list(lanes)}
    case = Case(
        "joined",
        wanted.query,
        {"readings": StreamDefinition.model_validate_json(json.dumps(stream))},
        tuple(
            CaseRow(
                "readings",
                lane,
                0,
                {"start": row["at"], "payload": {name: row[name] for name in ("device", "value")}},
            )
            for lane, row in rows
        ),
        EndMode.NONE,
    )
    result = run_case(reference.execute, case)
    assert result.failure is None
    return sorted((event.start, json.dumps(event.payload)) for event in result.events)


def results(home: Path) -> list[Reading]:
    """Return the committed results."""
    return list(committed_lines(home / "results" / "a", "results"))


def contents(home: Path) -> list[tuple[int, str]]:
    """Return the committed results in the form of `one_run`."""
    return sorted((line["start"], json.dumps(line["payload"])) for line in results(home))
