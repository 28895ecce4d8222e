"""Files of an organisation over HTTP: listed, uploaded by the tus protocol (1.0, https://tus.io), replaced, deleted."""

import base64
import binascii
from typing import Any, Final
from uuid import UUID

from django.http import HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from streaming.definition.own_functions.modules import ModuleExport
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.accounts.limits.quotas import limit
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope, Faulty, fault
from webapp.core.exported_files import in_turn
from webapp.uploads import services
from webapp.uploads.modules import module_in
from webapp.uploads.staging import StagedUpload, access_upload, append, uploads_under_way
from webapp.uploads.usage import MOST_LISTED, NAME, KeptFile, file_bytes, kept_files, readers, streams_by_place

TUS: Final = {"Tus-Resumable": "1.0.0"}
BYTES: Final = "application/offset+octet-stream"
DOWNLOADED: Final = "application/octet-stream"
"""No browser displays it, so a file of somebody else runs no script of its own."""
MOST_SIZE: Final = 2**50
CHUNK_BYTES: Final = 4 * 1024 * 1024
"""The recommended size of a chunk; a request may have at most 8 MiB."""


class FileReader(Strict):
    """A stream that reads a file."""

    id: str
    name: str


class ModuleResponse(Strict):
    """A module in WebAssembly: the hash that functions of queries name, and the functions that it exports."""

    hash: str
    functions: list[ModuleExport]


class FileResponse(Strict):
    """A file: its path as streams name it, its size in bytes, when it was written (UTC), and its readers.

    `module`: of an uploaded module in WebAssembly, its hash and exports.
    """

    path: str
    size: int
    modified_at: str
    readers: list[FileReader]
    module: ModuleResponse | None


class UploadResponse(Strict):
    """An upload under way: `offset` of its `size` bytes have arrived. It is removed after three days without bytes."""

    id: str
    name: str
    size: int
    offset: int
    by: str
    begun_at: str


class FileList(Strict):
    """The files by path, at most 1,000 (`count` is their number), and the uploads under way.

    `used` of `limit` bytes are used; uploads count with their full size.
    """

    files: list[FileResponse]
    count: int
    uploads: list[UploadResponse]
    used: int
    limit: int
    chunk_bytes: int


class FinishBody(Strict):
    """The request to make an upload a file; `replace`: replace an existing file of its name."""

    replace: bool = False


def to_response(file: KeptFile, places: Any) -> FileResponse:
    """Return a file as the API shows it."""
    reading = [FileReader(id=str(each.pk), name=each.name) for each in readers(file.path, places)]
    modified = file.modified_at.isoformat()
    found = module_in(file)
    module = None if found is None else ModuleResponse(hash=found[0], functions=found[1].functions)
    return FileResponse(path=file.path, size=file.size, modified_at=modified, readers=reading, module=module)


def shown_upload(upload: StagedUpload) -> UploadResponse:
    """Return an upload as the API shows it."""
    return UploadResponse(
        id=str(upload.id),
        name=upload.name,
        size=upload.size,
        offset=upload.offset,
        by=upload.by,
        begun_at=upload.begun_at.isoformat(),
    )


REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}
WRITING: dict[int, Any] = {
    **REFUSALS,
    409: ErrorEnvelope,
    413: ErrorEnvelope,
    422: ErrorEnvelope,
    423: ErrorEnvelope,
    507: ErrorEnvelope,
}


def _header(name: str, words: str) -> OpenApiParameter:
    return OpenApiParameter(name, OpenApiTypes.STR, OpenApiParameter.HEADER, description=words)


