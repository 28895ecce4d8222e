"""The steps that write a repair's rows: by the open run, else as a batch after the last one.

Each step may be repeated after a kill. While a run of the binding is open, its runner writes the rows, once, with one
of its batches, and leaves a mark. Otherwise they are a batch of their own, whose number is stored before it is written.
Nothing else takes that number, because a run starts only when the repair is finished.
"""

import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.utils import timezone

from streaming.resume.repairs import give_rows, read_given, write_given
from streaming.storage.blobs import BlobFolder
from streaming.storage.restarts import restart_before
from streaming.storage.results import Commit, RunBatches, committed_spans, read_span
from webapp.core.errors import Conflict
from webapp.runs.access import open_run
from webapp.runs.kept_folders import rows_folder, shared_folder
from webapp.runs.models import Binding, Repair
from webapp.runs.storage.usage import measure

logger = logging.getLogger(__name__)

ANOTHER: Final = "A repair of {name} is being applied. Wait until it is finished, then try again."
CANNOT_WRITE: Final = (
    "The repair's rows can't be written now. This is retried automatically; check that the storage of results is "
    "available."
)
_NOTHING_RECENT: Final[Mapping[str, Any]] = {"recent_results": [], "recent_late": []}


def open_repair(binding: UUID) -> Repair | None:
    """Return the repair of a binding whose rows are not written yet."""
    return Repair.objects.filter(binding=binding, given_at__isnull=True).select_related("binding").first()


def refuse_while_repaired(binding: Binding) -> None:
    """Raise `Conflict` while a repair of `binding` is being applied."""
    if open_repair(binding.pk) is not None:
        raise Conflict(ANOTHER.format(name=binding.name))


def bring_on_repairs(now: datetime) -> dict[UUID, str]:
    """Advance all repairs, and return those whose rows a run is to write, by run."""
    wanted = {}
    for repair in Repair.objects.filter(given_at__isnull=True).select_related("binding"):
        if not bring_on(repair, now):
            wanted[repair.run_id] = str(repair.pk)
    return wanted


def finish_repair(binding: Binding) -> None:
    """Finish the repairs of `binding`, which has no open run, before a run starts. Raises `Conflict`."""
    repair = open_repair(binding.pk)
    if repair is not None and not bring_on(repair, timezone.now()):
        refuse_while_repaired(binding)


def bring_on(repair: Repair, now: datetime) -> bool:
    """Make the next step of `repair`, and return whether all its rows are written. Safe to repeat."""
    binding = repair.binding
    try:
        shared = shared_folder()
        batch = read_given(shared, str(binding.pk), str(repair.pk))
        if batch is None and open_run(binding) is None:
            batch = _numbered(repair)
            _write(shared, repair, batch)
    except OSError:
        logger.exception("the rows of the repair %s cannot be written", repair.pk)
        Repair.objects.filter(pk=repair.pk).update(failure=CANNOT_WRITE)
        return False
    if batch is None:
        return False
    Repair.objects.filter(pk=repair.pk, given_at__isnull=True).update(batch=batch, given_at=now, failure="")
    measure(binding)
    return True


def _numbered(repair: Repair) -> int:
    """Return the number of the batch for the rows, stored before anything is written.

    A turn and a start that would write them at once both use the number that was stored first.
    """
    spans = committed_spans(rows_folder(repair.binding_id))
    following = spans[-1].last + 1 if spans else 0
    Repair.objects.filter(pk=repair.pk, batch__isnull=True).update(batch=following)
    repair.refresh_from_db(fields=["batch"])
    return following if repair.batch is None else repair.batch


def _write(shared: BlobFolder, repair: Repair, batch: int) -> None:
    """Write the repair's batch: every writer writes the same file; its CTIs are the previous ones."""
    folder, binding, run = rows_folder(repair.binding_id), str(repair.binding_id), str(repair.run_id)
    before = [span for span in committed_spans(folder) if span.last < batch]
    last = read_span(folder, before[-1]) if before else None
    totals = {} if last is None or not last.totals else {**last.totals, "batch": batch, **_NOTHING_RECENT}
    part = give_rows(shared, folder, binding, str(repair.pk), batch)
    runs = [RunBatches(run=run, first=batch, last=batch, restart=restart_before(folder, batch))]
    commit = Commit(batch=batch, parts=[part], totals=totals, runs=runs)
    folder.write(f"commits/{batch}.json", commit.model_dump_json().encode())
    write_given(shared, binding, str(repair.pk), batch)
