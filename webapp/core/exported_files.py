"""Rows as a file to download, piece by piece: CSV for a spreadsheet, or one JSON object a line for a program."""

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

FileFormat = Literal["csv", "json_lines"]
MEDIA_TYPES: Final[Mapping[str, str]] = {"csv": "text/csv", "json_lines": "application/x-ndjson"}
SUFFIXES: Final[Mapping[str, str]] = {"csv": "csv", "json_lines": "jsonl"}
FORMAT: Final = OpenApiParameter(
    "format", str, required=True, enum=list(MEDIA_TYPES), description="The form of the file."
)
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - the wide forms are meant
"""What makes a spreadsheet take a cell for a formula."""


class CsvRenderer(JSONRenderer):
    """Lets a client that asks for CSV in; refusals are JSON all the same."""

    media_type = MEDIA_TYPES["csv"]
    format = "csv"


class JsonLinesRenderer(JSONRenderer):
    """Lets a client that asks for lines of JSON in; refusals are JSON all the same."""

    media_type = MEDIA_TYPES["json_lines"]
    format = "json_lines"


FILE_RENDERERS: Final = (JSONRenderer, CsvRenderer, JsonLinesRenderer)


def harmless(value: object) -> str:
    """Return the text of a cell; with an apostrophe before it where a spreadsheet would compute it."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULAS) else text


def csv_lines(rows: Iterable[Iterable[object]]) -> str:
    """Return a line of CSV for each row, all cells harmless."""
    text = io.StringIO()
    csv.writer(text).writerows([harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def file_response(request: Request, pieces: Iterator[bytes], form: FileFormat, name: str) -> HttpResponseBase:
    """Return `pieces` as the file `name`, without its suffix, each sent when the one before has left."""
    later: Any = _one_by_one(pieces) if isinstance(request._request, ASGIRequest) else pieces
    response = StreamingHttpResponse(later, content_type=f"{MEDIA_TYPES[form]}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{SUFFIXES[form]}"'
    response.headers["Cache-Control"] = "no-store"
    return response


async def _one_by_one(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the same for an asynchronous server, which would gather all pieces before it sends a byte."""

    def following() -> bytes | None:
        return next(pieces, None)

    while (piece := await sync_to_async(following)()) is not None:
        yield piece
