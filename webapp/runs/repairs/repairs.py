"""Repairs of results: how one is written down, and which there are. `repair_steps` gives their rows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from streaming.definition.counts import counted
from streaming.wire.repairs import rows_path
from webapp.audit.recording import record
from webapp.core.context import current_actor
from webapp.core.errors import Conflict
from webapp.runs.access import latest_run
from webapp.runs.audit_targets import target_of
from webapp.runs.kept_folders import shared_folder
from webapp.runs.lifecycle.journal import RunEventKind, note
from webapp.runs.lifecycle.turn_requests import reconcile_soon
from webapp.runs.models import Binding, Repair
from webapp.runs.repairs.repair_steps import ANOTHER

MOST_LISTED: Final = 100
CHANGED: Final = "{name} was started anew meanwhile. See again what would change, then repair."


@dataclass(frozen=True)
class RepairSaid:
    """What a repair is: `rows` to give, and what is kept of it as `Repair` says."""

    run: UUID
    asked: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    taken: Mapping[str, Any]
    replaced: Sequence[str]
    marks: Mapping[str, int]


def write_repair(binding: Binding, repair: UUID, said: RepairSaid) -> Repair:
    """Write the repair of the id `repair` down; its rows are given from now on. Raises `Conflict`, `OSError`."""
    content = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in said.rows)
    shared_folder().write(rows_path(str(binding.pk), str(repair)), content.encode())
    made = Repair(
        id=repair,
        binding=binding,
        run_id=said.run,
        asked=dict(said.asked),
        rows=dict(said.taken),
        taken=list(said.taken),
        replaced=list(said.replaced),
        marks=dict(said.marks),
        by_label=current_actor().label,
        created_at=timezone.now(),
    )
    try:
        with transaction.atomic():
            Binding.objects.select_for_update(of=("self",)).get(pk=binding.pk)
            latest = latest_run(binding)
            if latest is None or latest.pk != said.run:
                raise Conflict(CHANGED.format(name=binding.name))
            made.save()
            note(latest, RunEventKind.REPAIRED, message=_words(said), at=made.created_at)
            after = {"rows": len(said.taken), "results": dict(said.marks), "chosen": dict(said.asked)}
            record("binding.repaired", target=target_of(binding), after={**after, "run": str(said.run)})
    except IntegrityError:
        raise Conflict(ANOTHER.format(name=binding.name)) from None
    reconcile_soon(binding.organisation_id)
    return made


def _words(said: RepairSaid) -> str:
    changed = sum(said.marks.get(mark, 0) for mark in ("changed", "only_here", "missing"))
    rows, results = counted(len(said.taken), "row"), counted(changed, "row")
    return f"Taken back from quarantine: {rows}; of the results that changes {results}."


def listed_repairs(binding: UUID) -> list[Repair]:
    """Return the newest repairs of a binding, at most MOST_LISTED, without their rows."""
    return list(Repair.objects.filter(binding=binding).defer("rows", "replaced")[:MOST_LISTED])


def repairs_of(binding: UUID) -> list[Repair]:
    """Return all repairs of a binding, newest first."""
    return list(Repair.objects.filter(binding=binding))


@dataclass(frozen=True)
class RepairedRows:
    """The repairs of a binding that were given: by their ids, and by the ids of rows that they took, or took back."""

    repairs: Mapping[str, Repair]
    quarantine: Mapping[str, Repair]
    results: Mapping[str, Repair]


def repaired_rows(binding: UUID) -> RepairedRows:
    """Return which rows of a binding were repaired; those of a repair that is being given are not yet."""
    given = list(Repair.objects.filter(binding=binding, given_at__isnull=False).defer("rows"))
    return RepairedRows(
        {str(each.pk): each for each in given},
        {row: each for each in given for row in each.taken},
        {row: each for each in given for row in each.replaced},
    )
