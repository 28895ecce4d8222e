"""What is published when a batch commits: a manifest for each binding it touched, then one for the carrier.

`commits/<batch>.json` of the carrier carries the totals of every binding over from the batch before, so writing it
again after an interrupted attempt gives the same totals.
"""

import copy
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from streaming.planning.plan import NotRunnable
from streaming.spark.binding import binding_of, journals_of
from streaming.spark.failures import added_failures, told_failures
from streaming.spark.layout import CarrierFolder
from streaming.spark.moved import moved_over
from streaming.spark.parts import RECENT_KEPT, BindingSummary
from streaming.spark.restart_points import POINT_EVERY_TICKS, keep_point, point_of
from streaming.spark.run_totals import begin_run, counts_of_run
from streaming.spark.savepoints import Head, assemble, goes_on, read_head
from streaming.spark.storage import Folder
from streaming.temporal.outcomes import QUARANTINED
from streaming.temporal.ticks import INFINITY
from streaming.wire.results import Commit, RunBatches

MANIFESTS_KEPT = 100
RUNS_KEPT = 1_000
TICKS_PER_S = 1_000_000
Manifest = dict[str, Any]
"""`batch`, `bindings` (generation key to totals), `reports` (ProgressReport values), `changes` (state changes with
`key`, `binding`, `run`), `failed` (keys), `saved` (savepoints: `binding`, `path`), `read` (rows that it received),
`moved` (key to output to CTIs, if the carrier lists them), `runs` (run to the last change of its state, for the last
RUNS_KEPT runs)."""


def publish(carrier: CarrierFolder, batch: int, summaries: Iterable[BindingSummary]) -> None:
    """Make `batch` count: idempotent, and the carrier's own manifest last. Raises `OSError`."""
    before = _newest_before(carrier.folder, batch)
    known = {key: totals for key, totals in before["bindings"].items() if not totals["cleared"]}
    manifest: Manifest = {"batch": batch, "reports": [], "changes": [], "failed": [], "saved": []}
    manifest |= {"read": 0, "moved": {}}
    now = time.time_ns() // 1_000
    merged = _merged(summaries)
    for summary in merged:
        spec = carrier.control.added(summary.entry).spec
        if summary.key not in known:
            known[summary.key] = _first_totals(carrier, summary)
        totals = known[summary.key]
        begin_run(totals, spec, before["bindings"])
        totals["folder"] = spec.results
        was = _at_its_end(totals, summary)
        manifest["read"] += _received(summary.counts) - _received(totals["inputs"], only=summary.counts)
        moved = _add(carrier, totals, summary)
        if summary.change is not None:
            _note_change(manifest, summary, totals)
        _keep_point(carrier, totals if was is None else was, summary, batch)
        if summary.head is not None:
            head = Head(**summary.head)
            journals = journals_of(spec)
            assemble(carrier, replace(head, totals=totals, journals=journals, run=spec.run), summary.pieces)
            manifest["saved"].append({"binding": spec.binding, "path": head.path})
        if summary.cleared and summary.change is None:
            del known[summary.key]
            continue
        totals["cleared"] = summary.cleared
        failures = told_failures(spec.query, totals.get("failures", []))
        report = _report(_beginning(carrier, summary.entry), totals, summary, batch, now) | failures
        manifest["reports"].append(report)
        if carrier.settings.list_ctis and moved:
            manifest["moved"][summary.key] = moved
        made_by = RunBatches(run=spec.run, first=batch, last=batch)
        commit = Commit(batch=batch, parts=summary.parts, totals=report, runs=[made_by])
        carrier.results_of(summary.entry).write(f"commits/{batch}.json", commit.model_dump_json().encode())
    manifest["bindings"] = known
    manifest["runs"] = _last_changes(before["runs"], manifest["changes"])
    carrier.folder.write(f"commits/{batch}.json", json.dumps(manifest).encode())
    for summary in merged:
        for name in summary.pieces:
            carrier.folder.remove(name)
    for old in carrier.folder.numbers("commits")[:-MANIFESTS_KEPT]:
        carrier.folder.remove(f"commits/{old}.json")


