"""Publishing of a committed batch: a manifest for each binding that it touched, then one for the carrier.

The carrier's `commits/<batch>.json` carries the totals of every binding over from the previous batch, so writing it
again after an interrupted attempt gives the same totals.
"""

import time
from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace

from streaming.planning.plan import NotRunnable
from streaming.resume.repairs import give_rows, write_given
from streaming.spark.query.binding import binding_of, journals_of
from streaming.spark.query.blame import blame
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.manifests import (
    MANIFESTS_KEPT,
    RUNS_KEPT,
    Manifest,
    RunChange,
    SavepointWritten,
    manifest_before,
)
from streaming.spark.query.restart_points import POINT_EVERY_TICKS, keep_point, point_of
from streaming.spark.query.savepoints import SavepointHead, assemble, read_head, usable_part
from streaming.spark.query.state_change import StateChange
from streaming.spark.query.totals import BindingTotals, Lanes
from streaming.spark.session.memory import at_hand
from streaming.spark.sink.commit_writing import CommitWriting
from streaming.spark.sink.part_files import RECENT_KEPT, BindingSummary
from streaming.spark.sink.reports import report_of
from streaming.spark.sink.shadow_results import adopt_totals, held_part, note_taken_over, rows_behind
from streaming.spark.source.attempts import end_probe, probed_batch, repeat_without
from streaming.storage.restarts import emits_again, restart_before
from streaming.storage.results import Commit, RunBatches
from streaming.wire.progress import ProgressReport


@dataclass(frozen=True)
class _Publication:
    """The effect of a batch on one generation; `totals` None: nothing of it is left. `commit` is still to be written.

    `repair`: the repair that its commit emits. `says`: to be recorded after its commit counts.
    """

    totals: BindingTotals | None
    read: int = 0
    report: ProgressReport | None = None
    moved: Mapping[str, list[int]] = field(default_factory=dict)
    saved: SavepointWritten | None = None
    change: RunChange | None = None
    commit: bytes | None = None
    says: bool = False


def publish_written(carrier: CarrierFolder, batch: int | None, summaries: Iterable[BindingSummary]) -> None:
    """Publish the output of all tasks; `batch` is None if they wrote nothing: then nothing has to count.

    A probe without any work ends here too, or Spark would commit a batch whose rows nobody read. Raises as `publish`.
    """
    number = probed_batch(carrier) if batch is None else batch
    if number is not None:
        publish(carrier, number, summaries)


def publish(carrier: CarrierFolder, batch: int, summaries: Iterable[BindingSummary]) -> None:
    """Make `batch` count; idempotent, with the carrier's own manifest last.

    Raises `OSError`, `BatchRepeated` if a failed binding has state of this batch, and `ProbePassed`.
    """
    before = manifest_before(carrier.folder, batch)
    merged = {summary.key: summary for summary in _merge(summaries)}
    now = time.time_ns() // 1_000
    done: dict[str, _Publication] = {}
    faults: dict[str, StateChange] = {}
    for key, summary in merged.items():
        try:
            done[key] = _publish_one(carrier, batch, summary, before, now)
        except _Undone as undone:
            faults[key] = undone.change
    if faults:
        _forget_parts(carrier, [merged[key] for key in faults])
        raise repeat_without(carrier, batch, faults)
    content = _manifest(carrier, batch, before, done).to_json()
    end_probe(carrier, batch)
    unwritten = _write_commits(carrier, batch, merged, done)
    late = _note_all_counted(carrier, batch, merged, done)
    if unwritten or late:
        done |= {key: replace(done[key], totals=before.bindings.get(key), report=None) for key in unwritten} | late
        content = _manifest(carrier, batch, before, done, tuple(late)).to_json()
    carrier.folder.write(f"commits/{batch}.json", content)
    for summary in merged.values():
        for name in summary.pieces:
            carrier.folder.remove(name)
    for old in carrier.folder.numbers("commits")[:-MANIFESTS_KEPT]:
        carrier.folder.remove(f"commits/{old}.json")


