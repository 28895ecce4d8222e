"""Values of the cache in Redis: as JSON, so that reading one never executes code."""

import json
from typing import Any


class JSONValues:
    """The serializer of Django's cache; integers are written plainly, because Redis counts with them."""

    def dumps(self, value: Any) -> bytes | int:
        """Return `value` as it is stored. Raises `TypeError` for a value that JSON would change."""
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        text = json.dumps(value, allow_nan=False)
        if json.loads(text) != value:
            raise TypeError(f"A {type(value).__name__} cannot be cached: JSON would change it.")
        return text.encode()

    def loads(self, stored: bytes) -> Any:
        """Return the value that was stored. Raises `ValueError` for what is not JSON."""
        return json.loads(stored)
