"""Query parameters of the API about alerts, and cursors of its pages."""

from collections.abc import Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

from django.db.models import Model, Q
from pydantic import BaseModel, ValidationError
from rest_framework.request import Request

from streaming.definition.faults import FaultCode
from webapp.core.errors import ErrorEnvelope, Faulty, fault, faults_of

REFUSALS: Final[dict[int, Any]] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}
WRITES: Final[dict[int, Any]] = {409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS}
Parameters = TypeVar("Parameters", bound=BaseModel)


def read_parameters(request: Request, model: type[Parameters]) -> Parameters:
    """Return the query parameters as `model`, numbers read from their texts. Raises `Faulty`."""
    raw = request.query_params.dict()
    try:
        return model.model_validate(raw, strict=False)
    except ValidationError as error:
        raise Faulty(faults_of(error, raw)) from None


def after_cursor(cursor: str, field: str) -> Q:
    """Return the condition for the rows after `cursor`, in descending order of the tick `field` and the id.

    Raises `Faulty` unless it is one of `next_cursor`.
    """
    at, _, pk = cursor.partition(".")
    try:
        tick, row = int(at[:19]), UUID(pk)
    except ValueError:
        remedy = "Leave `before` out, or pass the `next` of the previous page."
        raise Faulty([fault(FaultCode.BAD_SHAPE, "before: this isn't a cursor.", remedy, field="before")]) from None
    return Q(**{f"{field}__lt": tick}) | Q(**{field: tick, "pk__lt": row})


def next_cursor(rows: Sequence[Model], page: int, field: str) -> str | None:
    """Return the cursor after the first `page` of `rows`; None if there are no more rows."""
    last = rows[page - 1] if len(rows) > page else None
    return None if last is None else f"{getattr(last, field)}.{last.pk}"
