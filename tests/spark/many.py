"""Bindings whose feed stores many keys of substreams or many open edges, over inputs of some batches."""

import json
from pathlib import Path
from typing import Any

from streaming.wire.messages import RunSpec
from tests.spark.specs import spec

ROWS_A_BATCH = 8
DEVICES = 12
SHAPES = {"keys": "point", "edges": "edge"}
"""The state that grows large, and the shape of rows that makes it so."""


def many_spec(what: str, run: str = "a-1", lanes: str = "") -> RunSpec:
    """Return `specs.spec` over `<what>.jsonl`; `lanes`: a letter for each lane, or "" for a single lane."""
    content = json.loads(spec("a", f"{what}.jsonl", run=run).model_dump_json())
    stream = content["inputs"]["readings"]["stream"]
    stream["shape"] = SHAPES[what]
    stream["advance"] |= {"over": "device"} if what == "keys" else {"late": "adjust"}
    stream |= {"lanes": list(lanes)} if lanes else {}
    return RunSpec.model_validate_json(json.dumps(content))


def write_many(home: Path, what: str, batches: int, lanes: str = "") -> None:
    """Write readings of twelve devices, some of them in each batch and some late; edges end batches after they
    start."""
    rows = list(_edges(batches) if what == "edges" else _readings(batches))
    if lanes:
        rows = [{**row, "lane": lanes[int(row["payload"]["value"]) % len(lanes)]} for row in rows]
    (home / f"{what}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _readings(batches: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for number in range(batches * ROWS_A_BATCH):
        start = number * 3 - (80 if number % 7 == 4 else 0)
        payload = {"device": f"d{number * 5 % DEVICES}", "value": number}
        rows.append({"start": start, "payload": payload, "batch": number // ROWS_A_BATCH})
    return rows


def _edges(batches: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for number in range(batches * ROWS_A_BATCH):
        batch = number // ROWS_A_BATCH
        opened = number - ROWS_A_BATCH * 3 // 2
        for of, edge in ((number, "start"), (opened, "end")):
            if of < 0 or (edge == "end" and of % 3 == 0):
                continue
            row = {"edge": edge, "start": of * 3, "payload": {"device": f"d{of % DEVICES}", "value": of // 2 * 2}}
            rows.append({**row, "batch": batch, **({"end": number * 3 + 1} if edge == "end" else {})})
    return rows
