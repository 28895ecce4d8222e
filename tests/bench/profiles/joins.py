"""The cost of joins: large batches in microseconds for each event, and small turns with much state.

`python -m tests.bench.profiles.joins [millions]` prints a table; `millions` of open events are the larger state (10).
"""

import json
import sys
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from streaming.definition.payload.type_text import parse_fields
from streaming.engine.columns.flows import Flows
from streaming.engine.operators.joins.asof_join import AsofKernel
from streaming.engine.operators.joins.join import JoinKernel
from streaming.engine.operators.joins.pieces_join import PiecesKernel
from streaming.engine.operators.kernel import Kernel, PortInput, TurnContext
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.state.node_state import NodeState
from streaming.planning.plan import MatchSpec
from streaming.temporal.ticks import NO_CTI
from streaming.wire.rows.arrived import Int64s

BATCH = 1_000_000
SMALL = 1_000
SECOND = 1_000_000


def spec(kind: str, key: str) -> MatchSpec:
    """Return a join of two streams with a key of type `key` and a number each."""
    left, right = parse_fields({"k": key, "a": "long"}), parse_fields({"k": key, "b": "double"})
    fields = {**left, "b": right["b"]} if kind in ("join", "asof_join") else left
    added = ("b",) if kind in ("join", "asof_join") else ()
    return MatchSpec("n", kind, ("k",), None, False, left, right, added, fields)


def kernel(kind: str, key: str) -> Kernel:
    """Return the kernel of that join."""
    match = spec(kind, key)
    if kind == "join":
        return JoinKernel(match)
    return AsofKernel(match) if kind == "asof_join" else PiecesKernel(match)


class Bucket:
    """A kernel with its state in bytes; `calls` counts reads and writes of tables above 16 kB."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.tables: dict[str, bytes] = {}
        self.head = "{}"
        self.cti: int = NO_CTI
        self.calls = 0

    def _load(self, name: str) -> bytes | None:
        content = self.tables.get(name)
        self.calls += content is not None and len(content) > 16_384
        return content

    def turn(self, left: Flows, right: Flows, cti: int) -> int:
        """Run one turn; return the number of emitted rows."""
        state = NodeState(self._load, json.loads(self.head))
        ctis = (cti,) if cti > self.cti else ()
        self.cti = max(cti, self.cti)
        released = self.kernel.turn(
            [PortInput(flows, ctis, self.cti) for flows in (left, right)], state, TurnContext(OutcomeReport())
        )
        for name in state.dropped:
            self.tables.pop(name, None)
        self.tables |= state.written
        self.calls += sum(len(content) > 16_384 for content in state.written.values())
        self.head = json.dumps(state.head)
        return len(released.flows)


def flows(key: Int64s, start: Int64s, length: int, name: str, text: bool) -> Flows:
    """Return events with these keys and starts."""
    column = pa.array(key)
    if text:
        column = pa.array(np.char.add("key ", key.astype(str)))
    values = pa.array(key if name == "a" else key / 2)
    return Flows(start, start + length, {"k": column, name: values})


def batches(kind: str, *, keys: int | None, text: bool, length: int) -> tuple[float, float]:
    """Return processor seconds for a steady batch of BATCH events on each side, ten seconds long, and rows per event.

    `keys` None: every left event meets one right event of its own key.
    """
    rng = np.random.default_rng(7)
    bucket, spent, rows = Bucket(kernel(kind, "string" if text else "long")), [], 0
    for batch in range(4):
        start = np.sort(rng.integers(0, 10 * SECOND, BATCH)) + batch * 10 * SECOND
        key = rng.integers(0, keys, BATCH) if keys else np.arange(BATCH) + batch * BATCH
        other = rng.integers(0, keys, BATCH) if keys else rng.permutation(key)
        starts = start if keys else start[other - batch * BATCH]
        left, right = flows(key, start, length, "a", text), flows(other, starts, length, "b", text)
        cti = (batch + 1) * 10 * SECOND - SECOND
        began = time.process_time()
        rows = bucket.turn(left, right, cti)
        spent.append(time.process_time() - began)
    return min(spent[1:]), rows / BATCH


def beside_state(kind: str, open_events: int) -> tuple[float, float, int]:
    """Return processor and wall-clock seconds of a small turn with `open_events` on both sides, and its table calls."""
    rng = np.random.default_rng(7)
    bucket = Bucket(kernel(kind, "long"))
    day = 24 * 3600 * SECOND
    for part in np.array_split(np.arange(open_events // 2), max(1, open_events // 1_000_000)):
        bucket.turn(flows(part, part % 1000, day, "a", False), flows(part + day, part % 1000, day, "b", False), 0)
    spent, busy = [], []
    for turn in range(12):
        start = np.full(SMALL // 2, (turn + 1) * SECOND)
        keys = rng.integers(0, open_events // 2, SMALL)
        left, right = (
            flows(half, start, SECOND, name, False) for half, name in zip(np.split(keys, 2), "ab", strict=True)
        )
        bucket.calls = 0
        began, worked = time.perf_counter(), time.process_time()
        bucket.turn(left, right, (turn + 1) * SECOND)
        spent.append(time.perf_counter() - began)
        busy.append(time.process_time() - worked)
    return sorted(busy)[len(busy) // 2], sorted(spent)[len(spent) // 2], bucket.calls


def main() -> None:
    """Print all figures."""
    millions = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    show: Callable[[str], None] = print
    show(f"{BATCH:,} events a side and batch: us of processor an event (both sides), rows a left event")
    for kind in ("join", "semi_join", "anti_join", "clip", "asof_join"):
        for name, keys, text, length in (
            ("points, one each, long key", None, False, 1),
            ("points, one each, text key", None, True, 1),
            ("0.1 s, 10,000 long keys", 10_000, False, SECOND // 10),
            ("0.1 s, 10,000 text keys", 10_000, True, SECOND // 10),
        ):
            spent, rows = batches(kind, keys=keys, text=text, length=length)
            show(f"  {kind:10} {name:28} {spent / BATCH / 2 * 1e6:6.2f} {rows:6.2f}")
    show(f"turns of {SMALL:,} events with open events: processor ms, ms, table reads and writes")
    for kind in ("join", "anti_join", "asof_join"):
        for count in (100_000, 1_000_000, int(millions * 1_000_000)):
            busy, spent, calls = beside_state(kind, count)
            show(f"  {kind:10} {count:12,} {busy * 1e3:8.1f} {spent * 1e3:8.1f} {calls:6}")


if __name__ == "__main__":
    main()
