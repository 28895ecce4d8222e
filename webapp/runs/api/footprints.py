"""Footprints of inputs on other servers, over HTTP."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.adapters.contract import AdapterError
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.core.api import answer, read_query
from webapp.core.errors import ErrorEnvelope
from webapp.runs.inputs.footprint_jobs import footprint_of
from webapp.runs.inputs.footprints import bindings_there, by_hand, footprints, put_aside, used_among
from webapp.runs.models import InputFootprint

REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class FootprintResponse(Strict):
    """The footprint of input `node` of a binding at `where`; `exists` is false once the binding is deleted.

    `used` false: no input reads there any more and the footprint is being removed. If there is a `message`, that failed
    at `tried_at`, and `by_hand` is what a person runs there to remove it. `names` lists what was there at `seen_at`,
    `kept_bytes` is what the server keeps for it, `warning` a sentence if somebody should act.
    """

    id: str
    binding: str
    binding_name: str
    exists: bool
    node: str
    stream_name: str
    what: str
    where: str
    used: bool
    names: list[str]
    kept_bytes: int | None
    warning: str
    seen_at: str | None
    message: str
    tried_at: str | None
    by_hand: str


class FootprintsQuery(Strict):
    """The binding whose footprints to list; left out: all."""

    binding: UUID | None = None


class FootprintList(RootModel[list[FootprintResponse]]):
    """Footprints of inputs on other servers, by binding and input."""


class FootprintsView(TenantView):
    """The footprints of inputs on other servers."""

    @extend_schema(
        operation_id="footprints_list",
        parameters=[OpenApiParameter("binding", UUID, description="Only those of this binding.")],
        responses={200: FootprintList, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List what inputs keep on other servers, for example replication slots, as seen every few minutes.

        The list includes the footprints of deleted bindings until they are removed.
        """
        every = footprints(read_query(request, FootprintsQuery).binding)
        there = bindings_there(every)
        used = used_among(every)
        shown = [_response_of(each, exists=each.binding in there, used=each.pk in used) for each in every]
        return answer(FootprintList(shown))


class FootprintView(TenantView):
    """One footprint."""

    @extend_schema(operation_id="footprints_put_aside", responses={204: None, 409: ErrorEnvelope, **REFUSALS})
    def delete(self, request: Request, slug: str, footprint: UUID) -> Response:
        """Forget a footprint that somebody has removed by hand; it is not tried again."""
        put_aside(footprint)
        return Response(status=204)


def _response_of(each: InputFootprint, *, exists: bool, used: bool) -> FootprintResponse:
    return FootprintResponse(
        id=str(each.pk),
        binding=str(each.binding),
        binding_name=each.binding_name,
        exists=exists,
        node=each.node,
        stream_name=each.stream_name,
        what=_what(each),
        where=each.where,
        used=used,
        names=each.names,
        kept_bytes=each.kept_bytes,
        warning=each.warning,
        seen_at=None if each.seen_at is None else each.seen_at.isoformat(),
        message=each.message,
        tried_at=None if each.tried_at is None else each.tried_at.isoformat(),
        by_hand=by_hand(each),
    )


def _what(each: InputFootprint) -> str:
    try:
        known = footprint_of(each.read_adapter())
    except AdapterError:
        known = None
    return "footprint" if known is None else known.what
