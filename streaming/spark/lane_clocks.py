"""Lane clocks on disk: one small versioned file for each partition of the feed.

Batch n reads the newest version below n and writes n, so running n again reads and writes the same bytes. A version
holds every lane of its partition, with the clock of before its last batch too: a binding that failed in that batch
goes back to it. Large pieces of a state, which never change, stand in files of their own, to which versions refer.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa

from streaming.engine.state.container import HEAD, Blob, is_packed, packed, unpacked
from streaming.wire.storage import BlobFolder

VERSIONS_KEPT = 3
APART_BYTES = 16_384
"""A piece above this size has a file of its own."""
_PIECES: Final = b"pieces"
_APART: Final = b"apart"
_Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class StoredClock:
    """A state as a version holds it: `apart` are the pieces that it leaves out, each with its file."""

    state: bytes
    apart: _Pairs = ()


@dataclass(frozen=True, slots=True)
class VersionedClock:
    """The clock of a lane after `batch`, and `before` it (None: the lane was new)."""

    batch: int
    state: StoredClock
    before: StoredClock | None


@dataclass(frozen=True, slots=True)
class ClockVersion:
    """The clocks of a partition; `pieces` are its files of pieces, each with the batch that needed it no more."""

    clocks: dict[str, VersionedClock] = field(default_factory=dict)
    pieces: dict[str, int | None] = field(default_factory=dict)


def resume(clock: VersionedClock | None, redo: int) -> StoredClock | None:
    """The state to continue from, where `redo` is the batch of its binding that failed (0: none)."""
    if clock is None:
        return None
    return clock.before if redo and clock.batch == redo else clock.state


def key_of(name: str) -> str:
    """The generation whose clock is called `name`: `<binding>@<generation>/<input>/<lane>`."""
    binding, _, rest = name.partition("@")
    return f"{binding}@{rest.partition('/')[0]}"


def cut(state: bytes, batch: int, before: StoredClock | None) -> tuple[StoredClock, dict[str, Blob]]:
    """`state` as the version of `batch` holds it, and the files that it needs beside those of `before`."""
    if not is_packed(state):
        return StoredClock(state), {}
    blobs = unpacked(state)
    known = {} if before is None else dict(before.apart)
    large = [name for name, blob in blobs.items() if len(blob) > APART_BYTES and name != HEAD]
    apart = {name: known.get(name, f"{batch}.{name}") for name in large}
    files = {apart[name]: blobs[name] for name in large if name not in known}
    small = {name: blob for name, blob in blobs.items() if name not in apart}
    return StoredClock(packed(small), tuple(apart.items())), files


def whole(folder: BlobFolder, partition: int, kept: StoredClock | None) -> bytes | None:
    """What `cut` was given. Raises `OSError`, and `LookupError` where a file is missing."""
    if kept is None or not kept.apart:
        return None if kept is None else kept.state
    blobs = unpacked(kept.state)
    for name, file in kept.apart:
        content = folder.read(_place(partition, file))
        if content is None:
            raise LookupError(f"the lane clocks of partition {partition} have no piece {file}, to which they refer")
        blobs[name] = content
    return packed(blobs)


def read_clocks(folder: BlobFolder, partition: int, batch: int) -> ClockVersion:
    """The newest version of `partition` below `batch`; an empty one before its first."""
    older = [number for number in folder.numbers(f"lanes/{partition}") if number < batch]
    content = folder.read(f"lanes/{partition}/{older[-1]}.arrow") if older else None
    if content is None:
        return ClockVersion()
    table = pa.ipc.open_stream(content).read_all()
    metadata: dict[bytes, bytes] = table.schema.metadata or {}
    apart = {lane: _pairs(files) for lane, files in json.loads(metadata.get(_APART, b"{}")).items()}
    columns = table.to_pydict()
    clocks = {}
    for lane, at, state, before in zip(*(columns[name] for name in ("lane", "batch", "state", "before")), strict=True):
        of_state, of_before = apart.get(lane, ((), ()))
        clocks[lane] = VersionedClock(
            at, StoredClock(state, of_state), None if before is None else StoredClock(before, of_before)
        )
    return ClockVersion(clocks, json.loads(metadata.get(_PIECES, b"{}")))


def write_clocks(
    folder: BlobFolder, partition: int, batch: int, version: ClockVersion, files: Mapping[str, Blob]
) -> None:
    """Store the clocks as the version of `batch`, after the new `files` of pieces that they refer to.

    The same clocks, the same bytes. A file goes when no batch needs it that may be repeated. Raises `OSError`.
    """
    clocks = version.clocks
    lanes = sorted(clocks)
    apart = _apart({lane: clocks[lane] for lane in lanes})
    used = {file for states in apart.values() for pairs in states for _, file in pairs}
    for file in sorted(used & files.keys()):
        folder.write(_place(partition, file), bytes(files[file]))
    pieces = {file: version.pieces.get(file) or batch for file in version.pieces.keys() - used} | dict.fromkeys(used)
    gone = [file for file, since in pieces.items() if since is not None and since <= batch - VERSIONS_KEPT]
    for file in gone:
        folder.remove(_place(partition, file))
        del pieces[file]
    table = pa.table(
        {
            "lane": pa.array(lanes, pa.string()),
            "batch": pa.array([clocks[lane].batch for lane in lanes], pa.int64()),
            "state": pa.array([clocks[lane].state.state for lane in lanes], pa.binary()),
            "before": pa.array([_state(clocks[lane].before) for lane in lanes], pa.binary()),
        }
    )
    if pieces:
        table = table.replace_schema_metadata({_PIECES: _json(pieces), _APART: _json(apart)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    folder.write(f"lanes/{partition}/{batch}.arrow", sink.getvalue().to_pybytes())


def purge_clocks(folder: BlobFolder, partition: int, committed: int) -> None:
    """Forget versions that no batch after `committed` can need, but for the last few."""
    done = [number for number in folder.numbers(f"lanes/{partition}") if number <= committed]
    for number in done[:-VERSIONS_KEPT]:
        folder.remove(f"lanes/{partition}/{number}.arrow")


def _apart(clocks: Mapping[str, VersionedClock]) -> dict[str, tuple[_Pairs, _Pairs]]:
    """The files of the clocks that have any: of the state, then of the one before."""
    found = {}
    for lane, clock in clocks.items():
        before = () if clock.before is None else clock.before.apart
        if clock.state.apart or before:
            found[lane] = clock.state.apart, before
    return found


def _pairs(files: list[list[list[str]]]) -> tuple[_Pairs, _Pairs]:
    state, before = (tuple((name, file) for name, file in pairs) for pairs in files)
    return state, before


def _state(kept: StoredClock | None) -> bytes | None:
    return None if kept is None else kept.state


def _json(content: Mapping[str, object]) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def _place(partition: int, file: str) -> str:
    return f"lanes/{partition}/pieces/{file}"
