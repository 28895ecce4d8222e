"""Generated Parquet for the benchmark: one file is one micro-batch, in arrival order, with genuine lateness."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

KEYS = 1_000
MEAN_LATENESS_S = 1.0
WARM_UP = 2
"""How many batches are left out at the beginning of every run."""
START_US = 1_767_225_600_000_000


@dataclass(frozen=True)
class Workload:
    """One row of the table: batches of `rows` at `rows_per_s` of event time, and the windows over them."""

    name: str
    rows: int
    rows_per_s: int
    size_s: int
    hop_s: int

    @property
    def batches(self) -> tuple[int, ...]:
        """Rows of each file: two to warm up, then half and full batches in turn, so that a further row has a cost."""
        return (*(self.rows,) * WARM_UP, *(self.rows // 2, self.rows) * 3)


WORKLOADS = (
    Workload("tumbling 10 s", 5_000_000, 10_000, 10, 10),
    Workload("hopping 600 s by 10 s (ratio 60)", 1_000_000, 1_000, 600, 10),
    Workload("hopping 600 s by 1 s (ratio 600)", 200_000, 200, 600, 1),
)


def write(workload: Workload, folder: Path) -> None:
    """Write the files `0.parquet`, `1.parquet`, ... of `workload`: ts (us, UTC), key (string), value (double)."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(20_26)
    names = pa.array([f"key-{key:04d}" for key in range(KEYS)])
    first = 0
    for number, rows in enumerate(workload.batches):
        arrival_us = (np.arange(first, first + rows) * (1_000_000 / workload.rows_per_s)).astype(np.int64)
        late_us = (random.exponential(MEAN_LATENESS_S, rows) * 1_000_000).astype(np.int64)
        table = pa.table(
            {
                "ts": pa.array(START_US + arrival_us - late_us, pa.timestamp("us", "UTC")),
                "key": names.take(pa.array(random.integers(0, KEYS, rows))),
                "value": pa.array(random.random(rows) * 100.0),
            }
        )
        pq.write_table(table, folder / f"{number}.parquet", row_group_size=1_000_000)
        first += rows
