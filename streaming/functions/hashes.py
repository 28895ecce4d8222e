"""Hashes of the UTF-8 bytes of a text."""

import hashlib
import zlib


def md5(text: str) -> str:
    """Return the MD5 hash in hexadecimal."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def sha1(text: str) -> str:
    """Return the SHA-1 hash in hexadecimal."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def sha256(text: str) -> str:
    """Return the SHA-256 hash in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def sha512(text: str) -> str:
    """Return the SHA-512 hash in hexadecimal."""
    return hashlib.sha512(text.encode()).hexdigest()


def crc32(text: str) -> int:
    """Return the CRC-32 checksum of IEEE 802.3, which zip uses."""
    return zlib.crc32(text.encode())
