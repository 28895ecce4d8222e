"""Files of an organisation over HTTP: listed, brought by the tus protocol (1.0, https://tus.io), replaced, deleted."""

import base64
import binascii
from typing import Any, Final
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.accounts.quotas import limit
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope, Faulty, fault
from webapp.uploads import services
from webapp.uploads.staging import StagedUpload, access_upload, append, uploads_under_way
from webapp.uploads.usage import MOST_LISTED, NAME, KeptFile, file_bytes, kept_files, readers, streams_by_place

TUS: Final = {"Tus-Resumable": "1.0.0"}
BYTES: Final = "application/offset+octet-stream"
MOST_SIZE: Final = 2**50
CHUNK_BYTES: Final = 4 * 1024 * 1024
"""What a client does well to send at once; no request may have more than 8 MiB."""


class FileReader(Strict):
    """A stream that reads a file."""

    id: str
    name: str


class FileShown(Strict):
    """A file: its path as streams name it, its size in bytes, when it was written (UTC), and what reads it."""

    path: str
    size: int
    modified_at: str
    readers: list[FileReader]


class UploadShown(Strict):
    """An upload under way: `offset` of its `size` bytes have arrived. After three days without more it is removed."""

    id: str
    name: str
    size: int
    offset: int
    by: str
    begun_at: str


class FileList(Strict):
    """The files by path, at most 1,000 (`count` is how many there are), and uploads under way.

    `used` of `limit` bytes are used, uploads with what they will have.
    """

    files: list[FileShown]
    count: int
    uploads: list[UploadShown]
    used: int
    limit: int
    chunk_bytes: int


class FinishBody(Strict):
    """How an upload becomes a file; `replace`: also where a file of its name is."""

    replace: bool = False


def shown(file: KeptFile, places: Any) -> FileShown:
    """Return a file as the API shows it."""
    reading = [FileReader(id=str(each.pk), name=each.name) for each in readers(file.path, places)]
    modified = file.modified_at.isoformat()
    return FileShown(path=file.path, size=file.size, modified_at=modified, readers=reading)


def shown_upload(upload: StagedUpload) -> UploadShown:
    """Return an upload as the API shows it."""
    return UploadShown(
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
        told = FileList(
            files=[shown(each, places) for each in files[:MOST_LISTED]],
            count=len(files),
            uploads=[shown_upload(each) for each in uploads_under_way()],
            used=file_bytes(),
            limit=limit(NAME),
            chunk_bytes=CHUNK_BYTES,
        )
        return answer(told)

    @extend_schema(
        operation_id="files_delete",
        parameters=[
            OpenApiParameter("path", OpenApiTypes.STR, required=True, description="The path as the list has it."),
            OpenApiParameter("even_if_read", OpenApiTypes.BOOL, description="true: also where streams read it."),
        ],
        responses={204: None, 409: ErrorEnvelope, **REFUSALS},
    )
    def delete(self, request: Request, slug: str) -> Response:
        """Delete a file; 409 names the streams that read it."""
        path = request.query_params.get("path", "").replace("\x00", "")
        services.delete_file(path=path, even_if_read=request.query_params.get("even_if_read") == "true")
        return Response(status=204)


class UploadsView(TenantView):
    """Beginning to bring a file."""

    @extend_schema(
        operation_id="uploads_begin",
        request=None,
        parameters=[
            _header("Upload-Length", "The size of the file in bytes."),
            _header("Upload-Metadata", "`filename` and the file's name in Base64, as tus says."),
        ],
        responses={201: UploadShown, **WRITING},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Begin an upload (tus: creation). `Location` is where its bytes go and how it is asked for."""
        upload = services.begin_upload(name=_name(request), size=_whole(request, "Upload-Length"))
        return _with(answer(shown_upload(upload), 201), Location=f"/api/t/{slug}/files/uploads/{upload.id}/")


class UploadView(TenantView):
    """One upload under way."""

    @extend_schema(operation_id="uploads_get", responses={200: UploadShown, **REFUSALS})
    def get(self, request: Request, slug: str, upload: UUID) -> Response:
        """Say how much has arrived; HEAD says it in `Upload-Offset` (tus: core)."""
        found = access_upload(upload)
        sizes = {"Upload-Offset": str(found.offset), "Upload-Length": str(found.size)}
        return _with(answer(shown_upload(found)), **sizes)

    @extend_schema(
        operation_id="uploads_append",
        request=None,
        parameters=[_header("Upload-Offset", "How many bytes have arrived; those of the body come behind them.")],
        responses={204: None, 415: ErrorEnvelope, **WRITING},
    )
    def patch(self, request: Request, slug: str, upload: UUID) -> Response:
        """Send the next bytes (tus: core): the body is the bytes themselves, as `application/offset+octet-stream`."""
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
    """The end of an upload."""

    @extend_schema(
        operation_id="uploads_finish", request=FinishBody, responses={201: FileShown, 429: ErrorEnvelope, **WRITING}
    )
    def post(self, request: Request, slug: str, upload: UUID) -> Response:
        """Look at what has arrived and make a file of it, with the ending that its content needs.

        409 `file_exists` where a file of its name is; the upload waits then to replace it. 422 says why it is no file
        of rows; it is removed then.
        """
        found = access_upload(upload)
        body = read_body(request, FinishBody)
        return answer(shown(services.finish_upload(upload=found, replace=body.replace), streams_by_place()), 201)


def _with(told: Response, **headers: str) -> Response:
    for name, value in {**TUS, **headers}.items():
        told.headers[name] = value
    return told


def _whole(request: Request, header: str) -> int:
    """The whole number in a header. Raises `Faulty`."""
    text = request.headers.get(header, "")
    if text.isascii() and text.isdigit() and len(text) <= 16 and int(text) <= MOST_SIZE:
        return int(text)
    message = f"The header {header} is {text[:40]!r}." if text else f"The header {header} is missing."
    raise Faulty([fault(FaultCode.BAD_SHAPE, message, "Send a whole number of bytes in it.", field=header)])


def _name(request: Request) -> str:
    """The file's name in the metadata. Raises `Faulty`."""
    for pair in request.headers.get("Upload-Metadata", "").split(","):
        key, _, value = pair.strip().partition(" ")
        if key == "filename":
            try:
                return base64.b64decode(value, validate=True).decode()
            except (binascii.Error, ValueError):
                break
    message = "The header Upload-Metadata does not say how the file is called."
    remedy = "Send `filename` and the name in Base64, such as `filename Y2Fycy5jc3Y=`."
    raise Faulty([fault(FaultCode.BAD_SHAPE, message, remedy, field="Upload-Metadata")])
