"""Lane clocks on disk: one small versioned file for each partition of the feed.

Batch n reads the newest version below n and writes n, so running n again reads and writes the same bytes. A version
holds every lane of its partition, with the clock of before its last batch too: a binding that failed in that batch
goes back to it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from streaming.spark.storage import Folder

VERSIONS_KEPT = 3


@dataclass(frozen=True, slots=True)
class LaneClock:
    """The clock of a lane after `batch`, and `before` it (None: the lane was new)."""

    batch: int
    state: bytes
    before: bytes | None


def resume(clock: LaneClock | None, redo: int) -> bytes | None:
    """The state to continue from, where `redo` is the batch of its binding that failed (0: none)."""
    if clock is None:
        return None
    return clock.before if redo and clock.batch == redo else clock.state


def key_of(name: str) -> str:
    """The generation whose clock is called `name`: `<binding>@<generation>/<input>/<lane>`."""
    binding, _, rest = name.partition("@")
    return f"{binding}@{rest.partition('/')[0]}"


def read_clocks(folder: Folder, partition: int, batch: int) -> dict[str, LaneClock]:
    """The clocks of `partition` from the newest version below `batch`; none before its first."""
    older = [number for number in folder.numbers(f"lanes/{partition}") if number < batch]
    content = folder.read(f"lanes/{partition}/{older[-1]}.arrow") if older else None
    if content is None:
        return {}
    columns = pa.ipc.open_stream(content).read_all().to_pydict()
    rows = zip(columns["lane"], columns["batch"], columns["state"], columns["before"], strict=True)
    return {lane: LaneClock(at, state, before) for lane, at, state, before in rows}


def write_clocks(folder: Folder, partition: int, batch: int, clocks: Mapping[str, LaneClock]) -> None:
    """Store `clocks` as the version of `batch`: the same clocks, the same bytes. Raises `OSError`."""
    lanes = sorted(clocks)
    table = pa.table(
        {
            "lane": pa.array(lanes, pa.string()),
            "batch": pa.array([clocks[lane].batch for lane in lanes], pa.int64()),
            "state": pa.array([clocks[lane].state for lane in lanes], pa.binary()),
            "before": pa.array([clocks[lane].before for lane in lanes], pa.binary()),
        }
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    folder.write(f"lanes/{partition}/{batch}.arrow", sink.getvalue().to_pybytes())


def purge_clocks(folder: Folder, partition: int, committed: int) -> None:
    """Forget versions that no batch after `committed` can need, but for the last few."""
    done = [number for number in folder.numbers(f"lanes/{partition}") if number <= committed]
    for number in done[:-VERSIONS_KEPT]:
        folder.remove(f"lanes/{partition}/{number}.arrow")
