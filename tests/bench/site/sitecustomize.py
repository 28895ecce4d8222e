"""Python imports this at its start, where the folder is on its path: the adapter of the benchmark becomes known."""

import tests.bench.lanes  # noqa: F401
