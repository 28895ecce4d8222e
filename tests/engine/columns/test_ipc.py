"""Tables as bytes, and smaller ones where they travel."""

import numpy as np
import pyarrow as pa

from streaming.engine.columns.ipc import from_bytes, metadata_of, to_bytes, to_chunk

SMALL = pa.table({"n": [1, None, 3], "text": ["a", None, "c"]})
LARGE = pa.table({"n": np.arange(20_000), "text": [f"row {number}" for number in range(20_000)]})
NONE = LARGE.slice(0, 0)


def test_a_table_comes_back_with_its_metadata() -> None:
    for table in (SMALL, LARGE, NONE):
        for way in (to_bytes, to_chunk):
            back = from_bytes(way(table, {"branch": "b"}))
            assert (back.to_pylist(), metadata_of(back, "branch")) == (table.to_pylist(), "b")


def test_only_what_is_large_is_compressed() -> None:
    assert to_chunk(SMALL) == to_bytes(SMALL)
    assert len(to_chunk(LARGE)) < len(to_bytes(LARGE)) / 2
    assert to_chunk(LARGE) == to_chunk(LARGE)


def test_a_part_of_a_table_is_written_without_the_rest() -> None:
    assert len(to_chunk(LARGE.slice(10, 3))) < 2_000
