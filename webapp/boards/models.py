"""Boards, their versions, and the links that share them."""

from typing import Any

from django.db import models

from webapp.boards.definition import BoardDefinition
from webapp.core.database.ordered_json import OrderedJSON
from webapp.core.tenancy import TenantModel


class ImmutableBoardVersion(RuntimeError):
    """A stored version was about to be changed; an error of the program."""


class Board(TenantModel):
    """A board; its content is in its versions. `title` is the newest version's."""

    exported = ("id", "name", "title", "created_at")

    name = models.CharField(max_length=63)
    title = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        """Names are unique in an organisation."""

        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=["organisation", "name"], name="board_name_once"),)

    def __str__(self) -> str:
        return self.name


class BoardVersion(TenantModel):
    """One version of a board: written once, never changed. `definition` is a BoardDefinition."""

    exported = ("id", "board_id", "number", "definition", "author_label", "created_at")

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    definition = OrderedJSON()
    author_label = models.CharField(max_length=254, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        """Newest first; numbers count up inside a board."""

        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=["board", "number"], name="board_version_once"),)

    def __str__(self) -> str:
        return f"{self.board_id} version {self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write a new version. Raises `ImmutableBoardVersion` for a stored one."""
        if not self._state.adding:
            raise ImmutableBoardVersion(f"Version {self.number} is stored and cannot change; make a new one.")
        super().save(*args, **kwargs)

    def read_definition(self) -> BoardDefinition:
        """Return the definition."""
        return BoardDefinition.model_validate(self.definition)
