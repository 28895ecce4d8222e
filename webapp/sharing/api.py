"""The figures of tiles over HTTP, for members of the organisation."""

from typing import Any, Final

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.boards.definition import BoardSeconds, BoardTile, FieldFilters
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope
from webapp.sharing.figures import TileFigures, ViewChoice, tile_figures

REFUSALS: Final[dict[int, Any]] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope, 429: ErrorEnvelope}


class TileFiguresRequest(Strict):
    """A tile, stored or in work, and the range and filters of its board, as in the definition of a board."""

    tile: BoardTile
    seconds: BoardSeconds | None = None
    where: FieldFilters = Field(default_factory=list)


class TileFiguresView(TenantView):
    """The figures of a tile."""

    @extend_schema(
        operation_id="boards_figures",
        request=TileFiguresRequest,
        responses={200: TileFigures, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Compute the figures of a tile; nothing is stored.

        A reason that prevents them is the `problem` of the response, for example a query that was deleted.
        """
        asked = read_body(request, TileFiguresRequest)
        return answer(tile_figures(asked.tile, ViewChoice(asked.seconds, asked.where), timezone.now()))
