"""A JSON document that contains a list of records, as JSON lines: GeoJSON, CloudTrail, database exports."""

import codecs
import json
from collections.abc import Iterator
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.formats.text.rewriting import Rewriting
from streaming.adapters.formats.text.split import MAX_RECORD_BYTES
from streaming.definition.counts import counted

MOST_SKIPPED: Final = 16 << 20
"""The most characters of a value before the list, which must be held in memory to be skipped."""
DEEPEST: Final = 3
_SPACE: Final = " \t\n\r"
_DECODER: Final = json.JSONDecoder()


class _Cursor:
    """A position in a document that arrives in blocks."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._passed = 0
        self.text, self.at = "", 0
        self.next()
        self.text = self.text.removeprefix("\ufeff")

    def more(self) -> bool:
        """Read the next block; False at the end. Drops the text before the position."""
        block = next(self._blocks, None)
        if block is None:
            return False
        self._passed += self.at
        self.text = self.text[self.at :] + self._decoder.decode(block)
        self.at = 0
        return True

    def next(self) -> str:
        """Return the next character that is not a space; empty at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in _SPACE:
                self.at += 1
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                return ""

    def take(self, wanted: str) -> str:
        """Take the next character, one of `wanted`. Raises `AdapterError`."""
        found = self.next()
        if not found:
            raise self.wrong("it ends before its list does")
        if found not in wanted:
            raise self.wrong(f"expected {' or '.join(map(repr, wanted))}, found {found!r}")
        self.at += 1
        return found

    def value(self, most: int) -> tuple[Any, str]:
        """Take a value of at most `most` characters; return it and its text. Raises `AdapterError`."""
        self.next()
        while True:
            try:
                read, end = _DECODER.raw_decode(self.text, self.at)
            except (ValueError, RecursionError) as error:
                if len(self.text) - self.at > most:
                    raise self.wrong(f"a value is longer than {counted(most, 'character')}, or isn't JSON") from None
                if not self.more():
                    why = (
                        "it is truncated, or isn't JSON" if isinstance(error, ValueError) else "it is nested too deeply"
                    )
                    raise self.wrong(why) from None
                continue
            if end < len(self.text) or not self.more():  # a number may continue in the next block
                written = self.text[self.at : end]
                self.at = end
                return read, written
            if end - self.at > most:
                raise self.wrong(f"a value is longer than {counted(most, 'character')}")

    def wrong(self, why: str) -> AdapterError:
        """The error for a document that can't be read."""
        return AdapterError(
            f"The JSON document can't be read at character {self._passed + self.at + 1:,}: {why}. Provide the whole "
            "document, or write one record per line and choose the format json_lines."
        )


def document_lines(path: str) -> Rewriting:
    """Rewrite a document as lines: one for each element of the list at `path`."""

    def rewrite(blocks: Iterator[bytes]) -> Iterator[bytes]:
        cursor = _Cursor(blocks)
        _enter(cursor, [step for step in path.split(".") if step], path)
        if cursor.next() == "]":
            return
        while True:
            _, written = cursor.value(MAX_RECORD_BYTES)
            line = written.replace("\n", " ").replace("\r", " ")
            yield f"{line}\n".encode("utf-8", "surrogateescape")
            if cursor.take(",]") == "]":
                return

    return rewrite


def _enter(cursor: _Cursor, steps: list[str], path: str) -> None:
    """Go to the first element of the list. Raises `AdapterError` if there is no such list."""
    for step in steps:
        _require(cursor, "{", path)
        cursor.at += 1
        while True:
            if cursor.next() in ("}", ""):
                raise _no_list(path)
            name, _ = cursor.value(MAX_RECORD_BYTES)
            cursor.take(":")
            if name == step:
                break
            cursor.value(MOST_SKIPPED)
            if cursor.take(",}") == "}":
                raise _no_list(path)
    _require(cursor, "[", path)
    cursor.at += 1


def _require(cursor: _Cursor, wanted: str, path: str) -> None:
    if cursor.next() != wanted:
        raise _no_list(path)


def _no_list(path: str) -> AdapterError:
    if not path:
        return AdapterError(
            "The JSON document is not a list of records. Set `dialect.records` to the path of its list, or choose the "
            "format json_lines for one record per line."
        )
    return AdapterError(
        f"The JSON document has no list at '{path}'. Correct `dialect.records`, or leave it empty if the document "
        "itself is the list."
    )


def list_path(content: bytes) -> str | None:
    """The path of the first list of objects in the beginning of a document; None if there is no such list."""
    try:
        return _find_list(_Cursor(iter([content])), 0)
    except AdapterError:
        return None


def _find_list(cursor: _Cursor, depth: int) -> str | None:
    if cursor.next() == "[":
        cursor.at += 1
        return "" if cursor.next() == "{" else None
    if cursor.next() != "{" or depth >= DEEPEST:
        return None
    cursor.at += 1
    while cursor.next() not in ("}", ""):
        name, _ = cursor.value(MAX_RECORD_BYTES)
        cursor.take(":")
        start = cursor.at
        below = _find_list(cursor, depth + 1) if cursor.next() in ("{", "[") else None
        if below is not None and "." not in name:
            return ".".join(filter(None, (name, below)))
        cursor.at = start
        cursor.value(MOST_SKIPPED)
        if cursor.take(",}") == "}":
            return None
    return None
