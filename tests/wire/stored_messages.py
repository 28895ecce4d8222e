"""The messages of a release as JSON: `python -m tests.wire.stored_messages FOLDER` writes those of the current code.

Run it once for each release, in a checkout of its tag; the files are never written again (README.md here).
`schemas.json` has the JSON schema of each model, which readers of that release accept.
"""

import json
import sys
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from streaming.adapters.delta.journal import TakenPart
from streaming.adapters.download.snapshot import DownloadNote
from streaming.adapters.file.journal import TakenFile
from streaming.adapters.result_files.delivering import DeliveredMark
from streaming.resume import restart_points as kept
from streaming.resume.lane_positions import LaneState
from streaming.runtime.backup import BackupManifest
from streaming.spark.query import control
from streaming.spark.query.layout import CarrierSettings
from streaming.spark.query.manifests import Manifest, RunChange, SavepointWritten
from streaming.spark.query.totals import BindingTotals, InputTotals, LaneReport, RunCounts
from streaming.storage import refused_requests, results
from streaming.wire import beginning, deliveries, messages, progress, standby

MODELS: Final[dict[str, type[BaseModel]]] = {
    "add_binding": control.AddBinding,
    "backup": BackupManifest,
    "beginning": beginning.RunBeginning,
    "binding_deliveries": deliveries.BindingDeliveries,
    "carrier_settings": CarrierSettings,
    "commit": results.Commit,
    "delivered_mark": DeliveredMark,
    "delivery_mark": deliveries.DeliveryMark,
    "delivery_observed": deliveries.DeliveryObserved,
    "download_note": DownloadNote,
    "forget_binding": control.ForgetBinding,
    "incident": messages.RunIncident,
    "lane_kept": LaneState,
    "late_event": messages.LateEvent,
    "lease": messages.RunnerLease,
    "limits": messages.RunLimits,
    "observed": messages.RunObserved,
    "progress": progress.ProgressReport,
    "refused_request": refused_requests.StoredRefusedRequest,
    "repair_binding": control.RepairBinding,
    "restart_point": kept.RestartPoint,
    "result_row": messages.ResultRow,
    "run_spec": messages.RunSpec,
    "save_binding": control.SaveBinding,
    "standby_answer": standby.StandbyAnswer,
    "standby_stay": standby.StayUp,
    "standby_take": standby.TakeStandby,
    "stop_binding": control.StopBinding,
    "taken_file": TakenFile,
    "taken_part": TakenPart,
}
"""Every message between processes, on Redis, on a socket or on a disk, by the name of its file."""

