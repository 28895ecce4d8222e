"""What programs push, as JSON lines: each row an object; the text of a row stays as it was sent."""

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.faults import Fault, FaultCode
from webapp.core.errors import Faulty, TooLarge, fault

MOST_BYTES: Final = 8 << 20
"""The largest body, after decompression too."""
MOST_TOLD: Final = 20
"""Rows that are named where they are none."""
NEWLINE_DELIMITED: Final = frozenset({"application/x-ndjson", "application/jsonl", "application/x-jsonlines"})
JSON: Final = "application/json"
_BLANK: Final = " \t\r\n"


def lines_of(content: bytes, kind: str, encoding: str = "") -> tuple[bytes, int]:
    """Return the rows of a body as lines that end with a line feed each, and how many they are.

    `kind` is its media type, `encoding` gzip or nothing. Raises `Faulty`, which names the first MOST_TOLD rows that are
    no JSON object, and `TooLarge`.
    """
    if encoding == "gzip":
        content = _unzipped(content)
    if len(content) > MOST_BYTES:
        raise TooLarge(MOST_BYTES)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise _refused(f"The body is no UTF-8 at byte {error.start}.", "Send the rows as UTF-8.") from None
    rows = _array_rows(text) if kind == JSON else _checked(line for line in text.split("\n") if line.strip(_BLANK))
    if not rows:
        raise _refused("The body holds no row.", "Send one JSON object for each row.")
    return "".join(f"{row}\n" for row in rows).encode(), len(rows)


def _array_rows(text: str) -> list[str]:
    """The rows of a JSON array, or the one row that is the whole body."""
    begin = _after_blanks(text, 0)
    if not text.startswith("[", begin):
        return _checked([text]) if text.strip(_BLANK) else []
    try:
        return _checked(_elements(text, begin + 1))
    except (ValueError, RecursionError) as error:
        said = "brackets in brackets without end" if isinstance(error, RecursionError) else str(error)
        raise _refused(f"The body is no JSON array: {said}.", "Correct it there, or send one row a line.") from None


def _elements(text: str, at: int) -> Iterator[str]:
    """The text of each element of the array whose first begins at `at`. Raises `ValueError`, `RecursionError`."""
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
            raise ValueError(f"a comma or ] is missing at character {at + 1}")
        at = _after_blanks(text, at + 1)


def _nothing_after(text: str, at: int) -> None:
    at = _after_blanks(text, at)
    if at < len(text):
        raise ValueError(f"something follows the array at character {at + 1}")


def _after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _checked(rows: "Iterator[str] | list[str]") -> list[str]:
    """The rows on a line each. Raises `Faulty` where some are no JSON object."""
    found: list[str] = []
    faults: list[Fault] = []
    count = 0
    for number, row in enumerate(rows, 1):
        count += 1
        if (why := _why_no_row(row)) is None:
            found.append(row.strip(_BLANK).replace("\r", " ").replace("\n", " "))  # a text in JSON holds neither
        elif len(faults) < MOST_TOLD:
            remedy = 'Send a JSON object such as {"start": "2026-11-23T10:00:00Z", "speed": 120}.'
            faults.append(fault(FaultCode.BAD_SHAPE, f"Row {number} is no row: {why}.", remedy, field=str(number - 1)))
    if len(found) == count:
        return found
    told = f"{counted(count - len(found), 'row')} of {count} cannot be read, so that none was stored."
    raise Faulty(faults, f"{told} Correct them and send the whole batch again.")


def _why_no_row(text: str) -> str | None:
    try:
        value = json.loads(text)
    except RecursionError:
        return "it has brackets in brackets without end"
    except ValueError as error:
        return f"it is no JSON ({error})"
    return None if isinstance(value, dict) else "it is JSON, but no object"


def _unzipped(content: bytes) -> bytes:
    try:
        with gzip.open(io.BytesIO(content)) as file:
            found = file.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise _refused("The body is no gzip.", "Compress it whole, or leave Content-Encoding out.") from None
    return found


def _refused(message: str, remedy: str) -> Faulty:
    return Faulty([fault(FaultCode.BAD_SHAPE, message, remedy)], f"{message} {remedy}")
