"""Making room: deleting the committed results or the quarantine of a binding that does not run, and what is left over.

Results of a deleted binding stay until somebody deletes them. What is kept beside its state (`streaming/wire/kept.py`)
serves its next start alone, and goes with it.
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

from streaming.wire.by_run import KeptByRun, kept_by_run
from streaming.wire.kept import KEPT
from streaming.wire.results import PartKind
from streaming.wire.stored import RemovedRows, remove
from webapp.audit.recording import Target, record
from webapp.core.errors import Conflict, NotFound
from webapp.runs.kept_folders import own_folder, rows_beside, rows_folder, shared_folder
from webapp.runs.models import Binding, Run, StoredBytes
from webapp.runs.outputs.composing import still_to_read
from webapp.runs.outputs.deliveries import still_to_bring
from webapp.runs.storage.usage import count_anew, measure

Kind = Literal["results", "quarantine"]
SAVEPOINTS: Final = "savepoints"
QUIET_S: Final = 3_600.0
"""For so long nothing was written of what is deleted though a runner may have had it open."""
_UUID_LENGTH: Final = 36
PARTS: dict[Kind, PartKind] = {"results": "results", "quarantine": "late"}


@dataclass(frozen=True)
class KeptBinding:
    """What a binding keeps; `exists`: it was not deleted, only its files are left otherwise."""

    stored: StoredBytes
    exists: bool


def forget_restart_points(binding: UUID) -> None:
    """Delete what only a next start of `binding` would need, once the transaction that deletes it is committed."""
    folder = shared_folder()
    transaction.on_commit(lambda: folder.clear(f"{KEPT}/{binding}"), robust=True)


def forget_left_over() -> None:
    """Delete what only a next start would need of bindings that are no more: some deletions are broken off.

    Their carriers and savepoints go once nothing of them was changed for an hour: until a dedicated query has rested
    for half a minute its runner has it open.
    """
    shared = shared_folder()
    beside, used, saved = shared.folders(KEPT), list(_carriers()), shared.tags(SAVEPOINTS)
    bindings = {str(pk) for pk in Binding.objects.values_list("pk", flat=True)}
    for name in beside:
        if name not in bindings:
            shared.clear(f"{KEPT}/{name}")
    for path in used:
        if path.name[:_UUID_LENGTH] not in bindings and _unchanged(path):
            shutil.rmtree(path, ignore_errors=True)
    for name, (_, changed_ns) in saved.items():
        if _names_one(name) and name[:_UUID_LENGTH] not in bindings and time.time() - changed_ns / 1e9 > QUIET_S:
            shared.remove(f"{SAVEPOINTS}/{name}")


def _carriers() -> list[Path]:
    """Return the carriers whose names begin with that of a binding."""
    return [path for path in (own_folder() / "carriers").glob("*") if _names_one(path.name)]


def _names_one(name: str) -> bool:
    try:
        UUID(name[:_UUID_LENGTH])
    except ValueError:
        return False
    return True


def _unchanged(path: Path) -> bool:
    """Whether nothing in `path`, and nothing below it, was written for `QUIET_S`."""
    try:
        newest = max(each.stat().st_mtime for each in (path, *path.rglob("*")))
    except OSError:  # somebody writes there
        return False
    return time.time() - newest > QUIET_S


def kept() -> list[KeptBinding]:
    """Return what each binding keeps, the most first, as it was last measured."""
    names = dict(Binding.objects.values_list("pk", "name"))
    found = []
    for each in StoredBytes.objects.order_by(-(F("result_bytes") + F("quarantine_bytes")), "name"):
        each.name = names.get(each.binding, each.name)
        found.append(KeptBinding(each, each.binding in names))
    return found


@dataclass(frozen=True)
class RunKept:
    """What is kept of one run; `run` None where nobody knows which one made the rows. `known`: it is in the list."""

    run: str | None
    known: Run | None
    rows: KeptByRun


def kept_by_runs(binding: UUID) -> list[RunKept]:
    """Return what is kept of each run of a binding, newest first, as it is now; also of a deleted one.

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
    return [RunKept(each.run, runs.get(each.run or ""), each) for each in found]


def access_stored(binding: UUID) -> StoredBytes:
    """Return what a binding keeps as of now, also what a deleted one left. Raises `NotFound` if absent or not yours."""
    existing = Binding.objects.filter(pk=binding).first()
    found = StoredBytes.objects.filter(binding=binding).first() if existing is None else measure(existing)
    if found is None:
        raise NotFound
    return found


def delete_rows(stored: StoredBytes, kind: Kind, run: UUID | None = None) -> RemovedRows:
    """Delete the rows of `kind` that are counted in `stored`; with `run`, of this one alone.

    Raises `Conflict` while results have still to be brought to an output of the binding, and while the run, without one
    any run of the binding, has not ended, and `NotFound` for a run of which the binding keeps nothing. Only batches
    that are committed by now are deleted: a run that is started meanwhile
    writes later ones.
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
    except OSError:  # some may be gone: it is told, and what is left is counted anew
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
            f"Results of {stored.name} have still to be brought to its output {nodes[0]}. Wait until they have "
            "arrived, or remove that output; then delete them."
        )
    if binding is not None and (readers := still_to_read(binding)):
        raise Conflict(
            f"Results of {stored.name} have still to be read by the binding {readers[0]}. Wait until it has read them, "
            "or let it read something else; then delete them."
        )
