"""The operators of one bucket: state, windows and what follows them, over the envelopes of a batch."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from streaming.engine.admit import assign
from streaming.engine.closing import advance
from streaming.engine.envelopes import Envelope, Output
from streaming.engine.feed import LIFETIME, events_of
from streaming.engine.fold import Fold
from streaming.engine.frontiers import last_of, rise
from streaming.engine.ipc import from_bytes, metadata_of, to_bytes
from streaming.engine.ledger import Ledger
from streaming.engine.measures import column_of
from streaming.engine.plan import Branch, InputPlan, Plan, WindowStage, branches_of
from streaming.engine.rows import Rows, follow
from streaming.engine.state import StateStore
from streaming.temporal.ticks import NO_CTI
from streaming.wire.arrived import Int64s


@dataclass
class _Inbox:
    """The envelopes of one input in one batch: tables by branch, and CTIs by branch and lane."""

    tables: dict[str, list[pa.Table]] = field(default_factory=lambda: defaultdict(list))
    ctis: dict[str, dict[str, Int64s]] = field(default_factory=lambda: defaultdict(dict))
    lanes: list[str] = field(default_factory=list)


class Operators:
    """Everything behind the shuffle for one binding and bucket. Computes first and writes state last.

    Deterministic: the same state and envelopes give the same outputs and the same state, byte for byte.
    """

    def __init__(self, plan: Plan, bucket: int, state: StateStore) -> None:
        self._plan = plan
        self._bucket = bucket
        self._state = state
        self._folds = {
            branch.id: Fold(branch.window)
            for input_plan in plan.inputs.values()
            for branch in branches_of(input_plan.branches)
            if branch.window is not None
        }

    def turn(self, batch: int, envelopes: Iterable[Envelope]) -> list[Output]:
        """Take the envelopes of micro-batch `batch`, in any order, and release what has become final."""
        del batch  # the order of turns is the order of batches; nothing depends on the number
        inboxes = self._sorted(envelopes)
        ledger = Ledger(self._state)
        outputs: list[Output] = []
        for input_id in sorted(inboxes):
            outputs.extend(_Turn(self._folds, ledger, outputs=[]).input(self._plan.inputs[input_id], inboxes[input_id]))
        if inboxes:
            ledger.write()
        return outputs

    def _sorted(self, envelopes: Iterable[Envelope]) -> dict[str, _Inbox]:
        inboxes: dict[str, _Inbox] = defaultdict(_Inbox)
        for envelope in sorted(envelopes, key=lambda each: (each.input, each.lane, each.seq)):
            if envelope.bucket != self._bucket:
                raise ValueError(f"an envelope for bucket {envelope.bucket} came to bucket {self._bucket}")
            inbox = inboxes[envelope.input]
            table = from_bytes(envelope.chunk)
            if envelope.kind == "ctis":
                inbox.lanes.append(envelope.lane)
                self._note_ctis(inbox, envelope, table)
            else:
                inbox.tables[metadata_of(table, "branch")].append(table.replace_schema_metadata(None))
        return inboxes

    def _note_ctis(self, inbox: _Inbox, envelope: Envelope, table: pa.Table) -> None:
        branch, cti = column_of(table, "branch").to_numpy(), column_of(table, "cti").to_numpy()
        for number, each in enumerate(self._plan.inputs[envelope.input].branches):
            inbox.ctis[each.id][envelope.lane] = cti[branch == number]


@dataclass
class _Turn:
    """One input's way through the graph in one batch."""

    folds: dict[str, Fold]
    ledger: Ledger
    outputs: list[Output]

    def input(self, plan: InputPlan, inbox: _Inbox) -> list[Output]:
        known = self.ledger.ctis.setdefault(plan.node, {})
        for branch in plan.branches:
            lanes = known.setdefault(branch.id, dict.fromkeys(plan.lanes or (), NO_CTI))
            floor = self.ledger.released.get(branch.id, NO_CTI)
            for lane in inbox.lanes:
                lanes.setdefault(lane, NO_CTI)
            rising = rise(lanes, inbox.ctis.get(branch.id, {}), floor)
            self._note(branch.id, rising)
            tables = inbox.tables.get(branch.id, [])
            if branch.window is None:
                self._out(branch, tables, rising)
            else:
                self._window(branch, tables, rising)
        return self.outputs

    def _note(self, branch: str, rising: list[int]) -> None:
        if rising:
            self.ledger.released[branch] = rising[-1]

    def _window(self, branch: Branch, partials: list[pa.Table], rising: list[int]) -> None:
        """`rising` are the CTIs of the window's results: the starts of its earliest windows not closed."""
        fold = self.folds[branch.id]
        closed = self.ledger.window(branch.id).closed
        if rising:
            reached = last_of(rising, NO_CTI)
            closed = fold.panes.closed_before(reached)
        rows = advance(fold, self.ledger, partials, closed)
        start = fold.panes.starts(rows.index)
        stage: WindowStage = fold.stage
        columns = dict(zip(stage.fields, rows.columns, strict=True))
        results = Rows(columns, None, start, start + fold.panes.size, None)
        for following in stage.branches:
            self._behind(following, results, rising)

    def _behind(self, branch: Branch, results: Rows, rising: list[int]) -> None:
        rows = follow(results, branch.steps)
        if branch.window is None:
            self._out(branch, [events_of(branch, rows)], rising)
            return
        fold = self.folds[branch.id]
        taken = assign(fold.panes, rows, None, points=False)
        partials = [fold.rows(taken.rows, taken.first, taken.last)] if len(taken.rows) else []
        mapped = fold.panes.output_ctis(np.array(rising, np.int64)).tolist()
        floor = self.ledger.released.get(branch.id, NO_CTI)
        mapped = [cti for cti in mapped if cti > floor]
        self._note(branch.id, mapped)
        self._window(branch, partials, mapped)

    def _out(self, branch: Branch, tables: list[pa.Table], rising: list[int]) -> None:
        output = branch.id
        filled = [table for table in tables if table.num_rows]
        if filled:
            whole = pa.concat_tables(filled)
            named = whole.rename_columns(["start", "end", *whole.column_names[len(LIFETIME) :]])
            self.outputs.append(Output(output, "rows", to_bytes(named)))
        if rising:
            self._note(output, rising)
            self.outputs.append(Output(output, "ctis", to_bytes(pa.table({"cti": pa.array(rising, pa.int64())}))))
