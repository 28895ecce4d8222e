"""Pushed rows over HTTP: send a batch, read the state of the inbox."""

from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.core.api import answer, raw_body
from webapp.core.errors import ApiError, ErrorEnvelope, Faulty, fault
from webapp.streams.access import access_stream
from webapp.streams.api import REFUSALS
from webapp.streams.pushed_bodies import JSON, MOST_BYTES, NEWLINE_DELIMITED, lines_of
from webapp.streams.pushing import inbox_state, push

LONGEST_ID = 100
BATCH_ID = "Idempotency-Key"


class NotThatBody(ApiError):
    """The body has an unsupported form."""

    status = 415
    code = "unsupported_media_type"


class PushReceipt(Strict):
    """A batch is on the disk: its rows have the numbers `first` to `first + rows - 1` of the inbox.

    `again`: a batch with this id was already stored, and was not stored a second time.
    """

    first: int
    rows: int
    again: bool


class InboxResponse(Strict):
    """The state of an inbox: it stores the rows `oldest` to `next - 1` in `stored_bytes`.

    `unread` is the number of rows that the slowest reader has yet to read; `readers` is the number of bindings for
    which rows are kept. `newest_us` is the time of the last batch, in microseconds since 1970.
    """

    oldest: int
    next: int
    stored_bytes: int
    newest_us: int | None
    readers: int
    unread: int


class PushedRowsView(TenantView):
    """The inbox of a stream."""

    @extend_schema(operation_id="streams_inbox", responses={200: InboxResponse, 409: ErrorEnvelope, **REFUSALS})
    def get(self, request: Request, slug: str, stream: UUID) -> Response:
        """Return the state of the inbox; 409 for a stream with another adapter."""
        found = inbox_state(access_stream(stream))
        return answer(
            InboxResponse(
                oldest=found.oldest,
                next=found.next,
                stored_bytes=found.stored,
                newest_us=found.newest,
                readers=found.readers,
                unread=found.unread,
            )
        )

    @extend_schema(
        operation_id="streams_push",
        request={JSON: OpenApiTypes.OBJECT, **dict.fromkeys(sorted(NEWLINE_DELIMITED), OpenApiTypes.STR)},
        parameters=[
            OpenApiParameter(
                BATCH_ID, str, OpenApiParameter.HEADER, description="The batch's id; a repeated batch counts once."
            )
        ],
        responses={
            200: PushReceipt,
            409: ErrorEnvelope,
            413: ErrorEnvelope,
            415: ErrorEnvelope,
            422: ErrorEnvelope,
            429: ErrorEnvelope,
            503: ErrorEnvelope,
            507: ErrorEnvelope,
            **REFUSALS,
        },
    )
    def post(self, request: Request, slug: str, stream: UUID) -> Response:
        """Store rows; 200 when they are on the disk, once, in their order.

        The body is a JSON array of rows, one row, or one row a line (`application/x-ndjson`), with gzip if
        `Content-Encoding` says so. A row is a JSON object with the stream's columns, or `{"cti": time}`. With 429,
        `Retry-After` says when to send the same batch again.
        """
        found = access_stream(stream)
        lines, rows = lines_of(raw_body(request, MOST_BYTES), _kind(request), _encoding(request))
        receipt = push(stream=found, lines=lines, rows=rows, batch=_batch_id(request))
        return answer(PushReceipt(first=receipt.first, rows=receipt.rows, again=receipt.again))


def _kind(request: Request) -> str:
    kind = (request.content_type or "").partition(";")[0].strip().lower()
    if kind != JSON and kind not in NEWLINE_DELIMITED:
        raise NotThatBody("Send the rows as application/json, or one a line as application/x-ndjson.")
    return kind


def _encoding(request: Request) -> str:
    encoding = request.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip"):
        raise NotThatBody("Send the body uncompressed, or with Content-Encoding: gzip.")
    return encoding if encoding == "gzip" else ""


def _batch_id(request: Request) -> str | None:
    batch = request.headers.get(BATCH_ID)
    if batch is None:
        return None
    if not 1 <= len(batch) <= LONGEST_ID or not batch.isprintable():
        message = f"The header {BATCH_ID} is empty, too long or not printable."
        raise Faulty(
            [fault(FaultCode.BAD_SHAPE, message, f"Use 1 to {LONGEST_ID} printable characters.", field=BATCH_ID)]
        )
    return batch
