"""Text decoded by two threads keeps the order of its records."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from streaming.adapters.file.records import Records
from streaming.adapters.formats.text.decoding import THREADS, WORTH_A_THREAD, decoded
from tests.adapters.inputs import chunks, files, write

LARGE = WORTH_A_THREAD


def parts(*sizes: int) -> Iterator[Records]:
    first = 0
    for rows in sizes:
        yield Records(b"", np.zeros(rows, np.int64), np.zeros(rows, np.int64), np.zeros(rows, np.bool_), first)
        first += rows


def test_early_results_wait_for_earlier_records() -> None:
    second = threading.Event()

    def decode(part: Records) -> int:
        if part.first == 0:
            assert second.wait(60)
        else:
            second.set()
        return part.first

    assert list(decoded(parts(LARGE, LARGE, LARGE), decode)) == [0, LARGE, 2 * LARGE]  # type: ignore[comparison-overlap, arg-type]


def test_few_records_need_no_thread_unless_others_wait() -> None:
    names: list[str] = []

    def decode(part: Records) -> int:
        names.append(threading.current_thread().name)
        return part.first

    found = list(decoded(parts(1, LARGE, 1, 1), decode))  # type: ignore[arg-type]
    assert found == [0, 1, 1 + LARGE, 2 + LARGE]  # type: ignore[comparison-overlap]
    here = threading.current_thread().name
    assert names[0] == here
    assert here not in names[1:3]


def test_an_error_is_raised_in_the_order_of_its_records() -> None:
    def decode(part: Records) -> int:
        if part.first == LARGE:
            raise ValueError("broken")
        return part.first

    found = decoded(parts(LARGE, LARGE, LARGE), decode)  # type: ignore[arg-type]
    assert next(found) == 0  # type: ignore[comparison-overlap]
    with pytest.raises(ValueError, match="broken"):
        next(found)


def test_no_more_is_read_than_the_threads_decode() -> None:
    read: list[int] = []

    def watched() -> Iterator[Records]:
        for part in parts(*[LARGE] * 10):
            read.append(part.first)
            yield part

    found = decoded(watched(), lambda part: part.first)  # type: ignore[arg-type, return-value]
    next(found)
    assert len(read) == THREADS
    found.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "line"), [("a.jsonl", '{{"ts": {0}, "k": "a{0}", "v": {0}}}\n'), ("a.csv", "{0},a{0},{0}\n")]
)
def test_a_file_of_many_chunks_is_read_in_order(tmp_path: Path, name: str, line: str) -> None:
    """One chunk has a broken record, so that it takes much longer."""
    rows = 5 * LARGE
    lines = [line.format(number) for number in range(rows)]
    lines[2 * LARGE + 5] = "broken\n"
    write(tmp_path / name, ("ts,k,v\n" if name.endswith("csv") else "") + "".join(lines))
    found = chunks(files(tmp_path, chunk_rows=LARGE))
    assert np.concatenate([chunk.positions for chunk in found]).tolist() == list(range(rows))
    starts = np.concatenate([chunk.start for chunk in found])
    right = np.arange(rows) != 2 * LARGE + 5
    assert (starts[right] == np.flatnonzero(right)).all()
