"""Splits a block of bytes into records: lines, or CSV records whose quoted cells may contain line ends."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streaming.adapters.times.columns import Bools
from streaming.wire.rows.arrived import Int64s

MAX_RECORD_BYTES = 1 << 20
"""The largest record; a larger one is a broken row.

A quote that is not closed within this many bytes does not open a cell: only its line is a broken row.
"""
_LINE_END, _RETURN, _QUOTE = 10, 13, 34


@dataclass(frozen=True)
class Split:
    """Records `[starts, ends)` of a block, without line ends; empty lines are skipped.

    `broken` marks records with ill-formed quotes or null bytes, and records larger than the limit.

    The bytes from `consumed` on need more of the file before they can be split.
    """

    starts: Int64s
    ends: Int64s
    broken: Bools
    consumed: int


Splitter = Callable[[bytes, bool], Split]
"""Splits a block; the flag is True for the last block of the file."""


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
    broken = ends - starts > MAX_RECORD_BYTES
    if b"\x00" in block:
        broken |= _with_null_bytes(data, starts, ends)
    return Split(starts, ends, broken, consumed)


def _with_null_bytes(data: npt.NDArray[np.uint8], starts: Int64s, ends: Int64s) -> Bools:
    """Mark the records with a null byte: text has no null bytes, and no target accepts one."""
    places = np.flatnonzero(data == 0)
    return np.asarray(np.searchsorted(places, ends) > np.searchsorted(places, starts), dtype=np.bool_)


def csv_splitter(delimiter: str, escape: bytes = b"", comment: bytes = b"") -> Splitter:
    """Split CSV records (RFC 4180): a quoted cell may contain delimiters, doubled quotes and line ends.

    A quote elsewhere, or one that is never closed, makes its line a broken record; the next line is a new record. The
    character after `escape` is literal. Lines that begin with `comment` are skipped.
    """
    byte = delimiter.encode()

    def split(block: bytes, last: bool) -> Split:
        commented = comment != b"" and (block.startswith(comment) or b"\n" + comment in block)
        if b'"' not in block:
            found = split_lines(block, last)
            return _without_comments(block, found, comment) if commented else found
        if commented or (escape and escape in block):
            return _one_by_one(block, last, byte, (escape, comment))
        return _well_formed(block, last, byte[-1]) or _one_by_one(block, last, byte)

    return split


def _without_comments(block: bytes, split: Split, comment: bytes) -> Split:
    kept = np.array([not block.startswith(comment, start) for start in split.starts.tolist()], dtype=np.bool_)
    return Split(split.starts[kept], split.ends[kept], split.broken[kept], split.consumed)


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


def _one_by_one(block: bytes, last: bool, delimiter: bytes, marks: tuple[bytes, bytes] = (b"", b"")) -> Split:
    """As `csv_splitter`, one record after another; `marks` are its `escape` and `comment`."""
    escape, comment = marks
    starts: list[int] = []
    ends: list[int] = []
    broken: list[bool] = []
    at = 0
    while at < len(block):
        line_end = block.find(b"\n", at)
        line_end = len(block) if line_end < 0 else line_end
        is_comment = comment != b"" and block.startswith(comment, at)
        end = line_end if is_comment else record_end(block, at, delimiter, escape)
        if not last and _needs_more(block, at, end, line_end):
            break
        stop = line_end if end is None or end == OPEN else end
        trimmed = stop - 1 if stop > at and block[stop - 1 : stop] == b"\r" else stop
        if trimmed > at and not is_comment:
            starts.append(at)
            ends.append(trimmed)
            broken.append(end is None or end == OPEN or trimmed - at > MAX_RECORD_BYTES or b"\x00" in block[at:trimmed])
        at = stop + 1
    return Split(
        np.array(starts, dtype=np.int64),
        np.array(ends, dtype=np.int64),
        np.array(broken, dtype=np.bool_),
        min(at, len(block)),
    )


def _needs_more(block: bytes, at: int, end: int | None, line_end: int) -> bool:
    """Return True if the end of the record at `at` depends on data after the block."""
    if end == OPEN and len(block) - at <= MAX_RECORD_BYTES:
        return True
    if end is not None and end >= len(block):
        return True
    return end in (None, OPEN) and line_end >= len(block)


OPEN = -1
"""Result of `record_end` if a quote is still open at the end of the block or at the size limit."""


def record_end(block: bytes, start: int, delimiter: bytes, escape: bytes = b"") -> int | None:
    """The end of the record that begins at `start` (its line end, or the end of the block); None if ill-formed."""
    limit = min(len(block), start + MAX_RECORD_BYTES)
    at = start
    while True:
        line_end = block.find(b"\n", at)
        line_end = len(block) if line_end < 0 else line_end
        quote = _find_unescaped(block, at, line_end, escape)
        if quote < 0 or quote >= limit:  # in an oversized record, only find the end of the line
            return line_end
        if quote != start and block[quote - 1 : quote] != delimiter:
            return None
        close = _closing_quote(block, quote + 1, limit, escape)
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


def _find_unescaped(block: bytes, at: int, limit: int, escape: bytes) -> int:
    """The place of the next quote that is not escaped; -1 if none is left."""
    while True:
        quote = block.find(b'"', at, limit)
        escaped = block.find(escape, at, quote) if escape and quote >= 0 else -1
        if escaped < 0:
            return quote
        at = escaped + 2


def _closing_quote(block: bytes, at: int, limit: int, escape: bytes) -> int | None:
    while True:
        close = _find_unescaped(block, at, limit, escape)
        if close < 0:
            return None
        if block[close + 1 : close + 2] != b'"':
            return close
        at = close + 2
