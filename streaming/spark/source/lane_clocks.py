"""Lane clocks on disk: one small versioned file for each partition of the feed.

Batch n reads the newest version below n and writes n, so running n again reads and writes the same bytes. A version
holds every lane of its partition, with the clock from before its last batch too: a binding that failed in that batch
returns to it. Large pieces of a state never change; they are files of their own, to which versions refer.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa

from streaming.engine.state.container import HEAD, Blob, is_packed, packed, unpacked
from streaming.spark.query.damage import missing, naming
from streaming.storage.blobs import BlobFolder

VERSIONS_KEPT = 3
APART_BYTES = 16_384
"""A larger piece has a file of its own."""
_PIECES: Final = b"pieces"
_APART: Final = b"apart"
_Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class StoredClock:
    """A state as a version stores it: `apart` are the pieces in files of their own, each with its file."""

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
    """The clocks of a partition; `pieces` are its piece files, each with the first batch that did not need it."""

    clocks: dict[str, VersionedClock] = field(default_factory=dict)
    pieces: dict[str, int | None] = field(default_factory=dict)


def resume(clock: VersionedClock | None, redo: int) -> StoredClock | None:
    """Return the state to continue from; `redo` is the failed batch of its binding (0: no failed batch)."""
    if clock is None:
        return None
    return clock.before if redo and clock.batch == redo else clock.state


def key_of(name: str) -> str:
    """Return the generation that owns the clock `name`: `<binding>@<generation>/<input>/<lane>`."""
    binding, _, rest = name.partition("@")
    return f"{binding}@{rest.partition('/')[0]}"


def cut(state: bytes, batch: int, before: StoredClock | None) -> tuple[StoredClock, dict[str, Blob]]:
    """Split `state` for the version of `batch`; return it with the files that `before` does not have."""
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
    """Return the state that `cut` has split. Raises `OSError`, and `DamagedCheckpoint` if a file is missing."""
    if kept is None or not kept.apart:
        return None if kept is None else kept.state
    blobs = unpacked(kept.state)
    for name, file in kept.apart:
        content = folder.read(_place(partition, file))
        if content is None:
            raise missing(folder, _place(partition, file))
        blobs[name] = content
    return packed(blobs)


def read_clocks(folder: BlobFolder, partition: int, batch: int) -> ClockVersion:
    """Read the newest version of `partition` below `batch`; an empty one before the first."""
    older = [number for number in folder.numbers(f"lanes/{partition}") if number < batch]
    content = folder.read(f"lanes/{partition}/{older[-1]}.arrow") if older else None
    if content is None:
        return ClockVersion()
    with naming(folder, f"lanes/{partition}/{older[-1]}.arrow"):
        return _version(pa.ipc.open_stream(content).read_all())


def _version(table: pa.Table) -> ClockVersion:
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

    The same clocks give the same bytes. A file is removed when no batch that may be repeated needs it. Raises
    `OSError`.
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
    """Remove the versions that no batch after `committed` can need, except the last few."""
    done = [number for number in folder.numbers(f"lanes/{partition}") if number <= committed]
    for number in done[:-VERSIONS_KEPT]:
        folder.remove(f"lanes/{partition}/{number}.arrow")


def _apart(clocks: Mapping[str, VersionedClock]) -> dict[str, tuple[_Pairs, _Pairs]]:
    """Return the files of the clocks that have any: of the state, then of the previous state."""
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