SPEC: Final[dict[str, Any]] = {
    "organisation": "o1",
    "binding": "b1",
    "run": "r1",
    "desired": "running",
    "query": {
        "version": 1,
        "name": "speeds",
        "nodes": [
            {"id": "cars", "kind": "input", "stream": "cars"},
            {"id": "fast", "kind": "filter", "input": "cars", "where": "speed > 80"},
            {
                "id": "each",
                "kind": "window",
                "input": "fast",
                "group_by": ["plate"],
                "window": {"kind": "hopping", "size": "1m", "hop": "10s"},
                "aggregates": [
                    {"name": "n", "function": "count"},
                    {"name": "fastest", "function": "max", "of": "speed"},
                ],
            },
            {"id": "out", "kind": "output", "input": "each"},
        ],
    },
    "inputs": {
        "cars": {
            "stream": {
                "shape": "point",
                "fields": {"plate": "string", "speed": "double"},
                "event_time": {"start": {"column": "at", "unit": "us"}},
                "advance": {"generate": {"every": 2, "delay": "5us"}, "late": "drop"},
            },
            "adapter": {"kind": "file", "options": {"path": "cars", "follow": True}},
            "advance": {"preset": "watermark(5s)"},
        }
    },
    "results": "results/b1",
    "freshness": 5_000_000,
    "begin": {"kind": "positions", "positions": {"cars": {"0": 7}}},
    "repair": "repair-1",
}
BEGINNING: Final[dict[str, Any]] = {
    "how": "oldest_open",
    "after": "r0",
    "incomplete_before": {"out": 50},
    "until": {"out": 40},
    "alike": ["out"],
    "open_from": 30,
    "open_until": 60,
    "rows_again": 12,
    "sentence": "Rows are read again from the oldest open window on.",
    "lacking": {"out": {"columns": ["n"], "before": 60}},
}
ROW: Final[dict[str, Any]] = {
    "output": "out",
    "start": 10,
    "end": None,
    "payload": {"n": 3},
    "key": "k",
    "pane": {"start": 0, "end": 10, "timing": "early", "index": 0, "is_last": False},
    "incomplete_columns": ["n"],
}
LATE: Final[dict[str, Any]] = {
    "input": "cars",
    "lane": "0",
    "position": 9,
    "start": 4,
    "end": 5,
    "cti": 8,
    "outcome": "dropped_late",
    "reason": None,
    "policy": "drop",
    "moved_by": None,
    "raw": '{"at": 4}',
}
PROGRESS: Final[dict[str, Any]] = {
    "kind": "progress",
    "run": "r1",
    "batch": 7,
    "at": 1_000,
    "inputs": {
        "cars": {
            "received": 5,
            "outcomes": {"on_time": 4, "dropped_late": 1},
            "reasons": {"late": 1},
            "lateness": [0] * progress.LATENESS_BUCKETS,
            "cti": 8,
            "ended": False,
            "largest_start": 12,
        }
    },
    "output_ctis": {"out": 8},
    "results": 3,
    "quarantined": 1,
    "recent_results": [ROW],
    "recent_late": [LATE],
    "batch_s": 0.25,
    "of_run": True,
    "held_back": 100,
    "failures": [
        {
            "node": "fast",
            "field": "where",
            "kind": "division_by_zero",
            "count": 2,
            "text": "1 / speed",
            "example": {"speed": "0"},
        }
    ],
    "failed": 2,
    "beginning": BEGINNING,
    "behind": 3,
}
PART: Final[dict[str, Any]] = {
    "kind": "results",
    "path": "results/part-7-0.jsonl",
    "rows": 3,
    "bytes": 90,
    "merged": [{"batch": 6, "part": 0, "rows": 1, "bytes": 30}, {"batch": 7, "part": 0, "rows": 2, "bytes": 60}],
}
LANE: Final[dict[str, Any]] = {"at": 7, "reach": 12, "clock": {"cti": 8}, "rows": 7}
TARGET: Final[dict[str, Any]] = {
    "identity": "output-1",
    "node": "out",
    "fields": {"n": "long"},
    "adapter": {"kind": "file", "options": {"path": "out"}},
    "revision": 2,
    "waits": "The organisation's files are full.",
}
CONTENTS: Final[dict[str, dict[str, Any]]] = {
    "add_binding": {
        "kind": "add",
        "tick": 5,
        "spec": SPEC,
        "bucket_ids": [3],
        "lanes": {"cars": ["0"]},
        "at_end": "final",
        "from_savepoint": "savepoints/b1.arrow",
        "moving": True,
        "journals": "journals/b1",
    },
    "backup": {
        "format": 1,
        "organisation": "o1",
        "taken_at": "2026-11-27T06:00:00+00:00",
        "layout": 2,
        "files": {"files/cars.csv": "00"},
    },
    "beginning": BEGINNING,
    "binding_deliveries": {"binding": "b1", "results": "results/b1", "targets": [TARGET]},
    "carrier_settings": {"home": "/data/o1", "files": "/data/o1/files", "partitions": 3, "outgoing": {"ports": [443]}},
    "commit": {
        "batch": 7,
        "parts": [PART],
        "totals": {"run": "r1"},
        "first": 6,
        "runs": [{"run": "r1", "first": 6, "last": 7}],
    },
    "delivered_mark": {"delivered": 7, "layout": "jsonl"},
    "delivery_mark": {"delivered": 7, "lost_rows": 1},
    "delivery_observed": {
        "binding": "b1",
        "identity": "output-1",
        "revision": 2,
        "state": "retrying",
        "delivered": 6,
        "delivered_at": 900,
        "cti": 8,
        "ended": False,
        "waiting_rows": 2,
        "waiting_exact": True,
        "waiting_since": 950,
        "lost_rows": 0,
        "domain": "external",
        "message": "The server refuses.",
        "retry_at": 1_200,
        "refused_requests": 1,
        "at": 1_000,
    },
    "download_note": {
        "file": "rows.csv",
        "shown": "https://example.com/rows.csv",
        "options": "00",
        "downloaded_at": "2026-11-27T06:00:00Z",
        "size": 10,
    },
    "forget_binding": {"kind": "forget", "tick": 5, "binding": "b1"},
    "incident": {"run": "r1", "at": 1_000, "what": "worker", "died": "alone"},
    "lane_kept": LANE,
    "late_event": LATE,
    "lease": {"token": "t", "host": "h", "pid": 7, "started_at": 100, "beat_at": 1_000, "session_at": 120},
    "limits": {"events_per_second": 1_000},
    "observed": {
        "kind": "observed",
        "run": "r1",
        "state": "starting",
        "domain": "external",
        "message": "It is tried again.",
        "at": 1_000,
        "step": "planning",
    },
    "progress": PROGRESS,
    "refused_request": {"number": 7, "part": 0, "at": 1_000, "reason": "Too large.", "row_count": 2},
    "repair_binding": {"kind": "repair", "tick": 5, "binding": "b1", "run": "r1", "repair": "repair-1"},
    "restart_point": {
        "batch": 7,
        "run": "r1",
        "shape": "00",
        "flushed": False,
        "inputs": {"cars": {"source": "00", "clock": "00", "lanes": {"0": LANE}, "thins": True}},
        "outputs": {"out": {"cti": 8, "until": 8, "sameness": "00", "forgets": True, "hop": 10}},
    },
    "result_row": ROW,
    "run_spec": SPEC,
    "save_binding": {"kind": "savepoint", "tick": 5, "binding": "b1", "path": "savepoints/b1.arrow", "moving": True},
    "standby_answer": {"state": "waits", "pid": 7},
    "standby_stay": {},
    "standby_take": {"whose": "o1", "told": {"redis": "redis://h:6379/0", "keys": ["k"]}},
    "stop_binding": {"kind": "stop", "tick": 5, "binding": "b1", "flush": True, "discard": True},
    "taken_file": {
        "first": 0,
        "path": "cars/1.csv",
        "modified_ns": 5,
        "size": 90,
        "rows": 7,
        "columns": ["at", "plate"],
        "marks": [{"row": 0, "offset": 9}],
        "tag": "e",
    },
    "taken_part": {
        "first": 0,
        "table": "t",
        "version": 3,
        "number": 0,
        "closed": True,
        "at": 900,
        "rows": 2,
        "path": "part-0.parquet",
        "size": 90,
        "values": {"day": "1"},
        "types": {"day": "long"},
    },
}
"""An instance of each message, with a value for every relevant optional field."""


