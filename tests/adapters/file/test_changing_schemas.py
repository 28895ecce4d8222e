"""A schema that changes during a stream: fitting data is read, the rest is malformed or reported with its file."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streaming.adapters.contract import AdapterError
from streaming.temporal.events import Event
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.row_json import Element, MalformedRow
from tests.adapters.inputs import files, rows, write

FIRST, LAST = Event(1, 2, {"k": "a", "v": 1}), Event(9, 10, {"k": "z", "v": 9})
BAD = MalformedRow(Reason.BAD_PAYLOAD)


def of_texts(folder: Path, ending: str, contents: Sequence[str]) -> list[Element]:
    for number, content in enumerate(contents):
        write(folder / f"{number}.{ending}", content, modified_s=1_000 + number)
    return rows(files(folder))


def of_tables(folder: Path, tables: Sequence[dict[str, Any]]) -> list[Element]:
    for number, columns in enumerate(tables):
        path = folder / f"{number}.parquet"
        pq.write_table(pa.table(columns), path)
        os.utime(path, (1_000 + number, 1_000 + number))
    return rows(files(folder))


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("v,more,k,ts\n5,x,b,5\n", Event(5, 6, {"k": "b", "v": 5})),
        ("ts,k,v\n5,b,fast\n", BAD),
        ("ts,k,v,more\n5,b,5.5,x\n", BAD),
    ],
)
def test_csv_files_whose_header_or_type_changes_affect_no_other(
    tmp_path: Path, changed: str, expected: Element
) -> None:
    assert of_texts(tmp_path, "csv", ["ts,k,v\n1,a,1\n", changed, "ts,k,v\n9,z,9\n"]) == [FIRST, expected, LAST]


@pytest.mark.parametrize("many", [1, 1_000])
def test_fields_of_json_that_change_their_type_are_malformed_and_their_neighbours_are_read(
    tmp_path: Path, many: int
) -> None:
    good = '{"ts": 1, "k": "a", "v": 1}\n'
    changed = ['"v": "1"', '"v": 1.5', '"v": [1]', '"v": {"now": 1}', '"v": 1, "k": 5']
    lines = "".join(f'{{"ts": 5, "k": "b", {each}}}\n' for each in changed)
    found = of_texts(tmp_path, "jsonl", [good * many + lines + good * many, '{"ts": 9, "k": "z", "v": 9}\n'])
    assert found == [*[FIRST] * many, *[BAD] * len(changed), *[FIRST] * many, LAST]


def test_parquet_files_with_other_columns_are_read_by_those_of_the_stream(tmp_path: Path) -> None:
    first, last = {"ts": [1], "k": ["a"], "v": [1]}, {"ts": [9], "k": ["z"], "v": [9]}
    changed = {"v": pa.array([5], pa.int16()), "more": [None], "k": ["b"], "ts": [5]}
    assert of_tables(tmp_path, [first, changed, last]) == [FIRST, Event(5, 6, {"k": "b", "v": 5}), LAST]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"ts": [5], "k": ["b"]}, "The file '1.parquet' has no column 'v'"),
        ({"ts": [5], "k": ["b"], "v": ["5"]}, "The column 'v' of '1.parquet' is string, but the field 'v'"),
    ],
)
def test_a_file_without_readable_rows_is_named_with_what_to_do(
    tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(AdapterError, match=message) as raised:
        of_tables(tmp_path, [{"ts": [1], "k": ["a"], "v": [1]}, changed])
    assert " with that" in str(raised.value)
