"""Boards over HTTP: list, create, read, change, delete, and their versions."""

from collections.abc import Mapping
from typing import Annotated, Any, Final
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field, RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.names import Name
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.boards import boards
from webapp.boards.definition import BoardDefinition
from webapp.boards.models import BoardVersion
from webapp.core.api import AFTER, LISTED, ListQuery, answer, read_body, read_query
from webapp.core.errors import ErrorEnvelope

REFUSALS: Final[dict[int, Any]] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}
WRITES: Final[dict[int, Any]] = {409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS}
VERSIONS_LISTED: Final = 20


class BoardRequest(Strict):
    """A new board."""

    name: Name
    definition: BoardDefinition


class BoardChangeRequest(BoardRequest):
    """A change of a board; `parent` is the number of the version that it is based on (null: any)."""

    parent: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None


class BoardSummary(Strict):
    """A board in a list, with the number of its newest version."""

    id: str
    name: str
    title: str
    version: int
    tiles: int
    author: str
    changed_at: str


class BoardList(RootModel[list[BoardSummary]]):
    """Boards by name."""


class BoardResponse(Strict):
    """A version of a board, with the present names of bindings; `gone` are ids of bindings that were deleted."""

    id: str
    name: str
    version: int
    definition: BoardDefinition
    gone: list[str]
    author: str
    created_at: str


class BoardVersionList(RootModel[list[BoardResponse]]):
    """Versions of a board, newest first."""


class BoardVersionsQuery(Strict):
    """The page of versions to list: those before a number, or the newest."""

    before: Annotated[int, Field(ge=1, le=2**31 - 1)] = 2**31 - 1


def board_response(version: BoardVersion, names: Mapping[str, str] | None = None) -> BoardResponse:
    """Return a version of a board; `names` are those of bindings by id (None: they are read)."""
    names, definition = boards.binding_names() if names is None else names, version.read_definition()
    return BoardResponse(
        id=str(version.board_id),
        name=version.board.name,
        version=version.number,
        definition=boards.named_tiles(definition, names),
        gone=sorted(definition.bindings() - names.keys()),
        author=version.author_label,
        created_at=version.created_at.isoformat(),
    )


class BoardsView(TenantView):
    """The boards of an organisation."""

    @extend_schema(operation_id="boards_list", parameters=[AFTER], responses={200: BoardList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the boards by name."""
        after = read_query(request, ListQuery).after
        versions = boards.current_board_versions().filter(board__name__gt=after)[:LISTED]
        return answer(BoardList([_summary(each) for each in versions]))

    @extend_schema(operation_id="boards_create", request=BoardRequest, responses={201: BoardResponse, **WRITES})
    def post(self, request: Request, slug: str) -> Response:
        """Make a board with its first version."""
        body = read_body(request, BoardRequest)
        return answer(board_response(boards.create_board(name=body.name, definition=body.definition)), 201)


class BoardView(TenantView):
    """One board."""

    @extend_schema(operation_id="boards_get", responses={200: BoardResponse, **REFUSALS})
    def get(self, request: Request, slug: str, board: UUID) -> Response:
        """Return the newest version of a board."""
        return answer(board_response(boards.current_board_version(boards.access_board(board))))

    @extend_schema(operation_id="boards_change", request=BoardChangeRequest, responses={200: BoardResponse, **WRITES})
    def put(self, request: Request, slug: str, board: UUID) -> Response:
        """Change a board by a new version, and its name; an unchanged definition makes no version."""
        found = boards.access_board(board)
        body = read_body(request, BoardChangeRequest)
        changed = boards.change_board(board=found, definition=body.definition, name=body.name, parent=body.parent)
        return answer(board_response(changed))

    @extend_schema(operation_id="boards_delete", responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, board: UUID) -> Response:
        """Delete a board with its versions and links."""
        boards.delete_board(board=boards.access_board(board))
        return Response(status=204)


class BoardVersionsView(TenantView):
    """The versions of a board."""

    @extend_schema(
        operation_id="boards_versions",
        parameters=[OpenApiParameter("before", int, description="The number of your oldest one; lists older ones.")],
        responses={200: BoardVersionList, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, board: UUID) -> Response:
        """List the versions of a board, newest first; to restore one, send its definition as a change."""
        found, asked = boards.access_board(board), read_query(request, BoardVersionsQuery)
        rows = BoardVersion.objects.select_related("board").filter(board=found, number__lt=asked.before)
        names = boards.binding_names()
        return answer(BoardVersionList([board_response(each, names) for each in rows[:VERSIONS_LISTED]]))


def _summary(version: BoardVersion) -> BoardSummary:
    return BoardSummary(
        id=str(version.board_id),
        name=version.board.name,
        title=version.board.title,
        version=version.number,
        tiles=len(version.definition["tiles"]),
        author=version.author_label,
        changed_at=version.created_at.isoformat(),
    )
