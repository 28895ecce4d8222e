"""Making room: deleting the committed results or the quarantine of a binding that does not run."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from streaming.wire.results import PartKind
from streaming.wire.stored import Removed, remove
from webapp.audit.recording import Target, record
from webapp.core.errors import Conflict, NotFound
from webapp.runs.models import Binding, Run, StoredBytes
from webapp.runs.usage import count_anew, measure, rows_folder

Kind = Literal["results", "quarantine"]
PARTS: dict[Kind, PartKind] = {"results": "results", "quarantine": "late"}


@dataclass(frozen=True)
class Kept:
    """What a binding keeps; `exists`: it was not deleted, only its files are left otherwise."""

    stored: StoredBytes
    exists: bool


def kept() -> list[Kept]:
    """Return what each binding keeps, the most first, as it was last measured."""
    names = dict(Binding.objects.values_list("pk", "name"))
    found = []
    for each in StoredBytes.objects.order_by(-(F("result_bytes") + F("quarantine_bytes")), "name"):
        each.name = names.get(each.binding, each.name)
        found.append(Kept(each, each.binding in names))
    return found


def access_stored(binding: UUID) -> StoredBytes:
    """Return what a binding keeps as of now, also what a deleted one left. Raises `NotFound` if absent or not yours."""
    existing = Binding.objects.filter(pk=binding).first()
    found = StoredBytes.objects.filter(binding=binding).first() if existing is None else measure(existing)
    if found is None:
        raise NotFound
    return found


def delete_rows(stored: StoredBytes, kind: Kind) -> Removed:
    """Delete the rows of `kind` that are counted in `stored`. Raises `Conflict` while the binding has an open run.

    Only batches that are committed by now are deleted: a run that is started meanwhile writes later ones.
    """
    if Run.objects.filter(binding=stored.binding, ended_at__isnull=True).exists():
        raise Conflict(f"{stored.name} has a run that has not ended. Stop it first, then delete its {kind}.")
    target = Target("binding", stored.binding, stored.name)
    try:
        removed = remove(rows_folder(stored.binding), PARTS[kind], stored.batch)
    except OSError:  # some may be gone: it is told, and what is left is counted anew
        count_anew(stored)
        record(f"{kind}.deleted", target=target, after={"complete": False})
        raise
    after = {"rows": removed.rows, "files": removed.parts, "bytes": removed.results + removed.late}
    with transaction.atomic():
        StoredBytes.objects.filter(pk=stored.pk).update(
            result_bytes=Greatest(F("result_bytes") - removed.results, 0),
            quarantine_bytes=Greatest(F("quarantine_bytes") - removed.late, 0),
        )
        record(f"{kind}.deleted", target=target, after={**after, "complete": True})
    return removed
