"""Boards: read with rights, made, changed by new versions, renamed, deleted."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet

from streaming.definition.faults import FaultCode
from webapp.accounts.limits.quotas import check_room
from webapp.audit.recording import Target, record
from webapp.boards.definition import BindingTile, BoardDefinition
from webapp.boards.models import Board, BoardVersion
from webapp.boards.usage import board_versions, boards
from webapp.core.context import current_actor
from webapp.core.errors import Conflict, Faulty, NotFound, fault
from webapp.core.turns import alone
from webapp.runs.models import Binding


def access_board(board: UUID) -> Board:
    """Return a board. Raises `NotFound` if absent or not yours."""
    found = Board.objects.filter(pk=board).first()
    if found is None:
        raise NotFound
    return found


def current_board_versions() -> QuerySet[BoardVersion]:
    """Return the newest version of each board, by the board's name."""
    newer = BoardVersion.objects.filter(board=OuterRef("board"), number__gt=OuterRef("number"))
    return BoardVersion.objects.select_related("board").filter(~Exists(newer)).order_by("board__name")


def current_board_version(board: Board) -> BoardVersion:
    """Return the newest version of a board; every board has one."""
    version = BoardVersion.objects.select_related("board").filter(board=board).first()
    assert version is not None, "a board is created together with its first version"  # nosec B101 # for the type checker only
    return version


def binding_names() -> dict[str, str]:
    """Return the name of each binding of the organisation in context, by id."""
    return {str(pk): name for pk, name in Binding.objects.order_by().values_list("pk", "name")}


def named_tiles(definition: BoardDefinition, names: Mapping[str, str]) -> BoardDefinition:
    """Return the board with the present names of bindings; those that are gone keep their last names."""
    return definition.with_tiles(
        [
            tile.model_copy(update={"binding_name": names.get(tile.binding, tile.binding_name)})
            if isinstance(tile, BindingTile)
            else tile
            for tile in definition.tiles
        ]
    )


def create_board(*, name: str, definition: BoardDefinition) -> BoardVersion:
    """Create a board with its first version. Raises `Conflict` for a name that is taken, `Faulty`, `OverQuota`."""
    try:
        with transaction.atomic():
            alone("boards")
            check_room("boards", boards())
            checked = _checked(definition, None)
            board = Board(name=name, title=checked.title)
            board.save()
            made = _add_version(board, checked, 1)
            record("board.created", target=board_target(board), after=audited_board(made))
    except IntegrityError:
        raise Conflict(f"A board {name} already exists. Choose another name.") from None
    return made


def change_board(
    *, board: Board, definition: BoardDefinition, name: str | None = None, parent: int | None
) -> BoardVersion:
    """Return the newest version of a board after a change; an unchanged definition makes no version.

    Raises `Conflict` if `parent` is given and no longer the newest number, or the name is taken; `Faulty`, `OverQuota`.
    """
    try:
        with transaction.atomic():
            locked = Board.objects.select_for_update().filter(pk=board.pk).first()
            if locked is None:
                raise NotFound
            current = current_board_version(locked)
            if parent is not None and parent != current.number:
                raise Conflict(f"Version {current.number} was made since then. Load it, and make your change again.")
            if name is not None and name != locked.name:
                _rename(locked, name)
            checked = _checked(definition, current.read_definition())
            if current.read_definition() == checked:
                return current_board_version(locked)
            before = audited_board(current)
            made = _add_version(locked, checked, current.number + 1)
            locked.title = checked.title
            locked.save(update_fields=["title"])
            record("board.version_made", target=board_target(locked), before=before, after=audited_board(made))
    except IntegrityError:
        raise Conflict(f"Another board is called {name}. Choose another name.") from None
    return made


def delete_board(*, board: Board) -> None:
    """Delete a board with its versions and links; the links stop to work at once."""
    with transaction.atomic():
        target, before = board_target(board), audited_board(current_board_version(board))
        board.delete()
        record("board.deleted", target=target, before=before)


def board_target(board: Board) -> Target:
    """Return the board as the audit log names it."""
    return Target("board", board.pk, board.name)


def audited_board(version: BoardVersion) -> dict[str, Any]:
    """Return the state of a version for the audit log."""
    return {"version": version.number, "definition": version.definition}


def _rename(board: Board, name: str) -> None:
    before, board.name = board.name, name
    board.save(update_fields=["name"])
    record("board.renamed", target=board_target(board), before={"name": before}, after={"name": name})


def _checked(definition: BoardDefinition, before: BoardDefinition | None) -> BoardDefinition:
    """Return the board with the names of its bindings; one that is gone may stay. Raises `Faulty` for unknown ones."""
    stored = (
        {}
        if before is None
        else {tile.binding: tile.binding_name for tile in before.tiles if isinstance(tile, BindingTile)}
    )
    known = {**stored, **binding_names()}
    unknown = [
        fault(
            FaultCode.BAD_SHAPE,
            f"The tile {tile.title!r} is about a binding that doesn't exist.",
            "Choose one of your bindings.",
            field=f"definition.tiles[{index}].binding",
        )
        for index, tile in enumerate(definition.tiles)
        if isinstance(tile, BindingTile) and tile.binding not in known
    ]
    if unknown:
        raise Faulty(unknown)
    return named_tiles(definition, known)


def _add_version(board: Board, definition: BoardDefinition, number: int) -> BoardVersion:
    check_room("board_versions", board_versions())
    version = BoardVersion(board=board, number=number, author_label=current_actor().label)
    version.definition = definition.model_dump(mode="json")
    version.save()
    return version
