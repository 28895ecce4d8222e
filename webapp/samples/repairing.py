"""Repair of results: the chosen rows are computed like a replay, and stored as a repair for the run to emit."""

from typing import Any
from uuid import uuid4

from streaming.adapters.registry import output_kind
from webapp.accounts.limits.previews import repairing
from webapp.core.errors import Conflict, Faulty
from webapp.runs.access import latest_run
from webapp.runs.models import Binding, Repair
from webapp.runs.outputs.bound_outputs import outputs_of
from webapp.runs.outputs.composing import readers_of
from webapp.runs.repairs.repair_steps import refuse_while_repaired
from webapp.runs.repairs.repairs import RepairSpec, write_repair
from webapp.samples.repair_job import PreparedRepair, prepare_repair
from webapp.samples.replay_bodies import ReplayBody, RowNotCounted
from webapp.samples.replaying import replay_work

READ_BY = (
    "The binding {reader} reads the results of {name}, and an input cannot retract rows. Change the input of {reader} "
    "first, then repair."
)

LATEST_BY = (
    "An output of {name} to {kind} has the key {fields}, without a time. A target that keeps the newest message of "
    "each key would overwrite a newer window with the row of an older one. Add `start` to the key of that output, or "
    "remove the output, then repair."
)


def repair(binding: Binding, body: ReplayBody) -> tuple[Repair, list[RowNotCounted]]:
    """Restore the chosen rows into the results of `binding`; return the repair, and the chosen rows that it leaves out.

    Raises `Faulty` if that is impossible; `Conflict` while another repair is pending, if a binding reads these results,
    or if an output would mistake them for newer ones; and `OverQuota`, `Busy`, `TooMuchWork`, `OSError`.
    """
    refuse_while_repaired(binding)
    readers = readers_of(binding)
    if readers:
        raise Conflict(READ_BY.format(reader=readers[0], name=binding.name))
    _refuse_older_for_newer(binding)
    run = latest_run(binding)
    repair_id = uuid4()
    with replay_work(binding) as work, repairing():
        given = prepare_repair(work, body, str(repair_id))
    if given.prepared is None or run is None:
        raise Faulty(given.faults)
    prepared = given.prepared
    spec = RepairSpec(
        run=run.pk,
        asked=body.model_dump(mode="json", exclude={"binding", "mended", "ids"}, exclude_none=True)
        | ({"ids": len(body.ids)} if body.ids else {}),
        rows=prepared.rows,
        taken=_taken(prepared),
        replaced=prepared.replaced,
        marks=prepared.marks,
    )
    return write_repair(binding, repair_id, spec), prepared.not_taken


def _refuse_older_for_newer(binding: Binding) -> None:
    for each in outputs_of(binding):
        fields = output_kind(each.adapter.kind).latest_by(each.adapter.options)
        if fields:
            named = " and ".join(f"`{field}`" for field in fields)
            raise Conflict(LATEST_BY.format(name=binding.name, kind=each.adapter.kind, fields=named))


def _taken(prepared: PreparedRepair) -> dict[str, Any]:
    return {
        each.id: {
            "late": each.row.late.model_dump(mode="json"),
            "mended": None if each.row.mended is None else each.row.mended.model_dump(mode="json"),
        }
        for each in prepared.taken
    }
