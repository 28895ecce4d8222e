"""The definition of a board: its tiles in order, their sizes, the range and the filters of all of them."""

from typing import Annotated, Literal

from pydantic import Field

from streaming.definition.strict import Strict
from webapp.boards.charts import ChartDefinition

MOST_TILES = 40
BoardSeconds = Literal[900, 3_600, 7_200, 86_400, 604_800, 2_592_000, 7_776_000]
"""The lengths of a range that the history of a binding has."""
BoardTitle = Annotated[str, Field(min_length=1, max_length=120, pattern=r"\S")]
BindingId = Annotated[str, Field(min_length=1, max_length=63)]
FieldFilter = Annotated[str, Field(min_length=1, max_length=400)]
"""`FIELD:VALUE`, or `FIELD` for null, as in charts and exports."""
FieldFilters = Annotated[list[FieldFilter], Field(max_length=8)]


class _Tile(Strict):
    """A tile; `width` counts columns of 12, `height` rows of the grid."""

    title: BoardTitle
    width: Annotated[int, Field(ge=2, le=12)] = 4
    height: Annotated[int, Field(ge=1, le=6)] = 2


class BindingTile(_Tile):
    """A tile about a binding. `binding_name` is its name when the version was stored; a request may leave it out."""

    binding: BindingId
    binding_name: Annotated[str, Field(max_length=63)] = ""


class ChartTile(BindingTile):
    """A chart of the results of all runs of a binding, only of rows that match `where`."""

    kind: Literal["chart"]
    chart: ChartDefinition
    where: FieldFilters = Field(default_factory=list)


class LatenessTile(BindingTile):
    """Figures about the lateness of a binding's rows.

    `trust`: the verdict on its results. `outcomes`: its rows by outcome. `lag`: now minus its smallest CTI.
    `lateness`: how far rows come behind, and the delay.
    """

    kind: Literal["trust", "outcomes", "lag", "lateness"]


class TextTile(_Tile):
    """A note, as plain text."""

    kind: Literal["text"]
    text: Annotated[str, Field(min_length=1, max_length=4_000)]


BoardTile = Annotated[ChartTile | LatenessTile | TextTile, Field(discriminator="kind")]


class BoardDefinition(Strict):
    """A board: its tiles in reading order.

    `seconds` is the range until now of every tile; null: all results, and the last two hours of lateness tiles. `where`
    filters all charts whose results have the field.
    """

    title: BoardTitle
    seconds: BoardSeconds | None = None
    where: FieldFilters = Field(default_factory=list)
    tiles: Annotated[list[BoardTile], Field(max_length=MOST_TILES)] = Field(default_factory=list)

    def bindings(self) -> set[str]:
        """Return the bindings of all tiles."""
        return {tile.binding for tile in self.tiles if isinstance(tile, BindingTile)}

    def with_tiles(self, tiles: list[ChartTile | LatenessTile | TextTile]) -> "BoardDefinition":
        """Return the board with other tiles."""
        return self.model_copy(update={"tiles": tiles})
