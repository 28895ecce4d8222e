"""How a view reads a body and answers: pydantic models in and out, strictly validated from JSON text."""

import json
import re
from typing import Final, TypeVar

from django.core.exceptions import RequestDataTooBig
from pydantic import BaseModel, ValidationError
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from webapp.core.errors import Faulty, TooLarge, UnreadableBody, fault, faults_of

B = TypeVar("B", bound=BaseModel)

MOST_BYTES: Final = 2 * 1024 * 1024
"""The largest body, where a view does not say otherwise."""
_NUL: Final = rb"\u0000"
_NUL_OF_ITS_OWN: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
"""Behind an even number of backslashes: `\\\\u0000` is a backslash and a word."""


def read_body(request: Request, model: type[B], *, most_bytes: int = MOST_BYTES) -> B:
    """Return the JSON body as `model`.

    Raises `Faulty` with every fault in it, `TooLarge` beyond `most_bytes`, `UnreadableBody` for brackets in brackets
    without end, 415 for another media type. The character
    U+0000 is refused wherever it stands, for PostgreSQL stores none.
    """
    if not (request.content_type or "").startswith("application/json"):
        raise exceptions.UnsupportedMediaType(request.content_type or "none")
    content = raw_body(request, most_bytes)
    if _NUL in content and _NUL_OF_ITS_OWN.search(content):  # the first takes 1 ms for 2 MB, the second 67
        remedy = r"Take \u0000 out of the texts."
        raise Faulty([fault(FaultCode.BAD_SHAPE, "A text contains the character U+0000.", remedy)])
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        if error.error_count() == 1 and "recursion limit" in error.errors(include_url=False)[0]["msg"]:
            raise UnreadableBody from None
        raise Faulty(faults_of(error, _decoded(content))) from None


def read_query(request: Request, model: type[B]) -> B:
    """Return the query parameters as `model`. Raises `Faulty` with every fault in them."""
    raw = request.query_params.dict()
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise Faulty(faults_of(error, raw)) from None


def _decoded(content: bytes) -> object:
    """Return the value of a body that was refused, to say where in it; None for one that is no JSON."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def raw_body(request: Request, most_bytes: int) -> bytes:
    """Return the body as it was sent. Raises `TooLarge`."""
    try:
        content: bytes = request.body
    except RequestDataTooBig:
        raise TooLarge(most_bytes) from None
    if len(content) > most_bytes:
        raise TooLarge(most_bytes)
    return content


def answer(model: BaseModel, status: int = 200) -> Response:
    """Return `model` as JSON."""
    return Response(model.model_dump(mode="json"), status=status)
