"""The default number of rows in a micro-batch: as many as increase the speed and fit into memory."""

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from streaming.adapters.contract import AdapterError
from streaming.adapters.file.found import FoundFile
from streaming.run.inputs.files import InputFiles
from streaming.run.options import ExecutorName

MOST: Final[dict[ExecutorName, int]] = {"reference": 10_000, "engine": 1_000_000, "spark": 20_000_000}
"""More rows make no batch faster.

60 M rows of three numbers took the engine 11.7 s of a core with 250,000, 7.8 s with 1 M and 7.7 s with 4 M; Spark needs
0.4 s for each batch however small.
"""
MOST_WHOLE: Final = 2_000_000
"""On Spark, if rows themselves and not their sums go through the JVM."""
FEWEST: Final = 1_000
_IN_MEMORY: Final = 5
"""The memory of a row in a running batch is so many times the bytes of its columns: 120 bytes measured for 24."""
_BESIDE: Final = 64
"""In addition, so many bytes: lifetime, position, outcome."""
_SHARE: Final = 0.25
"""Batches may take this share of the free memory."""
_LOOKED_AT: Final = 1 << 20
_CGROUP: Final = Path("/sys/fs/cgroup")


def rows_a_batch(
    executor: ExecutorName, inputs: Sequence[InputFiles], *, folded: bool = True, free: int | None = None
) -> int:
    """Return the rows for each input and micro-batch of `executor`.

    `folded`: rows are folded where they are read. `free`: bytes of memory that may be used; None: measured.
    """
    widest = max((bytes_a_row(each) for each in inputs), default=0.0)
    room = (free_memory() if free is None else free) * _SHARE / max(len(inputs), 1)
    fit = int(room / (widest * _IN_MEMORY + _BESIDE))
    return max(FEWEST, min(fit, MOST[executor] if folded else MOST_WHOLE))


def bytes_a_row(files: InputFiles) -> float:
    """Return the approximate bytes of the columns of a row, from the first file that has any; 0.0 without any."""
    first = next((file for file in files.files if file.size), None)
    if first is None:
        return 0.0
    try:
        with first.open() as file:
            if files.form == "parquet":
                described = pq.read_metadata(file)
                groups = [described.row_group(index) for index in range(described.num_row_groups)]
                return float(sum(group.total_byte_size for group in groups) / max(described.num_rows, 1))
            begin = file.read(_LOOKED_AT)
    except (OSError, EOFError, zlib.error, AdapterError, pa.ArrowException):
        return 0.0  # the reader reports the error
    return len(begin) / max(begin.count(b"\n"), 1)


def expected_rows(inputs: Sequence[InputFiles]) -> int | None:
    """Return the approximate number of rows of `inputs`; None if that is impossible without unpacking them."""
    total = 0.0
    for files in inputs:
        if files.form == "parquet":
            total += sum(_rows_of_parquet(file) for file in files.files)
        elif any(file.path.endswith((".gz", ".zst")) for file in files.files):
            return None
        else:
            total += sum(file.size for file in files.files) / max(bytes_a_row(files), 1.0)
    return int(total)


def _rows_of_parquet(found: FoundFile) -> int:
    try:
        with found.open() as file:
            return int(pq.read_metadata(file).num_rows)
    except (OSError, AdapterError, pa.ArrowException):
        return 0


def free_memory() -> int:
    """Return how many bytes this process may still take, of the machine and of its control group's limit."""
    free = int(psutil.virtual_memory().available)
    try:
        most = (_CGROUP / "memory.max").read_text().strip()
        if most != "max":
            free = min(free, int(most) - int((_CGROUP / "memory.current").read_text()))
    except (OSError, ValueError):
        pass
    return max(free, 0)
