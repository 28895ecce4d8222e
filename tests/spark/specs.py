"""Bindings for the tests: readings of two devices, some late, as transcript rows cut into batches."""

import json
from pathlib import Path
from typing import Any

from streaming.wire.messages import RunSpec

ROWS_A_BATCH = 4
WINDOW = 10


def write_readings(path: Path, batches: int) -> None:
    """Write rows of two devices over `batches` micro-batches; every fifth row is late, one row of each batch is
    broken."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for number in range(batches * ROWS_A_BATCH):
        start = number * 3 - (40 if number % 5 == 4 else 0)
        row = {"start": start, "payload": {"device": f"d{number % 2}", "value": number}}
        rows.append({**row, "batch": number // ROWS_A_BATCH})
        if number % ROWS_A_BATCH == 1:
            rows.append({"bad": f"broken {number}", "batch": number // ROWS_A_BATCH})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def spec(binding: str, path: str, *, run: str | None = None, final: bool = False, where: str = "true") -> RunSpec:
    """Return count and sum of the readings for each device and 10 us; a CTI every 2 rows, 5 us delay, drop."""
    content = {
        "organisation": "tests",
        "binding": binding,
        "run": run or f"{binding}-1",
        "desired": "running",
        "query": {
            "version": 1,
            "name": "readings",
            "nodes": [
                {"id": "readings", "kind": "input", "stream": "readings"},
                {"id": "some", "kind": "filter", "input": "readings", "where": where},
                {
                    "id": "windows",
                    "kind": "window",
                    "input": "some",
                    "group_by": ["device"],
                    "window": {"kind": "tumbling", "size": f"{WINDOW}us"},
                    "aggregates": [
                        {"name": "n", "function": "count"},
                        {"name": "total", "function": "sum", "of": "value"},
                    ],
                },
                {"id": "out", "kind": "output", "input": "windows"},
            ],
        },
        "inputs": {
            "readings": {
                "stream": {
                    "shape": "point",
                    "fields": {"device": "string", "value": "long"},
                    "advance": {"generate": {"every": 2, "delay": "5us", "final": final}, "late": "drop"},
                },
                "adapter": {"kind": "rows", "options": {"path": path}},
            }
        },
        "results": f"results/{binding}",
    }
    return RunSpec.model_validate_json(json.dumps(content))
