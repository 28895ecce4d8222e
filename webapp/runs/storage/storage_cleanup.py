"""Freeing storage: deletes committed results or quarantine of a binding without open runs, and leftovers.

Results of a deleted binding stay until somebody deletes them. Its saved state (`streaming/resume/restart_points.py`)
only serves its next start, and is deleted with it.
"""

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from streaming.resume.restart_points import KEPT
from streaming.storage.by_run import KeptByRun, kept_by_run
from streaming.storage.results import PartKind
from streaming.storage.stored import RemovedRows, remove
from webapp.audit.models import AuditEvent
from webapp.audit.recording import Target, record
from webapp.core.errors import Conflict, NotFound
from webapp.runs.audit_targets import BINDING_DELETED
from webapp.runs.kept_folders import own_folder, rows_beside, rows_folder, shared_folder
from webapp.runs.models import Binding, Run, StoredBytes
from webapp.runs.outputs.composing import still_to_read
from webapp.runs.outputs.deliveries import still_to_bring
from webapp.runs.storage.usage import count_anew, measure

Kind = Literal["results", "quarantine"]
SAVEPOINTS: Final = "savepoints"
QUIET_S: Final = 3_600.0
"""The time without writes after which files are deleted that a runner may have had open."""
_UUID_LENGTH: Final = 36
PARTS: dict[Kind, PartKind] = {"results": "results", "quarantine": "late"}


@dataclass(frozen=True)
class KeptBinding:
    """The stored data of a binding; `exists` is false for a deleted binding, whose files are left."""

    stored: StoredBytes
    exists: bool


def forget_restart_points(binding: UUID) -> None:
    """Delete the state that only a next start of `binding` would need, once the transaction that deletes it commits."""
    folder = shared_folder()
    transaction.on_commit(lambda: folder.clear(f"{KEPT}/{binding}"), robust=True)


def forget_left_over() -> None:
    """Delete the state that only a next start of deleted bindings would need: some deletions are interrupted.

    A binding counts as deleted if the audit log has its deletion. State of a binding that is only on disk is kept: the
    database may be a restored copy from before the binding existed.

    Carriers and savepoints are deleted once nothing in them has changed for an hour: a runner has those of a dedicated
    query open until the query has been idle for half a minute.
    """
    shared = shared_folder()
    beside, used, saved = shared.folders(KEPT), list((own_folder() / "carriers").glob("*")), shared.tags(SAVEPOINTS)
    deleted = _deleted({name[:_UUID_LENGTH] for name in (*beside, *saved, *(path.name for path in used))})
    for name in beside:
        if name in deleted:
            shared.clear(f"{KEPT}/{name}")
    for path in used:
        if path.name[:_UUID_LENGTH] in deleted and _unchanged(path):
            shutil.rmtree(path, ignore_errors=True)
    for name, (_, changed_ns) in saved.items():
        if name[:_UUID_LENGTH] in deleted and time.time() - changed_ns / 1e9 > QUIET_S:
            shared.remove(f"{SAVEPOINTS}/{name}")


def _deleted(names: set[str]) -> set[str]:
    """Return those of `names` that are ids of deleted bindings."""
    events = AuditEvent.objects.filter(action=BINDING_DELETED, target_kind="binding", target_id__in=names)
    found = {each for each in events.values_list("target_id", flat=True) if each is not None}
    return found - {str(pk) for pk in Binding.objects.filter(pk__in=found).values_list("pk", flat=True)}


def _unchanged(path: Path) -> bool:
    """Return whether nothing at or below `path` was written for `QUIET_S`."""
    try:
        newest = max(each.stat().st_mtime for each in (path, *path.rglob("*")))
    except OSError:  # another process writes there
        return False
    return time.time() - newest > QUIET_S


