"""Exports of the whole organisation over HTTP: request, list, and an address to download from."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import anyio
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.accounts.actors import person
from webapp.administration.downloads import VALID_S, open_download, sign
from webapp.administration.exporting import ask_for_export, delete_export
from webapp.administration.models import Export
from webapp.administration.tasks import write_soon
from webapp.audit.recording import Target, record
from webapp.core.api import answer
from webapp.core.context import acting, organisation_context
from webapp.core.errors import Conflict, ErrorEnvelope, NotFound, absent


class ExportResponse(Strict):
    """An export. Times are ISO text in UTC; `bytes` and `expires_at` are null until it is ready."""

    id: str
    requested_by: str
    created_at: str
    state: Literal["requested", "writing", "ready", "failed", "expired"]
    bytes: int | None
    expires_at: str | None
    message: str | None


class ExportList(RootModel[list[ExportResponse]]):
    """The newest exports, newest first."""


class DownloadLink(Strict):
    """An address that opens the file without a session for `valid_s` seconds, as long as you are an owner."""

    url: str
    valid_s: int


REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}
LISTED = 50
PIECE = 256 * 1024


def to_response(export: Export) -> ExportResponse:
    """Return `export` as the API shows it."""
    return ExportResponse(
        id=str(export.pk),
        requested_by=export.requested_by,
        created_at=export.created_at.isoformat(),
        state=export.state,
        bytes=export.bytes,
        expires_at=None if export.expires_at is None else export.expires_at.isoformat(),
        message=export.message,
    )


class ExportsView(TenantView):
    """The exports of an organisation."""

    @extend_schema(operation_id="exports_list", responses={200: ExportList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the newest 50 exports."""
        return answer(ExportList([to_response(each) for each in Export.objects.all()[:LISTED]]))

    @extend_schema(
        operation_id="exports_create", request=None, responses={201: ExportResponse, 409: ErrorEnvelope, **REFUSALS}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Request a file with everything of the organisation; it is written in the background."""
        made = ask_for_export()
        write_soon(made.organisation_id, made.pk)
        return answer(to_response(made), 201)


class ExportView(TenantView):
    """One export."""

    @extend_schema(operation_id="exports_delete", responses={204: None, 409: ErrorEnvelope, **REFUSALS})
    def delete(self, request: Request, slug: str, export: UUID) -> Response:
        """Delete it with its file before it expires; no address opens it any more."""
        delete_export(export)
        return Response(status=204)


class ExportLinkView(TenantView):
    """An address to download an export from."""

    @extend_schema(
        operation_id="exports_link", request=None, responses={201: DownloadLink, 409: ErrorEnvelope, **REFUSALS}
    )
    def post(self, request: Request, slug: str, export: UUID) -> Response:
        """Return an address that opens the file for a quarter of an hour; this is recorded."""
        found = Export.objects.filter(pk=export).first()
        if found is None:
            raise NotFound
        if found.state != "ready":
            raise Conflict(f"The export is {found.state}. Wait until it is ready, or request a new one.")
        assert self.user is not None  # tokens are refused here  # nosec B101 # for the type checker only
        record("export.link_made", target=Target("export", found.pk, str(found.created_at.date())))
        signed = sign(self.entry.organisation, found, self.user)
        return answer(DownloadLink(url=f"/api/downloads/{signed}/", valid_s=VALID_S), 201)


@require_safe
def download(request: HttpRequest, signed: str) -> HttpResponseBase:
    """Answer with the file that `signed` opens; 404 if it opens none."""
    try:
        opened = open_download(signed)
    except NotFound:
        return absent()
    with organisation_context(opened.organisation), acting(person(opened.person, request.META.get("REMOTE_ADDR"))):
        record("export.downloaded", target=Target("export", None, opened.name))
    response = StreamingHttpResponse(_pieces(opened.path), content_type="application/zip")
    response.headers["Content-Length"] = str(opened.path.stat().st_size)
    response.headers["Content-Disposition"] = f'attachment; filename="{opened.name}"'
    response.headers["Cache-Control"] = "no-store"
    return response


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    """Yield the file in pieces: the server would read a synchronous iterator whole into memory first."""
    async with await anyio.open_file(path, "rb") as file:
        while piece := await file.read(PIECE):
            yield piece
