"""What is published when a batch commits: a manifest for each binding it touched, then one for the carrier.

`commits/<batch>.json` of the carrier carries the totals of every binding over from the batch before, so writing it
again after an interrupted attempt gives the same totals.
"""

import time
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any, Final

from streaming.planning.plan import NotRunnable
from streaming.spark.binding import binding_of, journals_of
from streaming.spark.commit_writing import CommitWriting
from streaming.spark.failures import told_failures
from streaming.spark.held import carried_on, held_part, note_taken_over, rows_behind
from streaming.spark.layout import CarrierFolder
from streaming.spark.manifests import MANIFESTS_KEPT, RUNS_KEPT, Manifest, RunChange, SavepointWritten, manifest_before
from streaming.spark.part_files import RECENT_KEPT, BindingSummary
from streaming.spark.restart_points import POINT_EVERY_TICKS, keep_point, point_of
from streaming.spark.savepoints import SavepointHead, assemble, goes_on, read_head
from streaming.spark.totals import BindingTotals, Lanes
from streaming.temporal.outcomes import QUARANTINED
from streaming.temporal.ticks import INFINITY
from streaming.wire.repairs import give_rows, write_given
from streaming.wire.results import Commit, RunBatches

TICKS_PER_S: Final = 1_000_000


@dataclass(frozen=True)
class _Published:
    """What a batch did with one generation; `totals` None: nothing of it is left."""

    totals: BindingTotals | None
    read: int
    report: Mapping[str, Any] | None = None
    moved: Mapping[str, list[int]] = field(default_factory=dict)
    saved: SavepointWritten | None = None


def publish(carrier: CarrierFolder, batch: int, summaries: Iterable[BindingSummary]) -> None:
    """Make `batch` count: idempotent, and the carrier's own manifest last. Raises `OSError`."""
    before = manifest_before(carrier.folder, batch)
    known = {key: totals for key, totals in before.bindings.items() if not totals.cleared}
    now = time.time_ns() // 1_000
    merged = _merged(summaries)
    with CommitWriting() as writing:
        done = {summary.key: _published(carrier, batch, summary, before, now, writing) for summary in merged}
    bindings = known | {key: each.totals for key, each in done.items() if each.totals is not None}
    changes = [change for summary in merged if (change := _change(carrier, summary)) is not None]
    manifest = Manifest(
        batch=batch,
        read=sum(each.read for each in done.values()),
        reads=_by_organisation(carrier, done) if carrier.settings.pooled else {},
        bindings={key: totals for key, totals in bindings.items() if key not in done or done[key].totals is not None},
        reports=tuple(each.report for each in done.values() if each.report is not None),
        changes=tuple(changes),
        failed=tuple(each.key for each in merged if each.change is not None and each.change.state == "failed"),
        saved=tuple(each.saved for each in done.values() if each.saved is not None),
        moved={key: each.moved for key, each in done.items() if each.moved and carrier.settings.list_ctis},
        runs=_last_changes(before.runs, changes, {totals.run for totals in bindings.values()}),
    )
    carrier.folder.write(f"commits/{batch}.json", manifest.to_json())
    for summary in merged:
        for name in summary.pieces:
            carrier.folder.remove(name)
    for old in carrier.folder.numbers("commits")[:-MANIFESTS_KEPT]:
        carrier.folder.remove(f"commits/{old}.json")


def _published(
    carrier: CarrierFolder, batch: int, summary: BindingSummary, before: Manifest, now: int, writing: CommitWriting
) -> _Published:
    """Write what one generation did: its restart point, its savepoint, and, when `writing` ends, its commit."""
    spec = carrier.control.added(summary.entry).spec
    known = before.bindings.get(summary.key)
    start = _first_totals(carrier, summary) if known is None or known.cleared else known
    begun = carried_on(carrier, start, spec).begun_by(spec.run, carrier.results_within(spec), before.bindings.values())
    read = _received(summary.counts) - _received(begun.inputs, only=summary.counts)
    held = held_part(carrier, summary, batch)
    rows = summary.rows + (0 if held is None else held.rows)
    after = begun.with_lanes(summary.counts).with_output(rows, summary.corrections, summary.failures)
    moved: dict[str, list[int]] = {}
    if summary.moved:
        binding = binding_of(carrier, summary.entry)
        ids = {output: binding.bucket_ids[: binding.plan.buckets_at(output)] for output in summary.moved}
        after, moved = after.moved_on(summary.moved, ids)
    pointed = _keep_point(carrier, begun, after, summary, batch)
    if pointed != after.pointed:
        after = replace(after, pointed=pointed)
    saved = None
    if summary.head is not None:
        head = replace(SavepointHead(**summary.head), totals=after.to_json(), run=spec.run)
        head = replace(head, journals=journals_of(carrier, spec))
        assemble(carrier, carrier.shared_of(spec.organisation), head, summary.pieces)
        saved = SavepointWritten(carrier.control.name_of(spec), head.path)
    if summary.cleared and summary.change is None:
        return _Published(None, read, saved=saved)
    if after.cleared != summary.cleared:
        after = replace(after, cleared=summary.cleared)
    report = _report(_beginning(carrier, summary.entry), after, summary, batch, now)
    report |= told_failures(spec.query, after.failures) | {
        "behind": rows_behind(carrier, spec, after, before.bindings.values())
    }
    shared, results = carrier.shared_of(spec.organisation), carrier.results_of(summary.entry)
    parts, repair = summary.parts if held is None else [*summary.parts, held], summary.repair
    if repair is not None:
        parts = [*parts, give_rows(shared, results, spec.binding, repair, batch)]
    commit = Commit(batch=batch, parts=parts, totals=report, runs=[RunBatches(run=spec.run, first=batch, last=batch)])
    content = commit.model_dump_json().encode()
    if repair is None and summary.change is None:
        writing.write(results, f"commits/{batch}.json", content)
        return _Published(after, read, report, moved, saved)
    results.write(f"commits/{batch}.json", content)  # here, because what follows says that it counts
    if repair is not None:
        write_given(shared, spec.binding, repair, batch)
    note_taken_over(carrier, summary, batch)
    return _Published(after, read, report, moved, saved)