class _Undone(Exception):
    """A generation has failed, and has state of this batch."""

    def __init__(self, change: StateChange) -> None:
        super().__init__(change.message)
        self.change = change


def _manifest(
    carrier: CarrierFolder,
    batch: int,
    before: Manifest,
    done: Mapping[str, _Publication],
    failed_after: tuple[str, ...] = (),
) -> Manifest:
    bindings = {key: totals for key, totals in before.bindings.items() if not totals.cleared and key not in done}
    bindings |= {key: each.totals for key, each in done.items() if each.totals is not None}
    changes = [each.change for each in done.values() if each.change is not None]
    failed = (key for key, each in done.items() if _has_failed(each))
    return Manifest(
        batch=batch,
        read=sum(each.read for each in done.values()),
        reads=_by_organisation(carrier, done) if carrier.settings.pooled else {},
        bindings=bindings,
        reports=tuple(each.report for each in done.values() if each.report is not None),
        changes=tuple(changes),
        failed=tuple(key for key in failed if key not in failed_after),
        failed_after=failed_after,
        saved=tuple(each.saved for each in done.values() if each.saved is not None),
        moved={key: each.moved for key, each in done.items() if each.moved and carrier.settings.list_ctis},
        runs=_last_changes(before.runs, changes, {totals.run for totals in bindings.values()}),
    )


def _write_commits(
    carrier: CarrierFolder, batch: int, merged: Mapping[str, BindingSummary], done: Mapping[str, _Publication]
) -> list[str]:
    """Write the commits of all generations; return the unwritten ones of generations that failed and have no rows.

    Raises `OSError`, and `BatchRepeated` if another commit could not be written.
    """
    with CommitWriting() as writing:
        for key, each in done.items():
            if each.commit is not None:
                writing.write(key, carrier.results_of(merged[key].entry), f"commits/{batch}.json", each.commit)
    changes = {key: _blame(carrier, key, error) for key, error in writing.failed.items()}
    faults = {key: change for key, change in changes.items() if not _has_failed(done[key])}
    if faults:
        raise repeat_without(carrier, batch, faults)
    return list(changes)


def _note_all_counted(
    carrier: CarrierFolder, batch: int, merged: Mapping[str, BindingSummary], done: Mapping[str, _Publication]
) -> dict[str, _Publication]:
    """Record what commits emit in addition to their own rows; return the failed generations. Raises `OSError`."""
    late: dict[str, _Publication] = {}
    for key, each in done.items():
        if not each.says or _has_failed(each):
            continue
        try:
            _note_counted(carrier, merged[key], batch)
        except Exception as error:  # noqa: BLE001 - a binding's fault ends here, the others continue
            late[key] = replace(each, change=_run_change(carrier, merged[key], _blame(carrier, key, error)))
    return late


def _has_failed(done: _Publication) -> bool:
    return done.change is not None and done.change.state == "failed"


def _note_counted(carrier: CarrierFolder, summary: BindingSummary, batch: int) -> None:
    """Record what the commit of a binding emits in addition to its own rows, now that it counts."""
    spec = carrier.control.added(summary.entry).spec
    if summary.repair is not None:
        write_given(carrier.shared_of(spec.organisation), spec.binding, summary.repair, batch)
    note_taken_over(carrier, summary, batch)


def _blame(carrier: CarrierFolder, key: str, error: Exception) -> StateChange:
    return blame(carrier, key, error, "publishing the results")


def _forget_parts(carrier: CarrierFolder, summaries: Iterable[BindingSummary]) -> None:
    """Remove the parts of bindings that the repeated batch leaves out: no commit will list them."""
    for summary in summaries:
        with suppress(OSError, LookupError):
            for part in summary.parts:
                carrier.results_of(summary.entry).remove(part.path)


