"""The number of examples that the laws of texts draw: more in thorough runs."""

import os

_THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
GRAPHS_DRAWN = 10_000 if _THOROUGH else 50
TEXTS_DRAWN = 2_000 if _THOROUGH else 50