class FilesView(TenantView):
    """The files of an organisation."""

    @extend_schema(operation_id="files_list", responses={200: FileList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the files that streams can read, and uploads under way."""
        files, places = kept_files(), streams_by_place()
        listing = FileList(
            files=[to_response(each, places) for each in files[:MOST_LISTED]],
            count=len(files),
            uploads=[shown_upload(each) for each in uploads_under_way()],
            used=file_bytes(),
            limit=limit(NAME),
            chunk_bytes=CHUNK_BYTES,
        )
        return answer(listing)

    @extend_schema(
        operation_id="files_delete",
        parameters=[
            OpenApiParameter("path", OpenApiTypes.STR, required=True, description="The path as in the list."),
            OpenApiParameter("even_if_read", OpenApiTypes.BOOL, description="true: even if streams read it."),
        ],
        responses={204: None, 409: ErrorEnvelope, **REFUSALS},
    )
    def delete(self, request: Request, slug: str) -> Response:
        """Delete a file; 409 names the streams that read it."""
        path = request.query_params.get("path", "").replace("\x00", "")
        services.delete_file(path=path, even_if_read=request.query_params.get("even_if_read") == "true")
        return Response(status=204)


class FileContentView(TenantView):
    """The content of a file."""

    @extend_schema(
        operation_id="files_content",
        parameters=[OpenApiParameter("path", OpenApiTypes.STR, required=True, description="The path as in the list.")],
        responses={(200, DOWNLOADED): OpenApiTypes.BINARY, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Send a file as it is stored, as a download that no browser displays; the audit log records it."""
        opened = services.open_file(path=request.query_params.get("path", ""))
        response = SentFile(request, opened)
        response.headers["Content-Disposition"] = content_disposition_header(True, opened.name) or "attachment"
        return response


class SentFile(StreamingHttpResponse):
    """An opened file on its way: as many bytes as it had when it was opened."""

    def __init__(self, request: Request, opened: services.OpenedFile) -> None:
        self._opened = opened
        super().__init__(in_turn(request, opened.pieces()), content_type=DOWNLOADED)
        self.headers["Content-Length"] = str(opened.size)
        self.headers["Cache-Control"] = "no-store"

    def close(self, *_: Any) -> None:
        """Close the file."""
        self._opened.content.close()
        super().close()


class UploadsView(TenantView):
    """Uploads of the organisation."""

    @extend_schema(
        operation_id="uploads_begin",
        request=None,
        parameters=[
            _header("Upload-Length", "The size of the file in bytes."),
            _header("Upload-Metadata", "`filename` and the file's name in Base64, as tus defines it."),
        ],
        responses={201: UploadResponse, **WRITING},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create an upload (tus: creation). Send its bytes, and ask for its state, at the address in `Location`."""
        upload = services.begin_upload(name=_name(request), size=_whole(request, "Upload-Length"))
        return _with(answer(shown_upload(upload), 201), Location=f"/api/t/{slug}/files/uploads/{upload.id}/")


class UploadView(TenantView):
    """One upload under way."""

    @extend_schema(operation_id="uploads_get", responses={200: UploadResponse, **REFUSALS})
    def get(self, request: Request, slug: str, upload: UUID) -> Response:
        """Return how much has arrived; HEAD returns it in `Upload-Offset` (tus: core)."""
        found = access_upload(upload)
        sizes = {"Upload-Offset": str(found.offset), "Upload-Length": str(found.size)}
        return _with(answer(shown_upload(found)), **sizes)

    @extend_schema(
        operation_id="uploads_append",
        request=None,
        parameters=[_header("Upload-Offset", "The number of bytes that have arrived; the body follows them.")],
        responses={204: None, 415: ErrorEnvelope, **WRITING},
    )
    def patch(self, request: Request, slug: str, upload: UUID) -> Response:
        """Send the next bytes (tus: core): the body contains the bytes, as `application/offset+octet-stream`."""
        found = access_upload(upload)
        offset = _whole(request, "Upload-Offset")
        if request.content_type != BYTES:
            raise exceptions.UnsupportedMediaType(str(request.content_type))
        arrived = append(found, offset, request._request)
        return Response(status=204, headers={**TUS, "Upload-Offset": str(arrived)})

    @extend_schema(operation_id="uploads_cancel", responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, upload: UUID) -> Response:
        """Cancel an upload (tus: termination)."""
        services.cancel_upload(upload=access_upload(upload))
        return Response(status=204, headers=TUS)


class UploadFinishView(TenantView):
    """The completion of an upload."""

    @extend_schema(
        operation_id="uploads_finish", request=FinishBody, responses={201: FileResponse, 429: ErrorEnvelope, **WRITING}
    )
    def post(self, request: Request, slug: str, upload: UUID) -> Response:
        """Check the uploaded bytes and make a file of them, with the ending that their content needs.

        409 `file_exists` if a file of its name exists; the upload then waits to replace it. 422 says why it isn't a
        file of rows; the upload is then removed.
        """
        found = access_upload(upload)
        body = read_body(request, FinishBody)
        return answer(to_response(services.finish_upload(upload=found, replace=body.replace), streams_by_place()), 201)


def _with(response: Response, **headers: str) -> Response:
    for name, value in {**TUS, **headers}.items():
        response.headers[name] = value
    return response


def _whole(request: Request, header: str) -> int:
    """Return the whole number in a header. Raises `Faulty`."""
    text = request.headers.get(header, "")
    if text.isascii() and text.isdigit() and len(text) <= 16 and int(text) <= MOST_SIZE:
        return int(text)
    message = f"The header {header} is {text[:40]!r}." if text else f"The header {header} is missing."
    raise Faulty([fault(FaultCode.BAD_SHAPE, message, "Send a whole number of bytes in it.", field=header)])


def _name(request: Request) -> str:
    """Return the file's name in the metadata. Raises `Faulty`."""
    for pair in request.headers.get("Upload-Metadata", "").split(","):
        key, _, value = pair.strip().partition(" ")
        if key == "filename":
            try:
                return base64.b64decode(value, validate=True).decode()
            except (binascii.Error, ValueError):
                break
    message = "The header Upload-Metadata does not contain the file's name."
    remedy = "Send `filename` and the name in Base64, for example `filename Y2Fycy5jc3Y=`."
    raise Faulty([fault(FaultCode.BAD_SHAPE, message, remedy, field="Upload-Metadata")])