def message(name: str) -> BaseModel:
    """Return the instance of CONTENTS."""
    return MODELS[name].model_validate_json(json.dumps(CONTENTS[name]))


def manifest() -> Manifest:
    """Return a manifest with an item of each kind."""
    counts = {"received": 5, "outcomes": {"on_time": 5}, "reasons": {}, "lateness": [0] * progress.LATENESS_BUCKETS}
    lane = LaneReport(
        tick=5, held=None, again=False, at=7, reach=12, clock=None, cti=8, ended=False, largest_start=12,
        cti_suppressed=0, due=None, **counts,
    )  # fmt: skip
    since = RunCounts(1, {"cars": InputTotals()})
    totals = BindingTotals("b1", "r1", "results/b1", {"cars": {"0": lane}}, {"out": 8}, results=3, since=since)
    change = RunChange("b1", "r1", "running", message="It runs.")
    return Manifest(
        batch=7,
        read=5,
        bindings={"b1#1": totals},
        reports=(progress.ProgressReport.model_validate(PROGRESS),),
        changes=(change,),
        saved=(SavepointWritten("b2", "savepoints/b2.arrow"),),
        runs={"r1": change},
    )


def main(folder: Path) -> None:
    """Write every message, and the schema of each model."""
    folder.mkdir(parents=True)
    written = {name: json.loads(message(name).model_dump_json()) for name in MODELS}
    (folder / "messages.json").write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    schemas = {name: TypeAdapter(model).json_schema() for name, model in MODELS.items()}
    (folder / "schemas.json").write_text(json.dumps(schemas, separators=(",", ":")) + "\n", encoding="utf-8")
    (folder / "manifest.json").write_bytes(manifest().to_json())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
