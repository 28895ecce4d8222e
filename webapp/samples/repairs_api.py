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
from webapp.queries.simulation.bodies import MOST_BODY_BYTES
from webapp.runs.access import access_binding
from webapp.runs.models import Repair
from webapp.runs.repairs.repairs import listed_repairs
from webapp.samples.repairing import repair
from webapp.samples.replay_bodies import ReplayBody, RowNotCounted

REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class RepairResponse(Strict):
    """Rows of quarantine that were restored into results: their number, the person and the time.

    `marks` counts the rows of the result that differ: `changed`, `only_here` (new), `missing` (gone). `given_at` is
    when the corrected rows were committed, in `batch`; null: they are pending, and `failure` names an obstacle, if
    there is one. `run` is the run with these results.
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


class RepairMade(RepairResponse):
    """A new repair; `not_taken` are the chosen rows that stay in quarantine, and why."""

    not_taken: list[RowNotCounted]


class RepairList(RootModel[list[RepairResponse]]):
    """The newest 100 repairs of a binding, newest first."""


def shown_repair(made: Repair) -> RepairResponse:
    """Return a repair as the API shows it."""
    return RepairResponse(
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
        """List the repairs with their authors."""
        return answer(RepairList([shown_repair(each) for each in listed_repairs(access_binding(binding).pk)]))

    @extend_schema(
        operation_id="bindings_repair",
        request=ReplayBody,
        responses={201: RepairMade, 409: ErrorEnvelope, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, binding: UUID) -> Response:
        """Restore rows of the quarantine into the results: corrected rows are emitted, wrong ones are retracted.

        409 while another repair is pending, or while a binding reads these results; 422 with a sentence if the changes
        cannot be computed, or not for all windows of the row.
        """
        found = access_binding(binding)
        body = read_body(request, ReplayBody, most_bytes=MOST_BODY_BYTES)
        if body.binding != found.pk:
            remedy = "Use the binding of the address."
            raise Faulty([fault(FaultCode.BAD_SHAPE, "binding: this is another binding.", remedy, field="binding")])
        made, left = repair(found, body)
        return answer(RepairMade(**dict(shown_repair(made)), not_taken=left), 201)
