"""A binding whose batches run in this process, with repairs of its results from its quarantine."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings

from streaming.resume.lane_positions import LaneState
from streaming.resume.restart_points import InputState, OutputState, RestartPoint, concealed_spec, facts_of, points_path
from streaming.spark.planning.start_positions import keep_newest_points
from streaming.spark.query.control import AddBinding, RepairBinding, StopBinding
from streaming.spark.sink.committed_rows import committed_lines
from streaming.storage.result_location import noted_location
from streaming.storage.results import Commit, committed_spans, read_span
from streaming.temporal.ticks import parse_instant
from streaming.wire.binding_homes import CARRIERS, FILE, SHARED
from streaming.wire.messages import LateEvent, ResultRow, RunSpec
from tests.spark.loop import Loop
from tests.webapp.conftest import POINTS, Person
from tests.webapp.scene import Scene
from tests.wire.written import write_commit, write_part
from webapp.core.context import organisation_context
from webapp.runs.models import Run

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
Content = Counter[tuple[Any, ...]]


def line(second: float, plate: str, speed: float) -> str:
    return json.dumps({"at": (BEGIN + timedelta(seconds=second)).isoformat(), "plate": plate, "speed": speed})


def advance(delay: str) -> dict[str, Any]:
    return {"generate": {"every": 1, "delay": delay}, "late": "drop"}


def nodes(*middle: dict[str, Any]) -> dict[str, Any]:
    """A query between the input `cars` and the output `out`."""
    first, last = {"kind": "input", "id": "cars", "stream": "cars"}, {"kind": "output", "id": "out"}
    return {"version": 1, "name": "repaired", "nodes": [first, *middle, {**last, "input": middle[-1]["id"]}]}


def window(spec: dict[str, Any], source: str = "cars", **more: Any) -> dict[str, Any]:
    aggregates = [
        {"name": "n", "function": "count"},
        {"name": "total", "function": "sum", "of": "speed"},
        {"name": "top", "function": "max", "of": "speed"},
    ]
    fields = {"kind": "window", "id": "windows", "input": source, "group_by": ["plate"], "window": spec}
    return {**fields, "aggregates": aggregates, **more}


def make_binding(person: Person, graph: dict[str, Any], delay: str = "5s", **stream: Any) -> dict[str, Any]:
    """A binding that reads all files `cars*.jsonl`, also those that come later."""
    options = {"path": "files/", "pattern": "cars*.jsonl", "follow": True, "format": "json_lines"}
    definition = {**POINTS, "advance": advance(delay), **stream}
    body = {"name": "cars", "definition": definition, "adapter": {"kind": "file", "options": options}}
    for path, content in (("streams/", body), ("queries/", {"graph": graph, "comment": ""})):
        answer = person.post(path, content)
        assert answer.status_code == 201, answer.content
    version = answer.json()["current"]["id"]
    made = person.post("bindings/", {"name": "watch", "query_version": version})
    assert made.status_code == 201, made.content
    binding: dict[str, Any] = made.json()
    return binding


def content(rows: Sequence[dict[str, Any]]) -> Content:
    """Return the final rows without the retracted ones."""
    found: Content = Counter()
    for row in rows:
        key = (row["output"], row["start"], row["end"], json.dumps(row["payload"], sort_keys=True))
        found[key] += -1 if row.get("deleted") else 1
    assert all(count >= 0 for count in found.values())
    return +found


def left_to_repair(person: Person, binding: str) -> dict[str, Any]:
    """Start the `binding` of `conftest`, and leave what a runner does that has given a window and found a row late.

    Returns the body that takes the row back.
    """
    answer = person.post(f"bindings/{binding}/start/")
    assert answer.status_code == 201, answer.content
    run = answer.json()["id"]
    home: Path = settings.PUNCTUAL_DATA / str(person.organisation.pk)
    lines = [line(second, "AB 1", 130.0) for second in (1, 20, 2)]
    (home / "files" / "cars.jsonl").write_text("".join(f"{each}\n" for each in lines))
    zero = parse_instant(BEGIN.isoformat())
    at, until = zero + 2_000_000, zero + 10_000_000
    place: dict[str, Any] = {"input": "cars", "lane": "0", "position": 2, "start": at, "end": at + 1, "cti": until}
    why: dict[str, Any] = {"outcome": "dropped_late", "reason": "before_cti", "policy": "drop", "moved_by": None}
    late = LateEvent(**place, **why, raw=lines[2])
    given = ResultRow(output="out", start=zero, end=until, payload={"plate": "AB 1", "n": 1})
    folder = home / "results" / binding
    parts = [write_part(folder, "results", 0, 0, [given]), write_part(folder, "late", 0, 0, [late])]
    write_commit(folder, Commit(batch=0, parts=parts, totals={"run": run}))
    with organisation_context(person.organisation.pk):
        spec = concealed_spec(Run.objects.get(pk=run).read_spec())
    facts = facts_of(spec)
    lanes = {"0": LaneState(at=3, reach=zero + 20_000_001, clock=None)}
    inputs = {"cars": InputState(source=facts.sources["cars"], clock=facts.clocks["cars"], lanes=lanes)}
    out = OutputState(cti=until, until=until, sameness=facts.releases["out"].sameness, forgets=False, hop=10_000_000)
    point = RestartPoint(batch=0, run=run, shape=facts.shape, flushed=False, inputs=inputs, outputs={"out": out})
    path = home / points_path(binding) / "0.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(point.model_dump_json())
    return {"binding": binding}


@dataclass
class Repaired:
    """A run that the loop carries as a runner would."""

    scene: Scene
    loop: Loop
    home: Path

    @classmethod
    def started(
        cls,
        scene: Scene,
        data: Path,
        lines: Sequence[str],
        rows_per_batch: int = 1_000_000,
        *,
        pool: str | None = None,
    ) -> "Repaired":
        """With results where it is noted that they lie; carried by the `pool` if one is named."""
        home = data / scene.organisation
        (home / "files").mkdir(parents=True, exist_ok=True)
        (home / "files" / "cars.jsonl").write_text("".join(f"{each}\n" for each in lines))
        where = str((home if pool is None else data / pool) / CARRIERS / SHARED)
        options: dict[str, Any] = {
            "rows_per_batch": rows_per_batch,
            "files": str(home / "files"),
            "results": noted_location(home),
        }
        if pool is not None:
            options |= {"pooled": True, "files": "files"}
            (home / CARRIERS).mkdir(exist_ok=True)
            (home / CARRIERS / FILE).write_text(json.dumps({scene.binding["id"]: [pool, 0]}))
        made = cls(scene, Loop(home if pool is None else data, where, **options), home)
        made.carry()
        return made

    def carry(self, **changes: Any) -> None:
        spec = self.scene.run.read_spec().model_copy(update=changes)
        command = AddBinding(kind="add", tick=0, spec=spec, bucket_ids=[0], lanes={}, at_end="nothing")
        self.loop.carrier.control.append(command)

    def more(self, name: str, lines: Sequence[str]) -> None:
        """A further file, and the time has come to look for one."""
        self.loop.clock += 60_000_000
        (self.home / "files" / name).write_text("".join(f"{each}\n" for each in lines))

    def run(self) -> None:
        """Read all that there is, and note how far that is."""
        self.loop.run()
        keep_newest_points(self.loop.carrier)

    def stop(self) -> None:
        """Stop the run, and let the web application receive its last reports."""
        binding = self.scene.binding["id"]
        self.loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding=binding, flush=False))
        self.run()
        self.scene.stop()
        self.scene.lease()
        self.scene.report("stopped")
        self.scene.turn()
        assert self.scene.run.observed == "stopped"

    def request_repair(self, **body: Any) -> Any:
        binding = self.scene.binding["id"]
        return self.scene.person.post(f"bindings/{binding}/repairs/", {"binding": binding, **body})

    def repair(self, **body: Any) -> dict[str, Any]:
        answer = self.request_repair(**body)
        assert answer.status_code == 201, answer.content
        made: dict[str, Any] = answer.json()
        return made

    def refused(self, **body: Any) -> str:
        answer = self.request_repair(**body)
        assert answer.status_code in (409, 422), answer.content
        answered = answer.json()
        return str(answered["faults"][0]["message"] if answered["faults"] else answered["message"])

    def tell(self) -> RunSpec:
        """Turn the reconciler, and have its wish commanded as a runner does."""
        self.scene.lease()
        self.scene.turn()
        spec = self.scene.desired()[self.scene.binding["id"]]
        assert spec.repair is not None
        name = self.loop.carrier.control.name_of(spec)
        command = RepairBinding(kind="repair", tick=0, binding=name, run=spec.run, repair=spec.repair)
        self.loop.carrier.control.append(command)
        return spec

    def repairs(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.scene.person.get(f"bindings/{self.scene.binding['id']}/repairs/").json()
        return found

    def rows(self) -> list[dict[str, Any]]:
        own = self.loop.carrier.shared_of(self.scene.organisation)
        folder = own.within(f"results/{self.scene.binding['id']}")
        commits = [read_span(folder, span) for span in committed_spans(folder)]
        parts = [part for each in commits if each is not None for part in each.parts if part.kind == "results"]
        contents = [folder.read(part.path) or b"" for part in parts]
        return [json.loads(row) for content in contents for row in content.splitlines()]

    def stands(self) -> Content:
        return content(self.rows())


def waited(home: Path, spec: RunSpec, lines: Sequence[str], delay: str) -> Content:
    """Return the results of a run that waits for all of `lines`, which are read with a longer delay."""
    (home / "files").mkdir(parents=True, exist_ok=True)
    (home / "files" / "cars.jsonl").write_text("".join(f"{each}\n" for each in lines))
    reported = spec.inputs["cars"]
    stream = reported.stream.model_copy(update={"advance": reported.stream.advance.model_validate(advance(delay))})
    inputs = {"cars": reported.model_copy(update={"stream": stream})}
    loop = Loop(home, files=str(home / "files"))
    command = AddBinding(
        kind="add",
        tick=0,
        spec=spec.model_copy(update={"inputs": inputs, "repair": None}),
        bucket_ids=[0],
        lanes={},
        at_end="nothing",
    )
    loop.carrier.control.append(command)
    loop.run()
    return content(list(committed_lines(home / spec.results, "results")))
