"""How many examples the laws of texts draw: many where there is time."""

import os

_THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
GRAPHS_DRAWN = 10_000 if _THOROUGH else 50
TEXTS_DRAWN = 2_000 if _THOROUGH else 50
