"""A state of several blobs as one: what a feed remembers where it is too much to be written whole in every batch.

Eight bytes of length (big-endian, so the first is 0 and no JSON begins so), a JSON list of names and sizes, the blobs.
"""

import json
from collections.abc import Mapping
from typing import Final

Blob = bytes | memoryview
HEAD: Final = "head"
"""The blob that says what the others are. It alone changes in every batch: others are named by their content."""
_LENGTH_BYTES: Final = 8


def is_packed(state: Blob) -> bool:
    """Whether `state` is an archive, and not JSON alone."""
    return state[:1] == b"\0"


def packed(blobs: Mapping[str, Blob]) -> bytes:
    """`blobs` as one; the same blobs in the same order, the same bytes."""
    names = json.dumps([[name, len(blob)] for name, blob in blobs.items()], separators=(",", ":")).encode()
    return b"".join((len(names).to_bytes(_LENGTH_BYTES, "big"), names, *blobs.values()))


def unpacked(state: Blob) -> dict[str, Blob]:
    """The blobs of an archive in their order, not copied; JSON alone is the head of one that has no others."""
    if not is_packed(state):
        return {HEAD: state}
    whole = memoryview(state)
    at = _LENGTH_BYTES + int.from_bytes(whole[:_LENGTH_BYTES], "big")
    blobs: dict[str, Blob] = {}
    for name, size in json.loads(bytes(whole[_LENGTH_BYTES:at])):
        blobs[name] = whole[at : at + size]
        at += size
    return blobs
