"""How a view reads a body and answers: pydantic models in and out, strictly validated from JSON text."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.core.errors import Faulty, faults_of

B = TypeVar("B", bound=BaseModel)


def read_body(request: Request, model: type[B]) -> B:
    """Return the JSON body as `model`. Raises `Faulty` with every fault in it, 415 for another media type."""
    if not (request.content_type or "").startswith("application/json"):
        raise exceptions.UnsupportedMediaType(request.content_type or "none")
    try:
        return model.model_validate_json(request.body)
    except ValidationError as error:
        raise Faulty(faults_of(error)) from None


def answer(model: BaseModel, status: int = 200) -> Response:
    """Return `model` as JSON."""
    return Response(model.model_dump(mode="json"), status=status)
