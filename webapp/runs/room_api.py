"""What bindings keep, over HTTP: the list, and deleting results or quarantine."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from streaming.definition.graph import Strict
from webapp.accounts.access import TenantView
from webapp.core.api import answer
from webapp.core.errors import ErrorEnvelope, Faulty, fault
from webapp.runs.room import PARTS, Kind, access_stored, delete_rows, kept

REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class KeptShown(Strict):
    """What one binding keeps, in bytes; of a deleted one (`exists` false) the files are left until they are deleted."""

    binding: str
    name: str
    exists: bool
    result_bytes: int
    quarantine_bytes: int


class KeptList(RootModel[list[KeptShown]]):
    """What bindings keep, the most first."""


class Deleted(Strict):
    """What was deleted, and how many bytes became free."""

    kind: Kind
    rows: int
    bytes: int


class KeptView(TenantView):
    """What bindings keep."""

    @extend_schema(operation_id="kept_list", responses={200: KeptList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List what each binding keeps, as last measured: every few seconds while it runs, and at each start."""
        shown = [
            KeptShown(
                binding=str(each.stored.binding),
                name=each.stored.name,
                exists=each.exists,
                result_bytes=each.stored.result_bytes,
                quarantine_bytes=each.stored.quarantine_bytes,
            )
            for each in kept()
        ]
        return answer(KeptList(shown))


class BindingResultsView(TenantView):
    """The results and the quarantine of a binding."""

    @extend_schema(
        operation_id="bindings_delete_results",
        parameters=[OpenApiParameter("kind", str, required=True, enum=list(PARTS), description="What to delete.")],
        responses={200: Deleted, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def delete(self, request: Request, slug: str, binding: UUID) -> Response:
        """Delete all committed results, or all quarantine, of a binding that does not run, also of a deleted one.

        A later start goes on where the last run stopped: what was deleted does not come again.
        """
        stored, kind = access_stored(binding), _kind(request)
        removed = delete_rows(stored, kind)
        return answer(Deleted(kind=kind, rows=removed.rows, bytes=removed.results + removed.late))


def _kind(request: Request) -> Kind:
    asked = request.query_params.get("kind")
    for kind in PARTS:
        if kind == asked:
            return kind
    remedy = f"Give one of {', '.join(PARTS)}."
    raise Faulty([fault(FaultCode.BAD_SHAPE, "kind: this is nothing that can be deleted.", remedy, field="kind")])
