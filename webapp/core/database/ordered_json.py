"""JSON whose keys keep their order on every database; PostgreSQL's own type sorts them."""

import json
from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    _Text = models.TextField[Any, Any]
else:
    _Text = models.TextField


class OrderedJSON(_Text):
    """Decoded JSON, stored as text. The order of a stream's fields is part of its definition."""

    def from_db_value(self, value: str | None, *_: Any) -> Any:
        """Return the stored value."""
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        """Return `value`, which is already decoded."""
        return value

    def get_prep_value(self, value: Any) -> str | None:
        """Return the value to store."""
        return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
