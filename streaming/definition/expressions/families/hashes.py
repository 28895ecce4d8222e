"""Functions that hash texts."""

from typing import Final

from streaming.definition.expressions import signatures as rules
from streaming.definition.expressions.signatures import entry
from streaming.definition.payload.types import LONG, STRING

_hash = rules.taking(STRING, result=STRING)

HASHES: Final = (
    entry("md5(string)", "The MD5 hash of the text in UTF-8, in hexadecimal.", _hash),
    entry("sha1(string)", "The SHA-1 hash of the text in UTF-8, in hexadecimal.", _hash),
    entry("sha256(string)", "The SHA-256 hash of the text in UTF-8, in hexadecimal.", _hash),
    entry("sha512(string)", "The SHA-512 hash of the text in UTF-8, in hexadecimal.", _hash),
    entry(
        "crc32(string) -> long",
        "The CRC-32 checksum (as in zip) of the text in UTF-8.",
        rules.taking(STRING, result=LONG),
    ),
)
