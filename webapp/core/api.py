"""Request bodies and answers: pydantic models in and out, strictly validated from JSON text."""

import re
from typing import Annotated, Any, Final, TypeVar

from django.core.exceptions import RequestDataTooBig
from drf_spectacular.utils import OpenApiParameter
from pydantic import BaseModel, Field, ValidationError
from rest_framework import exceptions
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from webapp.core.errors import Faulty, TooLarge, UnreadableBody, fault, faults_of
from webapp.core.limited.judging import BodyVerdict, judge, judged

B = TypeVar("B", bound=BaseModel)

SMALL_BYTES: Final = 256 * 1024
"""The largest body by default; larger ones are validated in a limited process first."""
LARGE_BYTES: Final = 2 * 1024 * 1024
"""The largest body that contains definitions."""
_NUL: Final = rb"\u0000"
_NUL_OF_ITS_OWN: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
"""After an even number of backslashes: `\\\\u0000` is a backslash and a word."""


def read_body(request: Request, model: type[B], *, most_bytes: int = SMALL_BYTES) -> B:
    """Return the JSON body as `model`.

    Raises `Faulty` with every error in it, `TooLarge` above `most_bytes`, `UnreadableBody` for too many nested
    brackets, 415 for another media type. The character U+0000 is refused everywhere, because PostgreSQL cannot store
    it. If bodies of a `model` may be large, limited processes must be able to import its module; then `Busy` and
    `TooMuchWork` are raised too.
    """
    if not (request.content_type or "").startswith("application/json"):
        raise exceptions.UnsupportedMediaType(request.content_type or "none")
    content = raw_body(request, most_bytes)
    if _NUL in content and _NUL_OF_ITS_OWN.search(content):  # the first test takes 1 ms for 2 MB, the second 67
        remedy = r"Remove \u0000 from the texts."
        raise Faulty([fault(FaultCode.BAD_SHAPE, "A text contains the character U+0000.", remedy)])
    if len(content) > SMALL_BYTES:
        _refuse(judged(model.__module__, model.__qualname__, content))
    try:
        return model.model_validate_json(content)
    except ValidationError:
        _refuse(judge(model, content))
        raise  # not reached: a refusal has errors


def _refuse(verdict: BodyVerdict) -> None:
    if verdict.unreadable:
        raise UnreadableBody
    if verdict.faults:
        raise Faulty(verdict.faults)


def read_query(request: Request, model: type[B]) -> B:
    """Return the query parameters as `model`. Raises `Faulty` with every error in them."""
    raw = request.query_params.dict()
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise Faulty(faults_of(error, raw)) from None


def raw_body(request: Request, most_bytes: int) -> bytes:
    """Return the body as it was sent. Raises `TooLarge`."""
    try:
        content: bytes = request.body
    except RequestDataTooBig:
        raise TooLarge(most_bytes) from None
    if len(content) > most_bytes:
        raise TooLarge(most_bytes)
    return content


LISTED: Final = 200
"""Items on a page of a list by name; the next page is requested with `after`, the name of the last item."""
AFTER: Final = OpenApiParameter("after", str, description=f"The name of your last one; {LISTED} are listed.")


class ListQuery(Strict):
    """The page of a list by name: after a name, or the first one."""

    after: Annotated[str, Field(max_length=200)] = ""


def answer(model: BaseModel, status: int = 200) -> Response:
    """Return `model` as JSON."""
    return Response(model.model_dump(mode="json"), status=status)


class AnyRepresentation(BaseContentNegotiation):
    """Chooses refusals as JSON, whatever the client accepts: the view decides about the form of its answer."""

    def select_parser(self, request: Any, parsers: Any) -> Any:
        """Return the first parser; there are no bodies."""
        return parsers[0]

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        """Return the first renderer."""
        return renderers[0], renderers[0].media_type
