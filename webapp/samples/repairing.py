"""Repairing results: what is chosen is computed as a replay computes it, and written down to be given."""

from typing import Any
from uuid import uuid4

from streaming.adapters.registry import output_kind
from webapp.accounts.previews import previewing
from webapp.core.errors import Conflict, Faulty
from webapp.runs.access import latest_run
from webapp.runs.models import Binding, Repair
from webapp.runs.outputs.bound_outputs import outputs_of
from webapp.runs.outputs.composing import readers_of
from webapp.runs.repairs.repair_steps import refuse_while_repaired
from webapp.runs.repairs.repairs import RepairSaid, write_repair
from webapp.samples.repair_job import PreparedRepair, prepare_repair
from webapp.samples.replay_bodies import ReplayBody, RowNotCounted
from webapp.samples.replaying import replay_work

READ_BY = (
    "The binding {reader} reads the results of {name}, and no input can take back what it has given. Let {reader} read "
    "something else, then repair."
)

LATEST_BY = (
    "An output of {name} to {kind} has the key {fields}, without a time: whoever keeps the newest message of a key "
    "would have the corrected row of an old window in place of a newer one. Add `start` to the key of that output, or "
    "remove it, then repair."
)


def repair(binding: Binding, body: ReplayBody) -> tuple[Repair, list[RowNotCounted]]:
    """Take the chosen rows back into the results of `binding`; the repair, and the chosen rows that it leaves.

    Raises `Faulty` where that cannot be done, `Conflict` while another repair is being given, where a binding reads
    these results or an output would take them for newer ones, and `OverQuota`, `Busy`, `TooMuchWork`, `OSError`.
    """
    refuse_while_repaired(binding)
    readers = readers_of(binding)
    if readers:
        raise Conflict(READ_BY.format(reader=readers[0], name=binding.name))
    _refuse_older_for_newer(binding)
    run = latest_run(binding)
    repair_id = uuid4()
    with replay_work(binding) as work, previewing():
        given = prepare_repair(work, body, str(repair_id))
    if given.prepared is None or run is None:
        raise Faulty(given.faults)
    prepared = given.prepared
    said = RepairSaid(
        run=run.pk,
        asked=body.model_dump(mode="json", exclude={"binding", "mended", "ids"}, exclude_none=True)
        | ({"ids": len(body.ids)} if body.ids else {}),
        rows=prepared.rows,
        taken=_taken(prepared),
        replaced=prepared.replaced,
        marks=prepared.marks,
    )
    return write_repair(binding, repair_id, said), prepared.not_taken


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