def stored_bindings() -> list[KeptBinding]:
    """Return the stored data of each binding, largest first, as last measured."""
    names = dict(Binding.objects.values_list("pk", "name"))
    found = []
    for each in StoredBytes.objects.order_by(-(F("result_bytes") + F("quarantine_bytes")), "name"):
        each.name = names.get(each.binding, each.name)
        found.append(KeptBinding(each, each.binding in names))
    return found


@dataclass(frozen=True)
class StoredRun:
    """The stored data of one run; `run` None if nobody knows which run made the rows. `known`: its row in the list."""

    run: str | None
    known: Run | None
    rows: KeptByRun


def kept_by_runs(binding: UUID) -> list[StoredRun]:
    """Return the stored data of each run of a binding, newest first, as it is now; also of a deleted binding.

    Raises `NotFound` if absent or not yours.
    """
    ours = Binding.objects.filter(pk=binding).exists() or StoredBytes.objects.filter(binding=binding).exists()
    if not ours:
        raise NotFound
    found = kept_by_run(rows_folder(binding))
    known = Run.objects.filter(pk__in=[each.run for each in found if each.run]).only(
        "created_at", "query_version", "ended_at"
    )
    runs = {str(run.pk): run for run in known}
    return [StoredRun(each.run, runs.get(each.run or ""), each) for each in found]


def access_stored(binding: UUID) -> StoredBytes:
    """Return the stored data of a binding as of now, even a deleted one. Raises `NotFound` if absent or not yours."""
    existing = Binding.objects.filter(pk=binding).first()
    found = StoredBytes.objects.filter(binding=binding).first() if existing is None else measure(existing)
    if found is None:
        raise NotFound
    return found


def delete_rows(stored: StoredBytes, kind: Kind, run: UUID | None = None) -> RemovedRows:
    """Delete the rows of `kind` that `stored` counts; with `run`, those of this run only.

    Raises `Conflict` while results are still to be delivered to an output of the binding, and while the run (without
    `run`: any run of the binding) is open; `NotFound` for a run without stored rows. Only batches that
    are committed by now are deleted: a run that starts during the deletion writes later ones.
    """
    writing = Run.objects.filter(binding=stored.binding, ended_at__isnull=True)
    if (writing if run is None else writing.filter(pk=run)).exists():
        raise Conflict(f"{stored.name} has a run that has not ended. Stop it first, then delete its {kind}.")
    _refuse_undelivered(stored, kind)
    if run is not None and all(each.run != str(run) for each in kept_by_run(rows_folder(stored.binding))):
        raise NotFound
    target = Target("binding", stored.binding, stored.name)
    of_run = {} if run is None else {"run": str(run)}
    try:
        folder, beside = rows_folder(stored.binding), rows_beside(stored.binding)
        removed = remove(folder, PARTS[kind], stored.batch, of_run.get("run"), beside=beside)
    except OSError:  # some rows may be gone: record that, and count the rest again
        count_anew(stored)
        record(f"{kind}.deleted", target=target, after={**of_run, "complete": False})
        raise
    after = {**of_run, "rows": removed.rows, "files": removed.parts, "bytes": removed.results + removed.late}
    with transaction.atomic():
        StoredBytes.objects.filter(pk=stored.pk).update(
            result_bytes=Greatest(F("result_bytes") - removed.results, 0),
            quarantine_bytes=Greatest(F("quarantine_bytes") - removed.late, 0),
        )
        record(f"{kind}.deleted", target=target, after={**after, "complete": True})
    return removed


def _refuse_undelivered(stored: StoredBytes, kind: Kind) -> None:
    binding = Binding.objects.filter(pk=stored.binding).first() if kind == "results" else None
    if binding is not None and (nodes := still_to_bring(binding)):
        raise Conflict(
            f"Some results of {stored.name} have not been delivered to its output {nodes[0]}. Wait until they have "
            "been, or remove that output; then delete them."
        )
    if binding is not None and (readers := still_to_read(binding)):
        raise Conflict(
            f"The binding {readers[0]} has not read all results of {stored.name}. Wait until it has, or let it read "
            "something else; then delete them."
        )
