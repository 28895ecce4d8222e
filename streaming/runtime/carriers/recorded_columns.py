"""Recording the columns of each run's results for deliveries (`streaming.storage.result_columns`)."""

import logging
from collections.abc import Mapping
from pathlib import Path

from streaming.storage.result_columns import write_columns
from streaming.storage.result_location import result_folder
from streaming.wire.messages import RunSpec

log = logging.getLogger(__name__)


class RecordedColumns:
    """Writes the columns of every run once, into the organisation's `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._runs: set[str] = set()

    def record(self, spec: RunSpec) -> None:
        """Record the columns of the results of `spec`; a write that fails is retried each turn."""
        if spec.beside or spec.run in self._runs:
            return
        try:
            write_columns(result_folder(self._folder).within(spec.results), spec)
        except OSError as error:
            log.warning("the columns of run %s cannot be recorded yet: %s", spec.run, error)
        else:
            self._runs.add(spec.run)

    def record_all(self, desired: Mapping[str, RunSpec]) -> None:
        """Record the columns of all `desired` runs; forget other runs."""
        self._runs &= {spec.run for spec in desired.values()}
        for spec in desired.values():
            self.record(spec)
