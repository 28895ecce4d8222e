"""What bindings keep, over HTTP: the list, and deleting results or quarantine."""

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
from webapp.runs.storage.storage_cleanup import PARTS, Kind, access_stored, delete_rows, kept, kept_by_runs

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


class RunKeptShown(Strict):
    """What is kept of one run. `run` is null for rows of before runs were told apart.

    `started_at` and `query_version` are null where the run is no longer in the list: its binding was deleted. Of an
    `open` one nothing can be deleted yet.
    """

    run: str | None
    started_at: str | None
    query_version: int | None
    open: bool
    results: int
    quarantine: int
    result_bytes: int
    quarantine_bytes: int


class RunKeptList(RootModel[list[RunKeptShown]]):
    """What is kept of each run of a binding, newest first; the bytes are together what the binding keeps."""


class DeletionAsked(Strict):
    """What to delete, and of which run; without one of all."""

    kind: Kind
    run: UUID | None = None


class DeletedRows(Strict):
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

    @extend_schema(operation_id="bindings_kept_by_run", responses={200: RunKeptList, **REFUSALS})
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """List what is kept of each run of a binding, also of a deleted one."""
        shown = [
            RunKeptShown(
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
            OpenApiParameter("run", UUID, description="Only what this run made; without it, of all runs."),
        ],
        responses={200: DeletedRows, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def delete(self, request: Request, slug: str, binding: UUID) -> Response:
        """Delete the committed results, or the quarantine, of a binding or of one of its runs, which must have ended.

        It may be a deleted binding, too.
        A later start goes on where the last run stopped: what was deleted does not come again.
        """
        stored, asked = access_stored(binding), read_query(request, DeletionAsked)
        removed = delete_rows(stored, asked.kind, asked.run)
        return answer(DeletedRows(kind=asked.kind, rows=removed.rows, bytes=removed.results + removed.late))
