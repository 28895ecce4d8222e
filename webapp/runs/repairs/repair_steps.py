"""The rows of repairs on their way: given by the run that is open, else as a batch behind the last one.

Each step may be made again after a kill. While a run of the binding is open its runner gives the rows, once, with one
of its batches, and leaves a mark. While none is, they are a batch of their own, whose number is noted before it is
written: nothing else takes it, for a run begins only when the repair has been given.
"""

import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.utils import timezone

from streaming.wire.repairs import give_rows, read_given, write_given
from streaming.wire.results import Commit, RunBatches, committed_spans, read_span
from streaming.wire.storage import BlobFolder
from webapp.core.errors import Conflict
from webapp.runs.access import open_run
from webapp.runs.kept_folders import rows_folder, shared_folder
from webapp.runs.models import Binding, Repair
from webapp.runs.storage.usage import measure

logger = logging.getLogger(__name__)

ANOTHER: Final = "A repair of {name} is being given. Wait until it is, then try again."
CANNOT_WRITE: Final = "Its rows cannot be written now; it is tried again. See that the disk of the results is there."
_NOTHING_RECENT: Final[Mapping[str, Any]] = {"recent_results": [], "recent_late": []}


def open_repair(binding: UUID) -> Repair | None:
    """Return the repair of a binding whose rows are not given yet."""
    return Repair.objects.filter(binding=binding, given_at__isnull=True).select_related("binding").first()


def refuse_while_repaired(binding: Binding) -> None:
    """Raise `Conflict` while a repair of `binding` is being given."""
    if open_repair(binding.pk) is not None:
        raise Conflict(ANOTHER.format(name=binding.name))


def bring_on_repairs(now: datetime) -> dict[UUID, str]:
    """Give what no run gives, note what was given; the repairs that runs are to give, by run."""
    wanted = {}
    for repair in Repair.objects.filter(given_at__isnull=True).select_related("binding"):
        if not bring_on(repair, now):
            wanted[repair.run_id] = str(repair.pk)
    return wanted


def finish_repair(binding: Binding) -> None:
    """See that all repairs of `binding`, which has no open run, are given before one begins. Raises `Conflict`."""
    repair = open_repair(binding.pk)
    if repair is not None and not bring_on(repair, timezone.now()):
        refuse_while_repaired(binding)


def bring_on(repair: Repair, now: datetime) -> bool:
    """Make the next step; whether all rows of `repair` are given. It may be asked any number of times."""
    binding = repair.binding
    try:
        shared = shared_folder()
        batch = read_given(shared, str(binding.pk), str(repair.pk))
        if batch is None and open_run(binding) is None:
            batch = _numbered(repair)
            _write(shared, repair, batch)
    except OSError:
        logger.exception("the rows of the repair %s cannot be given", repair.pk)
        Repair.objects.filter(pk=repair.pk).update(failure=CANNOT_WRITE)
        return False
    if batch is None:
        return False
    Repair.objects.filter(pk=repair.pk, given_at__isnull=True).update(batch=batch, given_at=now, failure="")
    measure(binding)
    return True


def _numbered(repair: Repair) -> int:
    """The number of the batch that has the rows, noted before anything is written.

    Of two who would give them at once, a turn and a start, both take the number that was noted first.
    """
    spans = committed_spans(rows_folder(repair.binding_id))
    following = spans[-1].last + 1 if spans else 0
    Repair.objects.filter(pk=repair.pk, batch__isnull=True).update(batch=following)
    repair.refresh_from_db(fields=["batch"])
    return following if repair.batch is None else repair.batch


def _write(shared: BlobFolder, repair: Repair, batch: int) -> None:
    """The same file, whoever writes it and however often; the CTIs are those that were told before."""
    folder, binding, run = rows_folder(repair.binding_id), str(repair.binding_id), str(repair.run_id)
    before = [span for span in committed_spans(folder) if span.last < batch]
    last = read_span(folder, before[-1]) if before else None
    totals = {} if last is None or not last.totals else {**last.totals, "batch": batch, **_NOTHING_RECENT}
    part = give_rows(shared, folder, binding, str(repair.pk), batch)
    commit = Commit(batch=batch, parts=[part], totals=totals, runs=[RunBatches(run=run, first=batch, last=batch)])
    folder.write(f"commits/{batch}.json", commit.model_dump_json().encode())
    write_given(shared, binding, str(repair.pk), batch)