def read_manifest(folder: Folder, batch: int) -> Manifest | None:
    """The carrier's manifest of `batch`, None where it was not committed or is no longer kept."""
    content = folder.read(f"commits/{batch}.json")
    if content is None:
        return None
    manifest: Manifest = json.loads(content)
    return manifest


def failed_in(folder: Folder, batch: int) -> list[str]:
    """The generations that failed in committed `batch`."""
    manifest = read_manifest(folder, batch)
    failed: list[str] = manifest["failed"] if manifest is not None else []
    return failed


def rows_read_in(folder: Folder, batch: int) -> int | None:
    """The rows that all bindings received in committed `batch`; None where that is not known."""
    manifest = read_manifest(folder, batch)
    found: int | None = None if manifest is None else manifest.get("read")
    return found


def newest_manifest(folder: Folder) -> Manifest | None:
    """The last committed manifest, None before the first."""
    numbers = folder.numbers("commits")
    return read_manifest(folder, numbers[-1]) if numbers else None


def _newest_before(folder: Folder, batch: int) -> Manifest:
    older = [number for number in folder.numbers("commits") if number < batch]
    manifest = read_manifest(folder, older[-1]) if older else None
    return {"bindings": {}, "runs": {}} if manifest is None else manifest


def _last_changes(before: Mapping[str, Any], changes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Run to its last change, newest last."""
    runs = dict(before)
    for change in changes:
        runs.pop(change["run"], None)
        runs[change["run"]] = {name: change[name] for name in ("binding", "state", "domain", "message")}
    return dict(list(runs.items())[-RUNS_KEPT:])


def _first_totals(carrier: CarrierFolder, summary: BindingSummary) -> dict[str, Any]:
    """Those of a new generation: none, or those of the savepoint that it begins with."""
    command = carrier.control.added(summary.entry)
    none = {"binding": command.spec.binding, "inputs": {}, "ctis": {}, "results": 0, "cleared": False}
    path = command.from_savepoint
    if path is None or (summary.change is not None and summary.change.state == "failed"):
        return none
    head = read_head(carrier, path)
    binding = binding_of(carrier, summary.entry)
    keeps = goes_on(head, binding.facts, binding.plan)
    return {**none, **head.totals} if keeps == "all" else none


def _merged(summaries: Iterable[BindingSummary]) -> list[BindingSummary]:
    """One summary for each generation, from those of all tasks; a failure counts above any other change."""
    merged: dict[str, BindingSummary] = {}
    for each in summaries:
        into = merged.setdefault(each.key, BindingSummary(each.key, each.entry))
        into.parts += each.parts
        for name, lanes in each.counts.items():
            into.counts.setdefault(name, {}).update(lanes)
        for name, by_bucket in each.moved.items():
            into.moved.setdefault(name, {}).update(by_bucket)
        into.corrections.update(each.corrections)
        into.failures += each.failures
        if each.change is not None and (into.change is None or into.change.state != "failed"):
            into.change = each.change
        into.cleared |= each.cleared
        into.rows += each.rows
        into.head = each.head or into.head
        into.pieces += each.pieces
        into.recent_results = [*into.recent_results, *each.recent_results][-RECENT_KEPT:]
        into.recent_late = [*into.recent_late, *each.recent_late][-RECENT_KEPT:]
    return [merged[key] for key in sorted(merged)]


Lanes = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Input to lane to its counts."""


def _received(inputs: Lanes, *, only: Lanes | None = None) -> int:
    """The rows that the lanes of `inputs` have received in all; of those alone that `only` names too."""
    return sum(
        counts["received"]
        for name, lanes in inputs.items()
        for lane, counts in lanes.items()
        if only is None or lane in only.get(name, {})
    )


def _add(carrier: CarrierFolder, totals: dict[str, Any], summary: BindingSummary) -> dict[str, list[int]]:
    """Add what the batch did to the totals of its binding; the CTIs of outputs that moved."""
    for name, lanes in summary.counts.items():
        known = totals["inputs"].setdefault(name, {})
        for lane, counts in lanes.items():
            known[lane] = {**counts, "reach": _later(known.get(lane, {}).get("reach"), counts["reach"])}
    totals["results"] += summary.rows
    if summary.corrections:
        corrections = {str(bucket): changes for bucket, changes in summary.corrections.items()}
        totals["corrections"] = {**totals.get("corrections", {}), **corrections}
    if summary.failures:
        totals["failures"] = added_failures(totals.get("failures", []), summary.failures)
    if not summary.moved:
        return {}
    binding = binding_of(carrier, summary.entry)
    ids = {output: binding.bucket_ids[: binding.plan.buckets_at(output)] for output in summary.moved}
    return moved_over(totals, summary.moved, ids)


def _later(known: int | None, reach: int | None) -> int | None:
    moments = [each for each in (known, reach) if each is not None]
    return max(moments) if moments else None


def _note_change(manifest: Manifest, summary: BindingSummary, totals: Mapping[str, Any]) -> None:
    change = summary.change
    if change is None:
        return
    who = {"key": summary.key, "binding": totals["binding"], "run": totals["run"]}
    manifest["changes"].append({**who, **asdict(change)})
    if change.state == "failed":
        manifest["failed"].append(summary.key)


def _at_its_end(totals: Mapping[str, Any], summary: BindingSummary) -> dict[str, Any] | None:
    """The totals of before a batch in which lanes come to CTI infinity: what was open then; None for other batches."""
    ended = any(lane["ended"] for lanes in summary.counts.values() for lane in lanes.values())
    return copy.deepcopy(dict(totals)) if ended else None


def _keep_point(carrier: CarrierFolder, totals: dict[str, Any], summary: BindingSummary, batch: int) -> None:
    """Keep a restart point now and then, and one when the run ends; none while it reads what was read before."""
    lanes = [lane for each in summary.counts.values() for lane in each.values()]
    if any(lane.get("again") for each in totals["inputs"].values() for lane in each.values()):
        return
    tick = max((lane["tick"] for lane in lanes), default=0)
    over = summary.change is not None and summary.change.state != "running"
    if not over and tick < totals.get("pointed", 0) + POINT_EVERY_TICKS:
        return
    try:
        binding = binding_of(carrier, summary.entry)
    except NotRunnable:
        return  # it failed because it cannot be planned, and keeps nothing
    ended = any(lane["ended"] for lane in lanes)
    point = point_of(binding, totals, batch, flushed=ended)
    if point is not None:
        keep_point(carrier, totals["binding"], point)
        totals["pointed"] = tick


def _beginning(carrier: CarrierFolder, entry: int) -> dict[str, Any] | None:
    try:
        found = binding_of(carrier, entry).beginning
    except NotRunnable:
        return None
    return None if found is None else found.model_dump(mode="json")


def _report(
    beginning: dict[str, Any] | None, totals: Mapping[str, Any], summary: BindingSummary, batch: int, now: int
) -> dict[str, Any]:
    """A ProgressReport as JSON values."""
    counts = counts_of_run(totals)
    inputs = counts["inputs"]
    lanes = [lane for each in summary.counts.values() for lane in each.values()]
    ticks = [lane["tick"] for lane in lanes]
    refused = {str(outcome) for outcome in QUARANTINED}
    return {
        "kind": "progress",
        "run": totals["run"],
        "batch": batch,
        "at": now,
        "inputs": inputs,
        "output_ctis": {output: None if cti == INFINITY else cti for output, cti in totals["ctis"].items()},
        "results": counts["results"],
        "quarantined": sum(
            count for each in inputs.values() for outcome, count in each["outcomes"].items() if outcome in refused
        ),
        "recent_results": summary.recent_results,
        "recent_late": summary.recent_late,
        "of_run": "since" in totals,
        "batch_s": max(0, now - min(ticks)) / TICKS_PER_S if ticks else 0.0,
        "held_back": max((lane["held"] for lane in lanes if lane["held"] is not None), default=None),
        "beginning": beginning,
        "reading_again": any(lane.get("again") for lane in lanes),
    }
