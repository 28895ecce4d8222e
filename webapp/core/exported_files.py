"""Rows as a file to download, in pieces: CSV for a spreadsheet, or one JSON object a line for a program."""

import csv
import io
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any, Final, Literal

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from streaming.definition.payload.spreadsheets import AS_TEXT, FORMULA_STARTS

FileFormat = Literal["csv", "json_lines"]
MEDIA_TYPES: Final[Mapping[str, str]] = {"csv": "text/csv", "json_lines": "application/x-ndjson"}
SUFFIXES: Final[Mapping[str, str]] = {"csv": "csv", "json_lines": "jsonl"}
FORMAT: Final = OpenApiParameter(
    "format", str, required=True, enum=list(MEDIA_TYPES), description="The form of the file."
)


class CsvRenderer(JSONRenderer):
    """Accepts clients that ask for CSV; refusals are still JSON."""

    media_type = MEDIA_TYPES["csv"]
    format = "csv"


class JsonLinesRenderer(JSONRenderer):
    """Accepts clients that ask for lines of JSON; refusals are still JSON."""

    media_type = MEDIA_TYPES["json_lines"]
    format = "json_lines"


FILE_RENDERERS: Final = (JSONRenderer, CsvRenderer, JsonLinesRenderer)


def harmless(value: object) -> str:
    """Return the text of a cell; with an apostrophe before it if a spreadsheet would compute it."""
    text = "" if value is None else str(value)
    return f"{AS_TEXT}{text}" if text.startswith(FORMULA_STARTS) else text


def csv_lines(rows: Iterable[Iterable[object]]) -> str:
    """Return a line of CSV for each row, all cells harmless."""
    text = io.StringIO()
    csv.writer(text).writerows([harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def file_response(request: Request, pieces: Iterator[bytes], form: FileFormat, name: str) -> HttpResponseBase:
    """Return `pieces` as the file `name`, without its suffix; each is sent after the previous one has left."""
    response = StreamingHttpResponse(in_turn(request, pieces), content_type=f"{MEDIA_TYPES[form]}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{SUFFIXES[form]}"'
    response.headers["Cache-Control"] = "no-store"
    return response


def in_turn(request: Request, pieces: Iterator[bytes]) -> Any:
    """Return `pieces` for a streaming response: each is made after the previous one has left."""
    return _one_by_one(pieces) if isinstance(request._request, ASGIRequest) else pieces


async def _one_by_one(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the same for an asynchronous server, which would gather all pieces before it sends a byte."""

    def following() -> bytes | None:
        return next(pieces, None)

    while (piece := await sync_to_async(following)()) is not None:
        yield piece