def _publish_one(
    carrier: CarrierFolder, batch: int, summary: BindingSummary, before: Manifest, now: int
) -> _Publication:
    """Prepare the effect on one generation. Raises `_Undone` if it fails, and `OSError` for an error of the machine."""
    change = summary.change
    if change is not None and change.undo:
        raise _Undone(change)
    try:
        with at_hand(carrier.local, summary.key, batch):
            return _prepare(carrier, batch, summary, before, now)
    except Exception as error:  # noqa: BLE001 - a binding's fault ends here, the others continue
        found = _blame(carrier, summary.key, error)
        if change is None or change.state != "failed":
            raise _Undone(found) from None
        # It keeps its previous totals, without a report: its state is that of the previous batch.
        return _Publication(before.bindings.get(summary.key), change=_run_change(carrier, summary, change))


def _prepare(carrier: CarrierFolder, batch: int, summary: BindingSummary, before: Manifest, now: int) -> _Publication:
    """Write the restart point and the savepoint of one generation; return its totals, report and commit."""
    spec, change = carrier.control.added(summary.entry).spec, summary.change
    known = before.bindings.get(summary.key)
    start = _first_totals(carrier, summary) if known is None or known.cleared else known
    start = adopt_totals(carrier, start, spec)
    begun = start.begun_by(spec.run, carrier.results_within(spec), before.bindings.values())
    read = _count_received(summary.counts) - _count_received(begun.inputs, only=summary.counts)
    held = held_part(carrier, summary, batch)
    rows = summary.rows + (0 if held is None else held.rows)
    after = begun.with_lanes(summary.counts).with_output(rows, summary.corrections, summary.failures)
    after = replace(after, restart=_restart(carrier, start, after, summary, batch))
    moved: dict[str, list[int]] = {}
    if summary.moved:
        binding = binding_of(carrier, summary.entry)
        ids = {output: binding.bucket_ids[: binding.plan.buckets_at(output)] for output in summary.moved}
        after, moved = after.moved_on(summary.moved, ids)
    pointed = _keep_point(carrier, begun, after, summary, batch)
    if pointed != after.pointed:
        after = replace(after, pointed=pointed)
    saved = _write_savepoint(carrier, summary, after)
    if summary.cleared and change is None:
        return _Publication(None, read, saved=saved)
    if after.cleared != summary.cleared:
        after = replace(after, cleared=summary.cleared)
    report = report_of(carrier, after, summary, batch, now, rows_behind(carrier, spec, after, before.bindings.values()))
    parts = summary.parts if held is None else [*summary.parts, held]
    if summary.repair is not None:
        shared, results = carrier.shared_of(spec.organisation), carrier.results_of(summary.entry)
        parts = [*parts, give_rows(shared, results, spec.binding, summary.repair, batch)]
    commit = Commit(
        batch=batch,
        parts=parts,
        totals={},
        runs=[RunBatches(run=spec.run, first=batch, last=batch, restart=after.restart)],
    )
    return _Publication(
        after,
        read,
        report,
        moved,
        saved,
        change=None if change is None else _run_change(carrier, summary, change),
        commit=commit.with_totals(report.to_json()),
        says=summary.repair is not None or change is not None,
    )


def _restart(
    carrier: CarrierFolder, known: BindingTotals, after: BindingTotals, summary: BindingSummary, batch: int
) -> int | None:
    """Return the batch of the last restart without state: this one, if it is the first to read for such a run."""
    if after.inputs and not known.inputs and emits_again(binding_of(carrier, summary.entry).beginning):
        return batch
    if known.run == after.run or known.restart is not None:
        return known.restart
    return restart_before(carrier.results_of(summary.entry), batch)


def _write_savepoint(carrier: CarrierFolder, summary: BindingSummary, after: BindingTotals) -> SavepointWritten | None:
    """Write the savepoint of a generation, if this batch takes one."""
    if summary.head is None:
        return None
    spec = carrier.control.added(summary.entry).spec
    head = replace(SavepointHead(**summary.head), totals=after.to_json(), run=spec.run)
    head = replace(head, journals=journals_of(carrier, spec))
    assemble(carrier, carrier.shared_of(spec.organisation), head, summary.pieces)
    return SavepointWritten(carrier.control.name_of(spec), head.path)


