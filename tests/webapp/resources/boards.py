"""Boards of an organisation."""

from collections.abc import Iterable
from typing import Any

from tests.webapp.resources import OwnThings, Resource
from tests.webapp.stage import Asked, Case, Some, Stage
from webapp.boards.models import Board, BoardVersion


def board_body(name: str, binding: str, title: str = "Morning desk") -> dict[str, Any]:
    """A board with a tile of each kind about a binding."""
    tiles = [
        {"kind": "chart", "title": "Rows", "binding": binding, "chart": {"kind": "value"}},
        *({"kind": kind, "title": kind, "binding": binding} for kind in ("trust", "outcomes", "lag", "lateness")),
        {"kind": "text", "title": "Note", "text": "Call the gate."},
    ]
    return {"name": name, "definition": {"title": title, "tiles": tiles}}


def _one(things: OwnThings) -> str:
    with_mark = board_body(f"b_{things.mark}"[:60].replace("-", "_").replace(" ", "_"), things.binding, things.mark)
    return things.made("boards/", with_mark)


def _rows(numbers: range) -> Iterable[BoardVersion]:
    boards = Board.objects.bulk_create(Board(name=f"board_{number:03}", title="Desk") for number in numbers)
    return [BoardVersion(board=board, number=1, definition={"title": "Desk", "tiles": []}) for board in boards]


def _body(stage: Stage) -> dict[str, Any]:
    return board_body("desk", stage.binding["id"])


def _path(stage: Stage) -> str:
    return f"boards/{stage.made('boards/', _body(stage))['id']}/"


def _changed(stage: Stage) -> Asked:
    return _path(stage), {"name": "desk", "definition": {"title": "Night desk"}}


BOARD = Resource(
    "board",
    _one,
    _rows,
    lists={"boards/": "boards by name"},
    writes={
        ("boards/", "post"): Case(
            "board.created", lambda stage: ("boards/", _body(stage)), "desk", None, Some({"version": 1})
        ),
        ("boards/<uuid:board>/", "put"): Case(
            "board.version_made", _changed, "desk", Some({"version": 1}), Some({"version": 2})
        ),
        ("boards/<uuid:board>/", "delete"): Case(
            "board.deleted", lambda stage: (_path(stage), None), "desk", Some({"version": 1})
        ),
    },
)
