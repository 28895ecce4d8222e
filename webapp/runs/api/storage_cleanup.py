"""Stored results and quarantine of bindings, over HTTP: sizes and deletion."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.core.api import answer, read_query
from webapp.core.errors import ErrorEnvelope
from webapp.runs.storage.storage_cleanup import PARTS, Kind, access_stored, delete_rows, kept_by_runs, stored_bindings

REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class KeptResponse(Strict):
    """The stored bytes of one binding; a deleted binding (`exists` false) keeps its files until they are deleted."""

    binding: str
    name: str
    exists: bool
    result_bytes: int
    quarantine_bytes: int


class KeptList(RootModel[list[KeptResponse]]):
    """The stored bytes of bindings, largest first."""


class RunKeptResponse(Strict):
    """The stored rows and bytes of one run. `run` is null for rows written before runs were distinguished.

    `started_at` and `query_version` are null if the run is no longer listed because its binding was deleted. The rows
    of an `open` run can't be deleted yet.
    """

    run: str | None
    started_at: str | None
    query_version: int | None
    open: bool
    results: int
    quarantine: int
    result_bytes: int
    quarantine_bytes: int


class RunKeptList(RootModel[list[RunKeptResponse]]):
    """The stored rows of each run of a binding, newest first; their bytes add up to those of the binding."""


class DeletionRequest(Strict):
    """The kind of rows to delete, and their run; left out: all runs."""

    kind: Kind
    run: UUID | None = None


class DeletedRows(Strict):
    """The deleted rows, and how many bytes were freed."""

    kind: Kind
    rows: int
    bytes: int


class KeptView(TenantView):
    """The stored bytes of bindings."""

    @extend_schema(operation_id="kept_list", responses={200: KeptList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the stored bytes of each binding, measured every few seconds during a run, and at each start."""
        shown = [
            KeptResponse(
                binding=str(each.stored.binding),
                name=each.stored.name,
                exists=each.exists,
                result_bytes=each.stored.result_bytes,
                quarantine_bytes=each.stored.quarantine_bytes,
            )
            for each in stored_bindings()
        ]
        return answer(KeptList(shown))


class BindingResultsView(TenantView):
    """The results and the quarantine of a binding."""

    @extend_schema(operation_id="bindings_kept_by_run", responses={200: RunKeptList, **REFUSALS})
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """List the stored rows of each run of a binding, including a deleted one."""
        shown = [
            RunKeptResponse(
                run=each.run,
                started_at=None if each.known is None else each.known.created_at.isoformat(),
                query_version=None if each.known is None else each.known.query_version,
                open=each.known is not None and each.known.ended_at is None,
                results=each.rows.results,
                quarantine=each.rows.late,
                result_bytes=each.rows.result_bytes,
                quarantine_bytes=each.rows.late_bytes,
            )
            for each in kept_by_runs(binding)
        ]
        return answer(RunKeptList(shown))

    @extend_schema(
        operation_id="bindings_delete_results",
        parameters=[
            OpenApiParameter("kind", str, required=True, enum=list(PARTS), description="What to delete."),
            OpenApiParameter("run", UUID, description="Only rows of this run; left out: of all runs."),
        ],
        responses={200: DeletedRows, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def delete(self, request: Request, slug: str, binding: UUID) -> Response:
        """Delete the committed results, or the quarantine, of a binding or of one of its runs, which must have ended.

        The binding may be deleted. A later start resumes where the last run stopped: deleted rows do not come again.
        """
        stored, asked = access_stored(binding), read_query(request, DeletionRequest)
        removed = delete_rows(stored, asked.kind, asked.run)
        return answer(DeletedRows(kind=asked.kind, rows=removed.rows, bytes=removed.results + removed.late))
