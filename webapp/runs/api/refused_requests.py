"""Requests that the target of an output refused for good, over HTTP."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.core.api import answer
from webapp.core.errors import ErrorEnvelope, Faulty, fault
from webapp.runs.outputs.refused_requests import put_refused_aside, refused_of, rows_of_refused

REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope, 422: ErrorEnvelope}


class RefusedRequestResponse(Strict):
    """A request with rows of one batch that the target refused; `at` in ticks. `rows` is null in a list."""

    batch: int
    part: int
    at: int
    reason: str
    row_count: int
    rows: list[dict[str, Any]] | None


class RefusedRequestList(RootModel[list[RefusedRequestResponse]]):
    """The requests that the target of an output refused, newest batch first."""


class RefusedPutAside(Strict):
    """The number of requests that were deleted."""

    requests: int


class RefusedRequestsView(TenantView):
    """The refused requests of one output of a binding."""

    @extend_schema(
        operation_id="outputs_refused_requests",
        parameters=[
            OpenApiParameter("batch", int, description="With `part`: this request alone, with its rows."),
            OpenApiParameter("part", int, description="With `batch`: this request alone, with its rows."),
        ],
        responses={200: RefusedRequestList, **REFUSALS},
    )
    def get(self, request: Request, slug: str, binding: UUID, output: UUID) -> Response:
        """List the requests that the target refused for good, and why; they stay here until somebody deletes them."""
        asked = _named(request)
        shown = []
        for each in refused_of(binding, output):
            if asked in {None, (each.number, each.part)}:
                rows = None if asked is None else rows_of_refused(binding, output, each.number, each.part)
                shown.append(
                    RefusedRequestResponse(
                        batch=each.number,
                        part=each.part,
                        at=each.at,
                        reason=each.reason,
                        row_count=each.row_count,
                        rows=None if rows is None else [dict(row) for row in rows],
                    )
                )
        return answer(RefusedRequestList(shown))

    @extend_schema(operation_id="outputs_delete_refused_requests", responses={200: RefusedPutAside, **REFUSALS})
    def delete(self, request: Request, slug: str, binding: UUID, output: UUID) -> Response:
        """Delete the refused requests; a delivery that waited because there were too many of them continues."""
        return answer(RefusedPutAside(requests=put_refused_aside(binding, output)))


def _named(request: Request) -> tuple[int, int] | None:
    texts = [request.query_params.get(name) for name in ("batch", "part")]
    if texts == [None, None]:
        return None
    numbers = [int(text) for text in texts if text and text.isascii() and text.isdecimal() and len(text) < 20]
    if len(numbers) != 2:
        remedy = "Pass both as they are in the list, or neither."
        raise Faulty([fault(FaultCode.BAD_SHAPE, "batch, part: no such refused request.", remedy, field="batch")])
    return numbers[0], numbers[1]
