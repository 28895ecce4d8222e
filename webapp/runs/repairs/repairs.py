"""Repairs of results: writing and listing them. `repair_steps` writes their rows."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from streaming.definition.counts import counted
from streaming.resume.repairs import rows_path
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
from webapp.runs.states import IN_NO_RESULT

MOST_LISTED: Final = 100
CHANGED: Final = "{name} was started again since this preview. Preview the repair again, then apply it."


@dataclass(frozen=True)
class RepairSpec:
    """A repair to write: its result `rows`, and the fields of the same names in `Repair`."""

    run: UUID
    asked: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    taken: Mapping[str, Any]
    replaced: Sequence[str]
    marks: Mapping[str, int]


def write_repair(binding: Binding, repair: UUID, spec: RepairSpec) -> Repair:
    """Store the repair with the id `repair`; its rows are applied from now on. Raises `Conflict`, `OSError`."""
    content = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in spec.rows)
    shared_folder().write(rows_path(str(binding.pk), str(repair)), content.encode())
    made = Repair(
        id=repair,
        binding=binding,
        run_id=spec.run,
        asked=dict(spec.asked),
        rows=dict(spec.taken),
        taken=list(spec.taken),
        lost=_lost(spec.taken),
        replaced=list(spec.replaced),
        marks=dict(spec.marks),
        by_label=current_actor().label,
        created_at=timezone.now(),
    )
    try:
        with transaction.atomic():
            Binding.objects.select_for_update(of=("self",)).get(pk=binding.pk)
            latest = latest_run(binding)
            if latest is None or latest.pk != spec.run:
                raise Conflict(CHANGED.format(name=binding.name))
            made.save()
            note(latest, RunEventKind.REPAIRED, message=_words(spec), at=made.created_at)
            after = {"rows": len(spec.taken), "results": dict(spec.marks), "chosen": dict(spec.asked)}
            record("binding.repaired", target=target_of(binding), after={**after, "run": str(spec.run)})
    except IntegrityError:
        raise Conflict(ANOTHER.format(name=binding.name)) from None
    reconcile_soon(binding.organisation_id)
    return made


def _lost(taken: Mapping[str, Any]) -> dict[str, int]:
    """Return how many of the rows had been in no result, by the batch at the start of their ids."""
    lost = Counter(row.partition("-")[0] for row, each in taken.items() if each["late"]["outcome"] in IN_NO_RESULT)
    return dict(lost)


def _words(spec: RepairSpec) -> str:
    changed = sum(spec.marks.get(mark, 0) for mark in ("changed", "only_here", "missing"))
    rows, results = counted(len(spec.taken), "row"), counted(changed, "row")
    return f"{rows} from quarantine repaired; {results} of the results changed."


def listed_repairs(binding: UUID) -> list[Repair]:
    """Return the newest repairs of a binding, at most MOST_LISTED, without their rows."""
    return list(Repair.objects.filter(binding=binding).defer("rows", "replaced")[:MOST_LISTED])


def repairs_of(binding: UUID) -> list[Repair]:
    """Return all repairs of a binding, newest first."""
    return list(Repair.objects.filter(binding=binding))


@dataclass(frozen=True)
class RepairedRows:
    """The applied repairs of a binding: by their ids, and by the ids of rows that they repaired or retracted."""

    repairs: Mapping[str, Repair]
    quarantine: Mapping[str, Repair]
    results: Mapping[str, Repair]


def repaired_rows(binding: UUID) -> RepairedRows:
    """Return the repaired rows of a binding, without those of a repair that is still being applied."""
    given = list(Repair.objects.filter(binding=binding, given_at__isnull=False).defer("rows"))
    return RepairedRows(
        {str(each.pk): each for each in given},
        {row: each for each in given for row in each.taken},
        {row: each for each in given for row in each.replaced},
    )
