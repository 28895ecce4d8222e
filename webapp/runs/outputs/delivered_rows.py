"""Rows that were delivered, read again where they lie now: in a limited process, as anybody may have put them there."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rest_framework.exceptions import NotFound

from streaming.adapters.contract import AdapterError, ReadableTarget
from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from webapp.accounts.previews import previewing
from webapp.core.context import current_organisation
from webapp.core.errors import Faulty, fault
from webapp.core.limited.jobs import READING, limited
from webapp.core.server_paths import without_server_paths
from webapp.runs.models import Binding
from webapp.runs.outputs.bound_outputs import BoundOutput, outputs_of
from webapp.runs.outputs.output_checks import built_output

_REMEDY = "Read fewer rows at once, or look at the files themselves."


class DeliveredRowShown(Strict):
    """A row as it lies there, in the file or object `where`; `values` are by column."""

    id: str
    where: str
    values: dict[str, Any]


class DeliveredRowsPage(Strict):
    """Delivered rows, newest day and batch first; `next` is the `before` of the next page, null at the end.

    A page may be short.
    """

    rows: list[DeliveredRowShown]
    next: str | None


class DeliveredRowsRead(Strict):
    """A page, or why there is none."""

    page: DeliveredRowsPage | None
    message: str | None


def delivered_rows(binding: UUID, output: UUID, limit: int, before: str | None) -> DeliveredRowsPage:
    """Return a page of what an output of `binding` holds now. Raises `NotFound`, `Faulty`, `OverQuota`, `Busy`."""
    found = Binding.objects.filter(pk=binding).first()
    mine = [] if found is None else [each for each in outputs_of(found) if each.identity == str(output)]
    if not mine:
        raise NotFound
    with previewing():
        read = read_delivered(mine[0], limit, before)
    if read.page is None:
        raise Faulty([fault(FaultCode.BAD_ADAPTER, read.message or "", "Look at the output of the binding.")])
    return read.page


@limited("Reading what was delivered", _REMEDY, READING, opens_secrets=True)
def read_delivered(output: BoundOutput, limit: int, before: str | None) -> DeliveredRowsRead:
    """Return a page of the rows of `output`, or the sentence that says why they cannot be shown."""
    try:
        adapter = built_output(output)
        try:
            if not isinstance(adapter, ReadableTarget):
                raise AdapterError("What goes there cannot be read back: look at it at its target.")
            page = adapter.delivered_rows(limit, before)
        finally:
            adapter.close()
    except AdapterError as error:
        return DeliveredRowsRead(page=None, message=without_server_paths(str(error), current_organisation()))
    rows = [DeliveredRowShown(id=each.id, where=each.where, values=_as_json(each.values)) for each in page.rows]
    return DeliveredRowsRead(page=DeliveredRowsPage(rows=rows, next=page.next), message=None)


def _as_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """Decimals and moments as text: whatever a file holds is shown."""
    shown: dict[str, Any] = json.loads(json.dumps(values, default=str))
    return shown
