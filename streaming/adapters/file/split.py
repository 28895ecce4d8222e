"""Where records begin and end in a block of bytes: lines, or CSV records whose quoted cells may hold line ends."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from streaming.adapters.times import Bools
from streaming.wire.arrived import Int64s

MAX_RECORD_BYTES = 1 << 20
"""The largest record; a larger one is a broken row.

A quote that is not closed within so many bytes was never meant to open: its line alone is a broken row.
"""
_LINE_END, _RETURN, _QUOTE = 10, 13, 34


@dataclass(frozen=True)
class Split:
    """Records `[starts, ends)` of a block, without line ends; empty lines are none.

    `broken` are those with ill-formed quotes, and those that are larger than a record may be.

    The bytes from `consumed` on need more of the file before they can be split.
    """

    starts: Int64s
    ends: Int64s
    broken: Bools
    consumed: int


Splitter = Callable[[bytes, bool], Split]
"""Splits a block; the flag says that the file ends with it."""


def split_lines(block: bytes, last: bool) -> Split:
    """One record for each line that is not empty."""
    data = np.frombuffer(block, dtype=np.uint8)
    return _records(block, np.flatnonzero(data == _LINE_END), last)


def _records(block: bytes, line_ends: Int64s, last: bool) -> Split:
    data = np.frombuffer(block, dtype=np.uint8)
    consumed = len(block) if last else (int(line_ends[-1]) + 1 if len(line_ends) else 0)
    ends = line_ends
    if last and len(block) > (int(line_ends[-1]) + 1 if len(line_ends) else 0):
        ends = np.append(line_ends, len(block))
    starts = np.concatenate(([0], ends[:-1] + 1)).astype(np.int64) if len(ends) else ends
    trimmed = ends - ((ends > starts) & (data[np.maximum(ends - 1, 0)] == _RETURN)) if len(ends) else ends
    kept = trimmed > starts
    starts, ends = starts[kept], trimmed[kept]
    return Split(starts, ends, ends - starts > MAX_RECORD_BYTES, consumed)


def csv_splitter(delimiter: str) -> Splitter:
    """Records of CSV (RFC 4180): a quoted cell may hold delimiters, doubled quotes and line ends.

    A quote elsewhere, or one that is never closed, makes its line a broken record; the next line is a new one.
    """
    byte = delimiter.encode()

    def split(block: bytes, last: bool) -> Split:
        if b'"' not in block:
            return split_lines(block, last)
        return _well_formed(block, last, byte[-1]) or _one_by_one(block, last, byte)

    return split


def _well_formed(block: bytes, last: bool, delimiter: int) -> Split | None:
    """All records at once; None if any quote is ill-formed or any record is too long."""
    data = np.frombuffer(block, dtype=np.uint8)
    quotes = np.flatnonzero(data == _QUOTE)
    lines = np.flatnonzero(data == _LINE_END)
    record_ends = lines[np.searchsorted(quotes, lines) % 2 == 0]
    result = _records(block, record_ends, last)
    quotes = quotes[quotes < result.consumed]
    if len(quotes) % 2:
        return None
    padded = np.concatenate(([_LINE_END], data, [_LINE_END, _LINE_END])).astype(np.uint8)
    opening, closing = quotes[0::2], quotes[1::2]
    before, after, after_next = padded[opening], padded[closing + 2], padded[closing + 3]
    doubled = (
        np.concatenate(([False], opening[1:] == closing[:-1] + 1)) if len(opening) else np.zeros(0, dtype=np.bool_)
    )
    closes = (after == delimiter) | (after == _LINE_END) | ((after == _RETURN) & (after_next == _LINE_END))
    well = doubled | (before == delimiter) | (before == _LINE_END)
    ends_well = closes | np.append(doubled[1:], False)
    if not (well.all() and ends_well.all()) or (result.ends - result.starts > MAX_RECORD_BYTES).any():
        return None
    return result if len(block) - result.consumed <= MAX_RECORD_BYTES else None


def _one_by_one(block: bytes, last: bool, delimiter: bytes) -> Split:
    starts: list[int] = []
    ends: list[int] = []
    broken: list[bool] = []
    at = 0
    while at < len(block):
        end = record_end(block, at, delimiter)
        line_end = block.find(b"\n", at)
        line_end = len(block) if line_end < 0 else line_end
        if end == OPEN and not last and len(block) - at <= MAX_RECORD_BYTES:
            break
        if end is not None and end >= len(block) and not last:
            break
        if end in (None, OPEN) and line_end >= len(block) and not last:
            break
        stop = line_end if end is None or end == OPEN else end
        trimmed = stop - 1 if stop > at and block[stop - 1 : stop] == b"\r" else stop
        if trimmed > at:
            starts.append(at)
            ends.append(trimmed)
            broken.append(end is None or end == OPEN or trimmed - at > MAX_RECORD_BYTES)
        at = stop + 1
    return Split(
        np.array(starts, dtype=np.int64),
        np.array(ends, dtype=np.int64),
        np.array(broken, dtype=np.bool_),
        min(at, len(block)),
    )


OPEN = -1
"""What `record_end` gives for a record whose quote is still open where its bytes, or the limit, end."""


def record_end(block: bytes, start: int, delimiter: bytes) -> int | None:
    """Where the record that begins at `start` ends (its line end, or the end of the block); None if ill-formed."""
    limit = min(len(block), start + MAX_RECORD_BYTES)
    at = start
    while True:
        line_end = block.find(b"\n", at)
        line_end = len(block) if line_end < 0 else line_end
        quote = block.find(b'"', at, line_end)
        if quote < 0 or quote >= limit:  # of what is too large already, only the end of the line is looked for
            return line_end
        if quote != start and block[quote - 1 : quote] != delimiter:
            return None
        close = _closing_quote(block, quote + 1, limit)
        if close is None:
            return OPEN
        after = block[close + 1 : close + 3]
        if after[:1] == delimiter:
            at = close + 2
        elif not after or after[:1] == b"\n" or after == b"\r\n" or (after == b"\r" and close + 2 == len(block)):
            end = block.find(b"\n", close)
            return len(block) if end < 0 else end
        else:
            return None


def _closing_quote(block: bytes, at: int, limit: int) -> int | None:
    while True:
        close = block.find(b'"', at, limit)
        if close < 0:
            return None
        if block[close + 1 : close + 2] != b'"':
            return close
        at = close + 2
