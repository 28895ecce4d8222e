"""The cost of windows whose panes depend on events: `python -m tests.bench.profiles.panes`.

First batches of 1 M events with count and sum, processor time of one core; then 1 M open sessions and snapshots, and
turns of 10,000 events in random groups, with the bytes that a turn reads and writes.
"""

import json
import time
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.payload.types import LONG, STRING, Fields
from streaming.definition.windows import CountPanes, PaneKind, SessionPanes, SnapshotPanes
from streaming.engine.columns.flows import Flows
from streaming.engine.operators.kernel import PortInput, TurnContext
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.operators.windows.window import WindowKernel
from streaming.engine.state.node_state import NodeState
from streaming.planning.columns import AggregateColumn
from streaming.planning.plan import WindowSpec
from streaming.wire.rows.arrived import Int64s

SECOND: Final = 1_000_000
EVENTS: Final = 1_000_000
SMALL: Final = 10_000


def spec(panes: PaneKind) -> WindowSpec:
    """Return a window with count and sum by a text key."""
    value = typed(parse("v"), {"v": LONG})
    if not isinstance(value, TypedExpression):
        raise TypeError(f"the field has errors: {value}")
    columns = (
        AggregateColumn("n", "count", None, None, None, LONG),
        AggregateColumn("total", "sum", value.expression, None, LONG, LONG),
    )
    fields: Fields = {"k": STRING, "n": LONG, "total": LONG}
    return WindowSpec("w", panes, 0, True, ("k",), columns, fields)


def events(keys: Int64s, start: Int64s, length: int) -> Flows:
    """Return events of these keys."""
    names = pc.binary_join_element_wise("key", pc.utf8_lpad(pa.array(keys).cast(pa.string()), 7, "0"), " ")
    columns = {"k": names, "v": pa.array(start % 100)}
    return Flows(start, start + length, columns)


@dataclass
class Counted:
    """A kernel with its state in bytes, which are counted."""

    kernel: WindowKernel
    head: str = "{}"
    tables: dict[str, bytes] = field(default_factory=dict)
    read: int = 0
    calls: int = 0

    def load(self, name: str) -> bytes | None:
        content = self.tables.get(name)
        self.read += len(content or b"")
        self.calls += 1
        return content

    def turn(self, flows: Flows, cti: int) -> tuple[int, int]:
        """Run a turn; return the numbers of emitted rows and written bytes."""
        state = NodeState(self.load, json.loads(self.head))
        released = self.kernel.turn([PortInput(flows, (cti,), cti)], state, TurnContext(OutcomeReport()))
        self.head = json.dumps(state.head)
        for name in state.dropped:
            self.tables.pop(name, None)
        self.tables |= state.written
        return len(released.flows), sum(map(len, state.written.values()))


def batches(name: str, panes: PaneKind, groups: int, length: int) -> None:
    """Run three batches of EVENTS over ten minutes each; measure the second and third."""
    random = np.random.default_rng(1)
    run = Counted(WindowKernel(spec(panes)))
    for number in range(3):
        start = np.sort(random.integers(0, 600 * SECOND, EVENTS)) + number * 600 * SECOND
        flows = events(random.integers(0, groups, EVENTS), start, length)
        began = time.process_time()
        rows, written = run.turn(flows, int(start[-1]) - 5 * SECOND)
        spent = time.process_time() - began
        if number:
            rate = EVENTS / spent
            print(
                f"{name}, {groups:,} groups: {spent:.2f} s, {rate:,.0f} events/s, {rows:,} rows, {written:,} B written"
            )


def open_groups(name: str, panes: PaneKind, length: int, lived: int) -> None:
    """Open EVENTS groups, then run turns of SMALL events in random groups; each moves the CTI by `lived` / 100.

    The events are spread over `lived`, so that each turn also closes about a hundredth of the open groups.
    """
    random = np.random.default_rng(2)
    run = Counted(WindowKernel(spec(panes)))
    step = lived // 100
    for number in range(100):
        start = np.sort(random.integers(0, step, EVENTS // 100)) + number * step
        run.turn(events(np.arange(number * SMALL, (number + 1) * SMALL), start, length), (number + 1) * step)
    spent, turns = [], []
    for number in range(100, 130):
        start = np.sort(random.integers(0, step, SMALL)) + number * step
        flows = events(random.integers(0, EVENTS, SMALL), start, length)
        run.read = run.calls = 0
        began = time.process_time()
        rows, written = run.turn(flows, (number + 1) * step)
        spent.append(time.process_time() - began)
        turns.append((rows, run.read, written, run.calls))
    rows, read, wrote, calls = (int(np.median([each[at] for each in turns])) for at in range(4))
    stored = sum(map(len, run.tables.values()))
    print(
        f"{name}, {EVENTS:,} open groups ({stored / 1e6:.0f} MB): a turn of {SMALL:,} events {np.median(spent):.3f} s, "
        f"at most {max(spent):.3f} s; {rows:,} rows emitted,  {read / 1e6:.1f} MB of {calls} tables read, "
        f"{wrote / 1e6:.1f} MB written"
    )


def main() -> None:
    """Print the figures."""
    for groups in (1_000, 100_000):
        batches("sessions", SessionPanes(5 * SECOND, None), groups, 1)
        batches("sessions of a minute", SessionPanes(5 * SECOND, 60 * SECOND), groups, 1)
        batches("snapshots of points", SnapshotPanes(), groups, 1)
        batches("snapshots of a second", SnapshotPanes(), groups, SECOND)
        batches("counts of 5", CountPanes(5), groups, 1)
    open_groups("sessions", SessionPanes(100 * SECOND, None), 1, 100 * SECOND)
    open_groups("snapshots", SnapshotPanes(), 100 * SECOND, 100 * SECOND)


if __name__ == "__main__":
    main()