def _last_changes(
    before: Mapping[str, RunChange], changes: Iterable[RunChange], counted: Set[str]
) -> dict[str, RunChange]:
    """Return run to its last change, newest last: all runs in `counted`, and the last RUNS_KEPT others."""
    runs = dict(before)
    for change in changes:
        runs.pop(change.run, None)
        runs[change.run] = replace(change, detail=None)
    too_many = [run for run in runs if run not in counted][:-RUNS_KEPT]
    for run in too_many:
        del runs[run]
    return runs


def _by_organisation(carrier: CarrierFolder, done: Mapping[str, _Publication]) -> dict[str, int]:
    found: dict[str, int] = {}
    for key, each in done.items():
        name = carrier.organisation_of(key)
        found[name] = found.get(name, 0) + each.read
    return found


def _first_totals(carrier: CarrierFolder, summary: BindingSummary) -> BindingTotals:
    """Return the totals of a new generation: empty, or those of the savepoint that it restores."""
    command = carrier.control.added(summary.entry)
    none = BindingTotals(carrier.control.name_of(command.spec))
    path = command.from_savepoint
    if path is None or (summary.change is not None and summary.change.state == "failed"):
        return none
    head = read_head(carrier.shared_of(command.spec.organisation), path)
    binding = binding_of(carrier, summary.entry)
    keeps = usable_part(head, binding.facts, binding.plan)
    return replace(BindingTotals.of_json(head.totals), binding=none.binding, cleared=False) if keeps == "all" else none


def _merge(summaries: Iterable[BindingSummary]) -> list[BindingSummary]:
    """Return one summary for each generation from those of all tasks; a failure wins over any other change."""
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
        into.change = _later(into.change, each.change)
        into.cleared |= each.cleared
        into.repair = each.repair or into.repair
        into.rows += each.rows
        into.head = each.head or into.head
        into.pieces += each.pieces
        into.recent_results = [*into.recent_results, *each.recent_results][-RECENT_KEPT:]
        into.recent_late = [*into.recent_late, *each.recent_late][-RECENT_KEPT:]
    return [merged[key] for key in sorted(merged)]


def _later(known: StateChange | None, change: StateChange | None) -> StateChange | None:
    """Return the change that wins: one that repeats the batch, else a failure, else the later one."""
    if known is None or change is None:
        return known or change
    return known if known.undo or (known.state == "failed" and not change.undo) else change


def _count_received(inputs: Lanes, *, only: Lanes | None = None) -> int:
    """Return the rows that the lanes of `inputs` have received in total; only the lanes that are also in `only`."""
    return sum(
        report.received
        for name, lanes in inputs.items()
        for lane, report in lanes.items()
        if only is None or lane in only.get(name, {})
    )


def _run_change(carrier: CarrierFolder, summary: BindingSummary, change: StateChange) -> RunChange:
    spec = carrier.control.added(summary.entry).spec
    content = {name: value for name, value in vars(change).items() if name != "undo"}
    return RunChange(carrier.control.name_of(spec), spec.run, **content)


def _keep_point(
    carrier: CarrierFolder, begun: BindingTotals, after: BindingTotals, summary: BindingSummary, batch: int
) -> int:
    """Write a restart point now and then, and one when the run ends, but none while rows are replayed.

    In a batch in which lanes reach CTI infinity, the point has the totals of `begun`, with the windows open then.
    Returns the tick of the last point.
    """
    lanes = [lane for each in summary.counts.values() for lane in each.values()]
    tick = max((lane.tick for lane in lanes), default=0)
    over = summary.change is not None and summary.change.state != "running"
    ended = any(lane.ended for lane in lanes)
    totals = begun if ended else after
    if not totals.inputs:
        return after.pointed  # nothing was read: the point of the previous run counts
    if totals.reads_again or (not over and tick < totals.pointed + POINT_EVERY_TICKS):
        return after.pointed
    try:
        binding = binding_of(carrier, summary.entry)
    except NotRunnable:
        return after.pointed  # it failed because it cannot be planned, and has no state
    spec = binding.added.spec
    if spec.beside:
        return after.pointed  # a shadow run shares the points of the run that it follows
    keep_point(carrier.shared_of(spec.organisation), spec.binding, point_of(binding, totals, batch, flushed=ended))
    return tick
