"""Rows that the target of an output refused for good, over HTTP."""

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
from webapp.runs.dead_letters import letters_of, put_letters_aside, rows_of_letter

REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope, 422: ErrorEnvelope}


class DeadLetterShown(Strict):
    """A request with rows of one batch that the target refused; `at` in ticks. `rows` are there when asked for."""

    batch: int
    part: int
    at: int
    reason: str
    row_count: int
    rows: list[dict[str, Any]] | None


class DeadLetterList(RootModel[list[DeadLetterShown]]):
    """What the target of an output refused, newest batch first."""


class LettersPutAside(Strict):
    """How many letters were deleted."""

    letters: int


class DeadLettersView(TenantView):
    """The dead letters of one output of a binding."""

    @extend_schema(
        operation_id="outputs_dead_letters",
        parameters=[
            OpenApiParameter("batch", int, description="With `part`: this letter alone, with its rows."),
            OpenApiParameter("part", int, description="With `batch`: this letter alone, with its rows."),
        ],
        responses={200: DeadLetterList, **REFUSALS},
    )
    def get(self, request: Request, slug: str, binding: UUID, output: UUID) -> Response:
        """List what the target refused for good and why; it is kept here until somebody deletes it."""
        asked = _letter(request)
        shown = []
        for each in letters_of(binding, output):
            if asked in {None, (each.number, each.part)}:
                rows = None if asked is None else rows_of_letter(binding, output, each.number, each.part)
                shown.append(
                    DeadLetterShown(
                        batch=each.number,
                        part=each.part,
                        at=each.at,
                        reason=each.reason,
                        row_count=each.row_count,
                        rows=None if rows is None else [dict(row) for row in rows],
                    )
                )
        return answer(DeadLetterList(shown))

    @extend_schema(operation_id="outputs_delete_dead_letters", responses={200: LettersPutAside, **REFUSALS})
    def delete(self, request: Request, slug: str, binding: UUID, output: UUID) -> Response:
        """Delete what the target refused; a delivery that waited because there was too much of it goes on."""
        return answer(LettersPutAside(letters=put_letters_aside(binding, output)))


def _letter(request: Request) -> tuple[int, int] | None:
    texts = [request.query_params.get(name) for name in ("batch", "part")]
    if texts == [None, None]:
        return None
    numbers = [int(text) for text in texts if text and text.isascii() and text.isdecimal() and len(text) < 20]
    if len(numbers) != 2:
        remedy = "Give both as the list says them, or neither."
        raise Faulty([fault(FaultCode.BAD_SHAPE, "batch, part: these name no letter.", remedy, field="batch")])
    return numbers[0], numbers[1]
