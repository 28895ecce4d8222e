"""Bodies of pushed rows, as JSON lines: each row an object; the text of a row stays as it was sent.

A small body is read in the web process, which takes no longer than a request may; a larger one in a limited process.
"""

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.faults import Fault, FaultCode
from webapp.core.errors import Faulty, TooLarge, fault
from webapp.core.limited.jobs import MIB, Limits, limited

MOST_BYTES: Final = 8 << 20
"""The largest body, after decompression too."""
SMALL_BYTES: Final = 256 << 10
SMALL_ROWS: Final = 20_000
"""Bodies up to both limits are read in the web process: the worst of them takes 60 ms (DECISIONS.md)."""
MOST_ROWS: Final = 200_000
"""Rows of one batch."""
LIMITS: Final = Limits(cpu_s=5, wall_s=25, memory_bytes=256 * MIB, output_bytes=48 * MIB, file_bytes=0)
MOST_TOLD: Final = 20
"""Invalid rows that an error names."""
NEWLINE_DELIMITED: Final = frozenset({"application/x-ndjson", "application/jsonl", "application/x-jsonlines"})
JSON: Final = "application/json"
_BLANK: Final = " \t\r\n"


@dataclass(frozen=True)
class PushedLines:
    """The rows of a body as lines, and their number; or the errors that prevent it, and the sentence."""

    lines: str = ""
    rows: int = 0
    faults: list[Fault] = field(default_factory=list)
    message: str = ""


def lines_of(content: bytes, kind: str, encoding: str = "") -> tuple[bytes, int]:
    """Return the rows of a body as lines that end with a line feed each, and their number.

    `kind` is its media type, `encoding` gzip or empty. Raises `Faulty`, which names the first MOST_TOLD rows that
    aren't JSON objects, `TooLarge`, and for a large body `Busy` and `TooMuchWork`.
    """
    if encoding == "gzip":
        content = _unzipped(content)
    if len(content) > MOST_BYTES:
        raise TooLarge(MOST_BYTES)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise _refused(f"The body isn't valid UTF-8 at byte {error.start}.", "Send the rows as UTF-8.") from None
    small = len(content) <= SMALL_BYTES and content.count(b"{") <= SMALL_ROWS
    found = read_lines(text, kind) if small else large_lines(text, kind)
    if found.faults:
        raise Faulty(found.faults, found.message)
    return found.lines.encode(), found.rows


@limited("Reading these pushed rows", "Send fewer rows in a batch, or smaller ones.", LIMITS)
def large_lines(text: str, kind: str) -> PushedLines:
    """Return `read_lines`, computed in a limited process."""
    return read_lines(text, kind)


def read_lines(text: str, kind: str) -> PushedLines:
    """Return the rows of a body, or its errors."""
    try:
        rows = _array_rows(text) if kind == JSON else _checked(line for line in text.split("\n") if line.strip(_BLANK))
        if not rows:
            raise _refused("The body contains no row.", "Send one JSON object for each row.")
    except Faulty as error:
        return PushedLines(faults=list(error.faults), message=error.message)
    return PushedLines("".join(f"{row}\n" for row in rows), len(rows))


class _NoArray(ValueError):
    """An error between the elements of an array."""


def _array_rows(text: str) -> list[str]:
    """Return the rows of a JSON array, or the one row that is the whole body."""
    begin = _after_blanks(text, 0)
    if not text.startswith("[", begin):
        return _checked([text]) if text.strip(_BLANK) else []
    try:
        return _checked(_elements(text, begin + 1))
    except (ValueError, RecursionError) as error:
        remedy = "Correct it there, or send one row a line."
        raise _refused(f"The body isn't a valid JSON array: {_why_unread(error)}.", remedy) from None


def _elements(text: str, at: int) -> Iterator[str]:
    """Yield the text of each element of the array whose first starts at `at`. Raises `ValueError`, `RecursionError`."""
    decoder = json.JSONDecoder()
    at = _after_blanks(text, at)
    if text.startswith("]", at):
        return _nothing_after(text, at + 1)
    while True:
        _, end = decoder.raw_decode(text, at)
        yield text[at:end]
        at = _after_blanks(text, end)
        if text.startswith("]", at):
            return _nothing_after(text, at + 1)
        if not text.startswith(",", at):
            raise _NoArray(f"a comma or ] is missing at character {at + 1}")
        at = _after_blanks(text, at + 1)


def _nothing_after(text: str, at: int) -> None:
    at = _after_blanks(text, at)
    if at < len(text):
        raise _NoArray(f"something follows the array at character {at + 1}")


def _after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _checked(rows: "Iterator[str] | list[str]") -> list[str]:
    """Return the rows, one a line. Raises `Faulty` if some aren't JSON objects, or there are more than MOST_ROWS."""
    found: list[str] = []
    faults: list[Fault] = []
    for number, row in enumerate(rows, 1):
        if number > MOST_ROWS:
            raise _refused(f"The batch has more than {MOST_ROWS:,} rows.", "Send them in several batches.")
        if (why := _why_no_row(row)) is None:
            found.append(row.strip(_BLANK).replace("\r", " ").replace("\n", " "))  # a JSON text contains neither
            continue
        if len(faults) == MOST_TOLD:
            message = f"More than {MOST_TOLD} rows cannot be read, so none was stored; the first of them are named."
            raise Faulty(faults, f"{message} Correct them and send the whole batch again.")
        remedy = 'Send a JSON object, for example {"start": "2026-11-23T10:00:00Z", "speed": 120}.'
        faults.append(fault(FaultCode.BAD_SHAPE, f"Row {number} is invalid: {why}.", remedy, field=str(number - 1)))
    if not faults:
        return found
    count = len(found) + len(faults)
    message = f"{counted(len(faults), 'row')} of {count} cannot be read, so none was stored."
    raise Faulty(faults, f"{message} Correct them and send the whole batch again.")


def _why_unread(error: ValueError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "it has too many nested brackets"
    if isinstance(error, json.JSONDecodeError | _NoArray):
        return f"it isn't valid JSON ({error})"
    return "it has a number with too many digits"


def _why_no_row(text: str) -> str | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _why_unread(error)
    return None if isinstance(value, dict) else "it is JSON, but not an object"


def _unzipped(content: bytes) -> bytes:
    try:
        with gzip.open(io.BytesIO(content)) as file:
            found = file.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise _refused("The body isn't valid gzip.", "Compress it whole, or leave Content-Encoding out.") from None
    return found


def _refused(message: str, remedy: str) -> Faulty:
    return Faulty([fault(FaultCode.BAD_SHAPE, message, remedy)], f"{message} {remedy}")
