"""Boards as files, which name bindings by their names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from webapp.boards.boards import named_tiles
from webapp.boards.definition import BindingTile, BoardDefinition
from webapp.boards.models import BoardVersion
from webapp.bundles.bodies import FileFault
from webapp.bundles.files import BundleFile, bad_file
from webapp.bundles.yaml_text import write_yaml


@dataclass(frozen=True)
class BoardAfter:
    """A board as in the files: its definition with the ids of bindings, and its canonical text."""

    definition: BoardDefinition
    text: str


def present_board(version: BoardVersion, names: Mapping[str, str]) -> str:
    """Return the canonical text of a stored board; `names` are those of bindings by id."""
    return board_text(named_tiles(version.read_definition(), names))


def board_text(definition: BoardDefinition) -> str:
    """Return the canonical text of a board: default values are left out, and bindings are named."""
    content = definition.model_dump(mode="json", exclude_defaults=True)
    tiles = [_tile(each.model_dump(mode="json", exclude_defaults=True)) for each in definition.tiles]
    return write_yaml({**content, "tiles": tiles} if tiles else content)


def board_after(
    source: BundleFile, board: BoardDefinition, ids: Mapping[str, UUID]
) -> tuple[BoardAfter | None, Sequence[FileFault]]:
    """Return the board of a file, or its errors; `ids` are those of bindings by name, as they will be."""
    faults = [
        bad_file(
            source.path,
            f"No binding is called {tile.binding}.",
            "Name a binding of the files or one that you have, or remove the tile.",
            *source.document.place(("tiles", index, "binding")),
        )
        for index, tile in enumerate(board.tiles)
        if isinstance(tile, BindingTile) and tile.binding not in ids
    ]
    if faults:
        return None, faults
    tiles = [
        tile.model_copy(update={"binding": str(ids[tile.binding]), "binding_name": tile.binding})
        if isinstance(tile, BindingTile)
        else tile
        for tile in board.tiles
    ]
    definition = board.with_tiles(tiles)
    return BoardAfter(definition, board_text(definition)), []


def _tile(content: dict[str, Any]) -> dict[str, Any]:
    binding, name = content.pop("binding", None), content.pop("binding_name", None)
    own = {} if binding is None else {"binding": name or binding}
    return {"kind": content.pop("kind"), "title": content.pop("title"), **own, **content}
