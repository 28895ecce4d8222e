"""What inputs leave on other servers, over HTTP."""

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


class FootprintShown(Strict):
    """What the input `node` of a binding leaves at `where`; the binding may be deleted by now (`exists`).

    `used` false: nobody reads there any more, and it is being removed, which failed at `tried_at` if there is a
    `message`; `by_hand` is what a person runs there to remove it. `names` is what was there at `seen_at`, `kept_bytes`
    what the server keeps for it, `warning` a sentence where somebody should act.
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
    """Of which binding; without one of all."""

    binding: UUID | None = None


class FootprintList(RootModel[list[FootprintShown]]):
    """What inputs leave on other servers, by binding and input."""


class FootprintsView(TenantView):
    """What inputs leave on other servers."""

    @extend_schema(
        operation_id="footprints_list",
        parameters=[OpenApiParameter("binding", UUID, description="Only those of this binding.")],
        responses={200: FootprintList, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List what inputs keep on other servers, such as replication slots, as seen every few minutes.

        Also what deleted bindings have left there, until it is removed.
        """
        every = footprints(read_query(request, FootprintsQuery).binding)
        there = bindings_there(every)
        used = used_among(every)
        shown = [_shown(each, exists=each.binding in there, used=each.pk in used) for each in every]
        return answer(FootprintList(shown))


class FootprintView(TenantView):
    """One of these."""

    @extend_schema(operation_id="footprints_put_aside", responses={204: None, 409: ErrorEnvelope, **REFUSALS})
    def delete(self, request: Request, slug: str, footprint: UUID) -> Response:
        """Forget what is left elsewhere, because somebody has removed it there; it is not tried again."""
        put_aside(footprint)
        return Response(status=204)


def _shown(each: InputFootprint, *, exists: bool, used: bool) -> FootprintShown:
    return FootprintShown(
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
