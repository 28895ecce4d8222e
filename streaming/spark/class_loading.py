"""Loads the classes of Spark's queries into a session, by running a small query.

`python -m streaming.spark.class_loading` makes the archive of these classes (`class_archive.py`), if it is missing.
"""

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pyspark.sql import SparkSession

from streaming.spark.errors import PunctualError
from streaming.spark.local_run import run_to_end
from streaming.spark.query.layout import CarrierSettings
from streaming.spark.session.class_archive import archive_place, delete_unused_archives, is_whole
from streaming.spark.session.session import end_session, start_session
from streaming.wire.messages import RunSpec


def main() -> int:
    """Make the archive, if it is missing: run a query as runners do, then let its JVM write the loaded classes."""
    place = archive_place()
    if place is None or is_whole(place):
        return 0
    delete_unused_archives(place.parent)
    try:
        _make_archive()
    except PunctualError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0 if is_whole(place) else 1


def _make_archive() -> None:
    session = start_session(make_archive=True)
    load_all(session)
    end_session(session)  # the JVM writes the archive


def load_all(session: SparkSession) -> None:
    """Make `session` load the classes that queries load, by running a small query. Raises `PunctualError`.

    The first query of a session took 4.3 s to its first batch, the next one 1.1 s (2 cores, 2026-11-26).
    """
    with tempfile.TemporaryDirectory(prefix="engine-classes-") as folder:
        home = Path(folder).resolve()
        run_to_end(
            session, [(RunSpec.model_validate(SPEC), "flush")], home / "carrier", CarrierSettings(home=str(home))
        )


SPEC: Final[Mapping[str, Any]] = {
    "organisation": "classes",
    "binding": "classes",
    "run": "classes",
    "desired": "running",
    "query": {
        "version": 1,
        "name": "classes",
        "nodes": [
            {"id": "cars", "kind": "input", "stream": "cars"},
            {
                "id": "windows",
                "kind": "window",
                "input": "cars",
                "window": {"kind": "tumbling", "size": "10s"},
                "aggregates": [{"name": "n", "function": "count"}],
            },
            {"id": "out", "kind": "output", "input": "windows"},
        ],
    },
    "inputs": {
        "cars": {
            "stream": {"shape": "point", "fields": {"plate": "string"}, "advance": {"preset": "watermark(5s)"}},
            "adapter": {"kind": "generator", "options": {"total_rows": 100, "rate": 1_000_000}},
        }
    },
    "results": "results",
}
"""A run that loads the same classes as other runs."""


if __name__ == "__main__":
    sys.exit(main())
