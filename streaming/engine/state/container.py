"""A state of several blobs as one: what a feed remembers where it is too much to be written whole in every batch.

Eight bytes of length (big-endian, so the first is 0 and no JSON begins so), a JSON list of names and sizes, the blobs.
Each begins at a multiple of eight bytes: numpy copies what does not, whole, wherever it is asked for one number.
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
    parts: list[Blob] = [len(names).to_bytes(_LENGTH_BYTES, "big"), names, bytes(_gap(len(names)))]
    for blob in blobs.values():
        parts += [blob, bytes(_gap(len(blob)))]
    return b"".join(parts)


def unpacked(state: Blob) -> dict[str, Blob]:
    """The blobs of an archive in their order, not copied; JSON alone is the head of one that has no others."""
    if not is_packed(state):
        return {HEAD: state}
    whole = memoryview(state)
    end = _LENGTH_BYTES + int.from_bytes(whole[:_LENGTH_BYTES], "big")
    at = end + _gap(end)
    blobs: dict[str, Blob] = {}
    for name, size in json.loads(bytes(whole[_LENGTH_BYTES:end])):
        blobs[name] = whole[at : at + size]
        at += size + _gap(size)
    return blobs


def _gap(size: int) -> int:
    return -size % 8
