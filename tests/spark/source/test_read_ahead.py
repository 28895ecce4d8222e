"""Read-ahead changes neither order nor errors, and is never more than one chunk ahead."""

from collections.abc import Iterator

import pytest

from streaming.spark.source.read_ahead import ahead


def test_order_is_kept_and_one_chunk_is_decoded_ahead() -> None:
    made: list[int] = []

    def chunks() -> Iterator[int]:
        for number in range(5):
            made.append(number)
            yield number

    seen = []
    for chunk in ahead(chunks()):
        seen.append(chunk)
        assert len(made) <= chunk + 2
    assert seen == [0, 1, 2, 3, 4]


def test_an_error_comes_after_the_chunks_before_it() -> None:
    def chunks() -> Iterator[str]:
        yield "good"
        raise OSError("the file is gone")

    reading = ahead(chunks())
    assert next(reading) == "good"
    with pytest.raises(OSError, match="gone"):
        next(reading)
