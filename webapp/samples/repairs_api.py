"""Repairs of a binding's results over HTTP."""

from datetime import datetime
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope, Faulty, fault
from webapp.queries.simulation_bodies import MOST_BODY_BYTES
from webapp.runs.access import access_binding
from webapp.runs.models import Repair
from webapp.runs.repairs.repairs import listed_repairs
from webapp.samples.repairing import repair
from webapp.samples.replay_bodies import ReplayBody, RowNotCounted

REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class RepairShown(Strict):
    """Rows of quarantine that were taken back into results: `rows` of them, by whom and when.

    `marks` counts the rows of the result that are others: `changed`, `only_here` (new), `missing` (gone). `given_at` is
    when the corrected rows were among the results, in `batch`; null: they will be, and `failure` says what is in the
    way, if anything is. `run` is the run whose results they are.
    """

    id: UUID
    run: UUID
    by: str
    created_at: datetime
    given_at: datetime | None
    batch: int | None
    rows: int
    marks: dict[str, int]
    failure: str


class RepairMade(RepairShown):
    """A repair that was asked for; `not_taken` are the chosen rows that stay in quarantine, and why."""

    not_taken: list[RowNotCounted]


class RepairList(RootModel[list[RepairShown]]):
    """The newest 100 repairs of a binding, newest first."""


def shown_repair(made: Repair) -> RepairShown:
    """Return a repair as it is shown."""
    return RepairShown(
        id=made.pk,
        run=made.run_id,
        by=made.by_label,
        created_at=made.created_at,
        given_at=made.given_at,
        batch=None if made.given_at is None else made.batch,
        rows=len(made.taken),
        marks=made.marks,
        failure=made.failure,
    )


class RepairsView(TenantView):
    """The repairs of a binding."""

    @extend_schema(operation_id="bindings_repairs", responses={200: RepairList, **REFUSALS})
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """List what was repaired, and by whom."""
        return answer(RepairList([shown_repair(each) for each in listed_repairs(access_binding(binding).pk)]))

    @extend_schema(
        operation_id="bindings_repair",
        request=ReplayBody,
        responses={201: RepairMade, 409: ErrorEnvelope, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, binding: UUID) -> Response:
        """Take rows of the quarantine back into the results: corrected rows are given, others are taken back.

        409 while another repair is being given, or while a binding reads these results; 422 with a sentence where it
        cannot be said what would change, or not in all of the row's windows.
        """
        found = access_binding(binding)
        body = read_body(request, ReplayBody, most_bytes=MOST_BODY_BYTES)
        if body.binding != found.pk:
            remedy = "Name the binding of the address, whose quarantine it is."
            raise Faulty([fault(FaultCode.BAD_SHAPE, "binding: this is another one.", remedy, field="binding")])
        made, left = repair(found, body)
        return answer(RepairMade(**dict(shown_repair(made)), not_taken=left), 201)
