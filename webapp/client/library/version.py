"""The version of this client."""

from typing import Final

__version__: Final = "0.1.0"