def _last_changes(
    before: Mapping[str, RunChange], changes: Iterable[RunChange], counted: Set[str]
) -> dict[str, RunChange]:
    """Run to its last change, newest last: of all that are `counted`, and the last RUNS_KEPT others."""
    runs = dict(before)
    for change in changes:
        runs.pop(change.run, None)
        runs[change.run] = replace(change, detail=None)
    too_many = [run for run in runs if run not in counted][:-RUNS_KEPT]
    for run in too_many:
        del runs[run]
    return runs


def _by_organisation(carrier: CarrierFolder, done: Mapping[str, _Published]) -> dict[str, int]:
    found: dict[str, int] = {}
    for key, each in done.items():
        name = carrier.organisation_of(key)
        found[name] = found.get(name, 0) + each.read
    return found


def _first_totals(carrier: CarrierFolder, summary: BindingSummary) -> BindingTotals:
    """Those of a new generation: none, or those of the savepoint that it begins with."""
    command = carrier.control.added(summary.entry)
    none = BindingTotals(carrier.control.name_of(command.spec))
    path = command.from_savepoint
    if path is None or (summary.change is not None and summary.change.state == "failed"):
        return none
    head = read_head(carrier.shared_of(command.spec.organisation), path)
    binding = binding_of(carrier, summary.entry)
    keeps = goes_on(head, binding.facts, binding.plan)
    return replace(BindingTotals.of_json(head.totals), binding=none.binding, cleared=False) if keeps == "all" else none


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
        into.repair = each.repair or into.repair
        into.rows += each.rows
        into.head = each.head or into.head
        into.pieces += each.pieces
        into.recent_results = [*into.recent_results, *each.recent_results][-RECENT_KEPT:]
        into.recent_late = [*into.recent_late, *each.recent_late][-RECENT_KEPT:]
    return [merged[key] for key in sorted(merged)]


def _received(inputs: Lanes, *, only: Lanes | None = None) -> int:
    """The rows that the lanes of `inputs` have received in all; of those alone that `only` names too."""
    return sum(
        report.received
        for name, lanes in inputs.items()
        for lane, report in lanes.items()
        if only is None or lane in only.get(name, {})
    )


def _change(carrier: CarrierFolder, summary: BindingSummary) -> RunChange | None:
    change, spec = summary.change, carrier.control.added(summary.entry).spec
    return None if change is None else RunChange(carrier.control.name_of(spec), spec.run, **vars(change))


def _keep_point(
    carrier: CarrierFolder, begun: BindingTotals, after: BindingTotals, summary: BindingSummary, batch: int
) -> int:
    """Keep a restart point now and then, and one when the run ends; none while it reads what was read before.

    In a batch in which lanes come to CTI infinity it is of the totals `begun` with: what was open then. Returns the
    tick of the last point.
    """
    lanes = [lane for each in summary.counts.values() for lane in each.values()]
    tick = max((lane.tick for lane in lanes), default=0)
    over = summary.change is not None and summary.change.state != "running"
    ended = any(lane.ended for lane in lanes)
    totals = begun if ended else after
    if totals.reads_again or (not over and tick < totals.pointed + POINT_EVERY_TICKS):
        return after.pointed
    try:
        binding = binding_of(carrier, summary.entry)
    except NotRunnable:
        return after.pointed  # it failed because it cannot be planned, and keeps nothing
    spec = binding.added.spec
    if spec.beside:
        return after.pointed  # they are those of the run beside which it reads
    keep_point(carrier.shared_of(spec.organisation), spec.binding, point_of(binding, totals, batch, flushed=ended))
    return tick


def _beginning(carrier: CarrierFolder, entry: int) -> dict[str, Any] | None:
    try:
        found = binding_of(carrier, entry).beginning
    except NotRunnable:
        return None
    return None if found is None else found.model_dump(mode="json")


def _report(
    beginning: dict[str, Any] | None, totals: BindingTotals, summary: BindingSummary, batch: int, now: int
) -> dict[str, Any]:
    """A ProgressReport as JSON values."""
    counts = totals.of_run
    lanes = [lane for each in summary.counts.values() for lane in each.values()]
    ticks = [lane.tick for lane in lanes]
    refused = {str(outcome) for outcome in QUARANTINED}
    return {
        "kind": "progress",
        "run": totals.run,
        "batch": batch,
        "at": now,
        "inputs": {name: vars(each) for name, each in counts.inputs.items()},
        "output_ctis": {output: None if cti == INFINITY else cti for output, cti in totals.ctis.items()},
        "results": counts.results,
        "quarantined": sum(
            count for each in counts.inputs.values() for outcome, count in each.outcomes.items() if outcome in refused
        ),
        "recent_results": summary.recent_results,
        "recent_late": summary.recent_late,
        "of_run": True,
        "batch_s": max(0, now - min(ticks)) / TICKS_PER_S if ticks else 0.0,
        "held_back": max((lane.held for lane in lanes if lane.held is not None), default=None),
        "beginning": beginning,
        "reading_again": any(lane.again for lane in lanes),
    }
