"""The upper limit: DuckDB with the same grouping over the same Parquet in memory, two threads, no clock, no state."""

import time
from collections.abc import Sequence
from pathlib import Path

import duckdb


def seconds(files: Sequence[Path], size_s: int) -> float:
    """Return how long DuckDB takes to group `files`, already loaded, by tumbling window and key: the best of three."""
    connection = duckdb.connect(config={"threads": 2})
    connection.execute("create table events as select * from read_parquet(?)", [[str(file) for file in files]])
    bucket = f"time_bucket(interval {size_s} second, ts)"
    grouping = f"select {bucket}, key, count(*), sum(value), avg(value) from events group by all"
    connection.execute(grouping).fetchnumpy()
    taken = []
    for _ in range(3):
        began = time.perf_counter()
        connection.execute(grouping).fetchnumpy()
        taken.append(time.perf_counter() - began)
    return min(taken)
