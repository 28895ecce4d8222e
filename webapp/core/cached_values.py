"""How the cache writes values into Redis: as JSON, so that reading one runs nothing, whoever wrote it."""

import json
from typing import Any


class JSONValues:
    """The serializer of Django's cache; whole numbers are written plainly, because Redis counts with them."""

    def dumps(self, value: Any) -> bytes | int:
        """Return `value` as it is stored. Raises `TypeError` for what JSON would give back as something else."""
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        text = json.dumps(value, allow_nan=False)
        if json.loads(text) != value:
            raise TypeError(f"A {type(value).__name__} cannot be cached: JSON would give back something else.")
        return text.encode()

    def loads(self, stored: bytes) -> Any:
        """Return the value that was stored. Raises `ValueError` for what is not JSON."""
        return json.loads(stored)
