"""Delivered rows, read back from their target in a limited process, because anybody may have changed them there."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rest_framework.exceptions import NotFound

from streaming.adapters.contract import AdapterError, ReadableTarget
from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from webapp.accounts.limits.previews import previewing
from webapp.core.context import current_organisation
from webapp.core.errors import Faulty, fault
from webapp.core.limited.jobs import READING, limited
from webapp.core.server_paths import without_server_paths
from webapp.runs.models import Binding
from webapp.runs.outputs.bound_outputs import BoundOutput, outputs_of
from webapp.runs.outputs.output_checks import built_output

_REMEDY = "Read fewer rows at once, or open the files themselves."


class DeliveredRowResponse(Strict):
    """A row as it is in the file or object `where`; `values` are by column."""

    id: str
    where: str
    values: dict[str, Any]


class DeliveredRowsPage(Strict):
    """Delivered rows, newest day and batch first; `next` is the `before` of the next page, null at the end.

    A page may be short.
    """

    rows: list[DeliveredRowResponse]
    next: str | None


class DeliveredRowsRead(Strict):
    """A page, or the reason why there is no page."""

    page: DeliveredRowsPage | None
    message: str | None


def delivered_rows(binding: UUID, output: UUID, limit: int, before: str | None) -> DeliveredRowsPage:
    """Return a page of an output's present content. Raises `NotFound`, `Faulty`, `OverQuota`, `Busy`."""
    found = Binding.objects.filter(pk=binding).first()
    mine = [] if found is None else [each for each in outputs_of(found) if each.identity == str(output)]
    if not mine:
        raise NotFound
    with previewing():
        read = read_delivered(mine[0], limit, before)
    if read.page is None:
        raise Faulty([fault(FaultCode.BAD_ADAPTER, read.message or "", "Check the output of the binding.")])
    return read.page


@limited("Reading delivered rows", _REMEDY, READING, opens_secrets=True)
def read_delivered(output: BoundOutput, limit: int, before: str | None) -> DeliveredRowsRead:
    """Return a page of the rows of `output`, or the reason why they can't be shown."""
    try:
        adapter = built_output(output)
        try:
            if not isinstance(adapter, ReadableTarget):
                raise AdapterError("Rows delivered there can't be read back here. View them at the target.")
            page = adapter.delivered_rows(limit, before)
        finally:
            adapter.close()
    except AdapterError as error:
        return DeliveredRowsRead(page=None, message=without_server_paths(str(error), current_organisation()))
    rows = [DeliveredRowResponse(id=each.id, where=each.where, values=_as_json(each.values)) for each in page.rows]
    return DeliveredRowsRead(page=DeliveredRowsPage(rows=rows, next=page.next), message=None)


def _as_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return `values` with decimals and times as text, so that any content of a file can be shown."""
    shown: dict[str, Any] = json.loads(json.dumps(values, default=str))
    return shown
