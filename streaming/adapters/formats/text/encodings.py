"""Detection of a text file's encoding from its beginning."""

import codecs
from typing import Final, get_args

import charset_normalizer

from streaming.adapters.contract import AdapterError
from streaming.adapters.formats.text.dialect import Encoding

LOOKED_AT: Final = 64 * 1024
"""Bytes of non-ASCII lines that are used to guess an encoding."""
_ELSEWHERE: Final[frozenset[Encoding]] = frozenset({"cp1250", "cp1251", "shift_jis", "gb18030"})
_COHERENT: Final = 0.2
"""The least language coherence, from 0 to 1, to accept a guess for a text that cp1252 can hold."""
_WESTERN: Final = frozenset(
    {"English", "German", "French", "Spanish", "Portuguese", "Italian", "Dutch", "Indonesian"}
    | {"Swedish", "Norwegian", "Danish", "Finnish"}
)
"""Languages written in cp1252; other encodings have their commonest letters at the same bytes."""
_BAD_LINES: Final = 0.02
_SYMBOLS: Final = frozenset(bytes([*b"\x80\x85\x91\x92\x93\x94\x96\x97\xd7", *range(0xA1, 0xC0)]).decode("cp1252"))
_WIDE: Final = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def detected_encoding(content: bytes, path: str) -> Encoding:
    """Detect the encoding of a text. Raises `AdapterError` for binary data.

    A text with only a few damaged lines stays UTF-8.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\x00" in content and (wide := _wide(content, path)) is not None:
        return wide
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(content)
    except UnicodeDecodeError:
        return _of_bytes(content)
    return "utf-8"


def _wide(content: bytes, path: str) -> Encoding | None:
    """Detect UTF-16 without a byte order mark in mostly ASCII text; None if there are only a few null bytes."""
    share = content.count(0) / len(content)
    even = content[0::2].count(0) / max(1, len(content[0::2]))
    odd = content[1::2].count(0) / max(1, len(content[1::2]))
    if odd > 0.5 and even < 0.1:
        return "utf-16-le"
    if even > 0.5 and odd < 0.1:
        return "utf-16-be"
    if share > _BAD_LINES:
        raise AdapterError(f"The file '{path}' contains null bytes, so it isn't text. Use CSV, JSON or Parquet.")
    return None


def _of_bytes(content: bytes) -> Encoding:
    lines = [line for line in content.split(b"\n") if not line.isascii()]
    bad = [line for line in lines if not _is_in(line, "utf-8")]
    if len(bad) < len(lines) or not any(map(_is_written, bad)):
        return "utf-8" if len(bad) <= max(1, _BAD_LINES * content.count(b"\n")) or len(bad) < len(lines) else "cp1252"
    text = b"\n".join(bad)[:LOOKED_AT]
    isolated = [each for each in get_args(Encoding) if not each.startswith("utf")]
    guess = charset_normalizer.from_bytes(text, cp_isolation=isolated).best()
    lacking = sum(not _is_in(line, "cp1252") for line in bad) > _BAD_LINES * len(bad)
    if guess is not None and guess.language not in _WESTERN and (lacking or guess.coherence >= _COHERENT):
        for each in _ELSEWHERE:
            if codecs.lookup(each).name == codecs.lookup(guess.encoding).name:
                return each
    return "cp1252" if any(0x80 <= byte < 0xA0 for byte in text) else "latin-1"


def _is_in(line: bytes, encoding: str) -> bool:
    try:
        line.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _is_written(line: bytes) -> bool:
    """Return True if the non-ASCII bytes are likely letters of a text, not damage."""
    text = line.decode("cp1252", errors="replace")
    beyond = [each for each in text if not each.isascii()]
    return bool(beyond) and all((each.isalpha() and each != "ÿ") or each in _SYMBOLS for each in beyond)
