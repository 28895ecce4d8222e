"""The limit: DuckDB, the same grouping over the same Parquet in memory, two threads, no clock, no state."""

import time
from pathlib import Path

import duckdb


def seconds(file: Path, size_s: int) -> float:
    """How long DuckDB takes to group `file`, already loaded, by tumbling window and key."""
    connection = duckdb.connect(config={"threads": 2})
    connection.execute("create table events as select * from read_parquet(?)", [str(file)])
    bucket = f"time_bucket(interval {size_s} second, ts)"
    grouping = f"select {bucket}, key, count(*), sum(value), avg(value) from events group by all"
    connection.execute(grouping).fetchnumpy()
    began = time.perf_counter()
    connection.execute(grouping).fetchnumpy()
    return time.perf_counter() - began
