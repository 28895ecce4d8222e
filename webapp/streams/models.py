"""Streams: named inputs with their schema and the adapter that feeds them."""

from typing import Any

from django.db import models

from streaming.definition.streams.stream import AdapterChoice, StreamDefinition
from webapp.core.database.ordered_json import OrderedJSON
from webapp.core.tenancy import TenantModel


class Stream(TenantModel):
    """A named, persistent input; `definition` and `adapter` are JSON of the models of the same names."""

    exported = "a file of the definitions, and streams.jsonl without secrets"

    name = models.CharField(max_length=63)
    definition = OrderedJSON()
    adapter = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta(TenantModel.Meta):
        """Names are unique in an organisation."""

        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=["organisation", "name"], name="stream_name_once"),)

    def __str__(self) -> str:
        return self.name

    def stored(self) -> dict[str, Any]:
        """Return everything that a change replaces, including encrypted secrets: never shown."""
        return {"name": self.name, "definition": self.definition, "adapter": self.adapter}

    def read_definition(self) -> StreamDefinition:
        """Return the validated definition."""
        return StreamDefinition.model_validate(self.definition)

    def read_adapter(self) -> AdapterChoice:
        """Return the validated choice of adapter."""
        return AdapterChoice.model_validate(self.adapter)
