"""Many blobs as one value: the form of all data that are stored or sent as a head with its parts.

Eight bytes of length (big-endian, so the first is 0 and no JSON starts like that), JSON (the writer's value, and the
size of each blob), the blobs. Each starts at a multiple of eight bytes, because numpy copies other arrays whole when it
reads one number. The state of a bucket, that of a feed with many keys, and messages between Spark's workers are such
values. Savepoints are not: they are assembled from pieces of any size, as a stream of Arrow batches.
"""

from collections.abc import Collection, Mapping
from itertools import chain
from typing import Any, Final, TypeVar

from streaming.wire.fast_json import decoded, encoded

Blob = bytes | memoryview
AnyBlob = TypeVar("AnyBlob", bytes, memoryview)
HEAD: Final = "head"
"""The blob of `packed` that describes the others.

It alone changes in every batch: others are named by their content.
"""
_LENGTH_BYTES: Final = 8
_GAPS: Final = tuple(bytes(-size % 8) for size in range(8))


def framed(value: Any, blobs: Collection[Blob]) -> bytes:
    """Return the JSON value `value` and `blobs` as one; the same arguments give the same bytes."""
    sizes = [len(blob) for blob in blobs]
    text = encoded([value, sizes])
    gaps = [_GAPS[size % 8] for size in sizes]
    following = chain.from_iterable(zip(blobs, gaps, strict=True))
    return b"".join((len(text).to_bytes(_LENGTH_BYTES, "big"), text, _GAPS[len(text) % 8], *following))


def unframed(content: AnyBlob) -> tuple[Any, list[AnyBlob]]:
    """Return the arguments of `framed`. The blobs are slices of `content`: copies of bytes, views of a memoryview.

    A view costs nothing, but keeps all of `content` in memory.
    """
    end = _LENGTH_BYTES + int.from_bytes(content[:_LENGTH_BYTES], "big")
    value, sizes = decoded(bytes(content[_LENGTH_BYTES:end]))
    at = end + -end % 8
    blobs: list[AnyBlob] = []
    for size in sizes:
        blobs.append(content[at : at + size])
        at += size + -size % 8
    return value, blobs


def is_packed(state: Blob) -> bool:
    """Return true if `state` has several blobs, and is not JSON alone."""
    return state[:1] == b"\0"


def packed(blobs: Mapping[str, Blob]) -> bytes:
    """Return `blobs` with their names as one; the same blobs in the same order give the same bytes."""
    return framed(list(blobs), blobs.values())


def unpacked(state: Blob) -> dict[str, Blob]:
    """Return the argument of `packed`, not copied; JSON alone is the HEAD of a state without other blobs."""
    if not is_packed(state):
        return {HEAD: state}
    names, blobs = unframed(memoryview(state))
    return dict(zip(names, blobs, strict=True))
