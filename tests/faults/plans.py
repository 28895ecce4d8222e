"""Three plans over files with late and broken rows, and the rows to compare after a disturbed run."""

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from streaming.spark.query.binding import adapter_of
from streaming.spark.query.control import AddBinding
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.sink.committed_rows import committed_lines
from streaming.wire.messages import RunSpec

STEP = 10
"""Ticks from one row of an input to the next."""
KEYS = 5
ROWS_A_FILE = 150

_READINGS = {
    "fields": {"device": "string", "value": "long"},
    "event_time": {"start": {"column": "at", "unit": "us"}},
    "advance": {"generate": {"every": 10, "delay": "100us"}, "late": "drop"},
}
_ORDERS = {
    "shape": "interval",
    "fields": {"item": "string", "number": "long"},
    "event_time": {"start": {"column": "at", "unit": "us"}, "end": {"column": "until", "unit": "us"}},
    "advance": {"generate": {"every": 10, "delay": "100us"}, "late": "adjust"},
}
_DELIVERIES = {
    **_ORDERS,
    "fields": {"item": "string", "weight": "long"},
    "advance": {"generate": {"every": 7, "delay": "150us"}, "late": "drop"},
}
_AGGREGATE: list[dict[str, Any]] = [
    {"id": "readings", "kind": "input", "stream": "readings"},
    {
        "id": "windows",
        "kind": "window",
        "input": "readings",
        "group_by": ["device"],
        "window": {"kind": "hopping", "size": "200us", "hop": "50us"},
        "aggregates": [{"name": "n", "function": "count"}, {"name": "total", "function": "sum", "of": "value"}],
    },
    {"id": "out", "kind": "output", "input": "windows"},
]
_JOIN: list[dict[str, Any]] = [
    {"id": "orders", "kind": "input", "stream": "orders"},
    {"id": "deliveries", "kind": "input", "stream": "deliveries"},
    *(
        {"id": kind, "kind": "join", "left": "orders", "right": "deliveries", "keys": ["item"], "type": kind}
        for kind in ("inner", "left_outer")
    ),
    {"id": "paired", "kind": "output", "input": "inner"},
    {"id": "every", "kind": "output", "input": "left_outer"},
]
_SESSIONS: list[dict[str, Any]] = [
    {"id": "readings", "kind": "input", "stream": "readings"},
    {
        "id": "windows",
        "kind": "window",
        "input": "readings",
        "group_by": ["device"],
        "window": {"kind": "session", "gap": "120us"},
        "aggregates": [
            {"name": "n", "function": "count"},
            {"name": "middle", "function": "percentile_cont", "of": "value", "fraction": 0.5},
            {"name": "high", "function": "percentile_disc", "of": "value", "fraction": 0.9},
        ],
    },
    {"id": "out", "kind": "output", "input": "windows"},
]
_STREAMS: Mapping[str, Mapping[str, Any]] = {"readings": _READINGS, "orders": _ORDERS, "deliveries": _DELIVERIES}
_NODES: Mapping[str, list[dict[str, Any]]] = {"aggregate": _AGGREGATE, "join": _JOIN, "sessions": _SESSIONS}
PLANS = tuple(_NODES)

Rows = tuple[list[str], list[str]]
"""Results and quarantine as JSON lines, each sorted: equal to another's if and only if no row is lost or repeated."""


def plan(name: str) -> RunSpec:
    """Return the plan `name` as the only run, `<name>-1`, of a binding of that name."""
    nodes = _NODES[name]
    inputs = [str(node["stream"]) for node in nodes if node["kind"] == "input"]
    content = {
        "organisation": "o1",
        "binding": name,
        "run": f"{name}-1",
        "desired": "running",
        "query": {"version": 1, "name": name, "nodes": nodes},
        "inputs": {
            each: {"stream": _STREAMS[each], "adapter": {"kind": "file", "options": {"path": each}}} for each in inputs
        },
        "results": f"results/{name}",
    }
    return RunSpec.model_validate_json(json.dumps(content))


def write_inputs(home: Path, files: int) -> None:
    """Write `files` files for each input in arrival order: about every fifth row is late, one in fifty is broken."""
    for index, (name, stream) in enumerate(_STREAMS.items()):
        folder = home / name
        folder.mkdir(parents=True)
        chosen = random.Random(index)
        for number in range(files):
            header = ["at", *(["until"] if stream.get("shape") == "interval" else []), *stream["fields"]]
            rows = (_row(chosen, number * ROWS_A_FILE + row, len(header) == 4) for row in range(ROWS_A_FILE))
            lines = "\n".join([",".join(header), *rows])
            (folder / f"{number:04}.csv").write_text(lines + "\n", encoding="utf-8")


def _row(chosen: random.Random, number: int, lasts: bool) -> str:
    if chosen.random() < 0.02:
        return "broken"
    at = number * STEP - (chosen.randrange(400) if chosen.random() < 0.2 else 0)
    times = [at, at + chosen.randrange(1, 300)] if lasts else [at]
    return ",".join(map(str, [*times, f"k{chosen.randrange(KEYS)}", number]))


def carried(carrier: CarrierFolder, spec: RunSpec) -> AddBinding:
    """Return the command that carries `spec` in one bucket to the end of its input."""
    lanes = {name: list(adapter_of(carrier, spec, name, item.stream).lanes()) for name, item in spec.inputs.items()}
    return AddBinding(kind="add", tick=0, spec=spec, bucket_ids=[0], lanes=lanes, at_end="flush")


def rows_of(home: Path, binding: str) -> Rows:
    """Return the committed rows of `binding`."""
    folder = home / "results" / binding
    results, late = committed_lines(folder, "results"), committed_lines(folder, "late")
    return sorted(json.dumps(row) for row in results), sorted(json.dumps(row) for row in late)
