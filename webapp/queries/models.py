"""Queries and their versions."""

from typing import Any, Final

from django.db import models

from streaming.definition.graph import QueryGraph
from webapp.accounts.models import User
from webapp.core.tenancy import TenantModel

LONGEST_TEXT: Final = 200_000
"""Characters in the text of a query."""


class ImmutableVersion(RuntimeError):
    """A stored version was about to be changed; an error of the program."""


class Query(TenantModel):
    """A query; its content is in its versions, and `name` is the newest version's.

    `tags` are sorted; `owner` is the member who answers for it. Neither is part of a version.
    """

    exported = ("id", "name", "tags", "owner_id", "created_at")

    name = models.CharField(max_length=63)
    tags = models.JSONField(default=list, db_default=models.Value([], models.JSONField()))
    owner = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        """Names are unique in an organisation."""

        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=["organisation", "name"], name="query_name_once"),)

    def __str__(self) -> str:
        return self.name


class QueryVersion(TenantModel):
    """One version of a query's graph: written once, never changed.

    `printed` is the graph as text if no text is stored; empty in versions older than this field.
    """

    exported = ("id", "query_id", "number", "graph", "comment", "author_label", "created_at")

    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    graph = models.JSONField()
    content_hash = models.CharField(max_length=64)
    author = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    author_label = models.CharField(max_length=254, default="")
    comment = models.CharField(max_length=500, blank=True)
    printed = models.TextField(blank=True, default="")
    parent = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        """Newest first; numbers count up inside a query."""

        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=["query", "number"], name="version_number_once"),)

    def __str__(self) -> str:
        return f"{self.query_id} version {self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write a new version. Raises `ImmutableVersion` for a stored one."""
        if not self._state.adding:
            raise ImmutableVersion(f"Version {self.number} is stored and cannot change; make a new one.")
        super().save(*args, **kwargs)

    def read_graph(self) -> QueryGraph:
        """Return the validated graph."""
        return QueryGraph.model_validate(self.graph)


class QueryText(TenantModel):
    """The text of a version, which means its graph. Comments and layout may change, because the graph lacks them."""

    exported = ("version_id", "text")

    version = models.OneToOneField(QueryVersion, on_delete=models.CASCADE, related_name="text")
    text = models.TextField()

    class Meta(TenantModel.Meta):
        """One text for each version, at most."""

    def __str__(self) -> str:
        return f"the text of {self.version_id}"


class QueryLayout(TenantModel):
    """The positions of a query's nodes: by id, `{"x": ..., "y": ...}` in units of the canvas."""

    exported = ("query_id", "positions")

    query = models.OneToOneField(Query, on_delete=models.CASCADE, related_name="layout")
    positions = models.JSONField(default=dict)

    class Meta(TenantModel.Meta):
        """One layout for each query, at most."""

    def __str__(self) -> str:
        return f"the layout of {self.query_id}"
