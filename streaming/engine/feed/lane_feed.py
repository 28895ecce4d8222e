"""One lane of one input over one batch: clock, late policy, quarantine, expressions, and the fold of slices."""

import numpy as np
import pyarrow as pa

from streaming.engine.exchange.envelopes import LaneTurn
from streaming.engine.feed.judging.judges import LaneJudge
from streaming.engine.feed.judging.late import count_and_list, labelled
from streaming.engine.feed.judging.tally import LaneMemory, load, save
from streaming.engine.feed.sending import InputSender
from streaming.planning.plan import QueryPlan
from streaming.temporal.clock import started_at
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.rows.arrived import Arrived


class LaneFeed:
    """Takes the chunks of one lane of one batch in arrival order and folds them.

    `state` is the one that the lane's feed returned for the previous batch, None for its first batch. One object serves
    one batch: call `take` any number of times, then `finish` once. A lane that appears later than the first batch of
    its input starts at the input's CTI, `joining` (T14). Plans that are fed `together` need `CoupledFeed`.
    """

    def __init__(self, plan: QueryPlan, input_id: str, lane: str, state: bytes | None, joining: int = NO_CTI) -> None:
        if plan.together:
            raise ValueError(f"the lanes of {input_id!r} have to be fed together, not lane {lane!r} alone")
        self._input = plan.inputs[input_id]
        self._lane = lane
        memory = load(state) if state is not None else LaneMemory(started_at(Tick(joining)))
        self._judge = LaneJudge(self._input.shape, self._input.advance, memory.clock, memory.horizon, memory.edges)
        self._tally = memory.tally
        self._speaks = state is None
        self._sender = InputSender(plan, input_id, lane)
        self._late: list[pa.Table] = []

    def take(self, arrived: Arrived) -> None:
        """Judge and fold one chunk."""
        if not len(arrived.kind):
            return
        self._speaks = True
        judged = self._judge.judge(arrived)
        # sent before it is counted: the sender writes window refusals into `judged`, which would otherwise count as in
        # time
        watched = self._sender.send(self._lane, arrived, judged, judged.step_row, judged.step_cti)
        self._late.append(count_and_list(arrived, judged, watched, self._input.advance.late, self._tally))

    def announce(self) -> None:
        """Send the lane's CTI to receivers that do not have it: the state is that of another run."""
        self._speaks = True
        if self._judge.cti > NO_CTI:
            self._sender.step(np.array([self._judge.cti]))

    def finish(self, *, end: bool) -> LaneTurn:
        """Return the turn of this batch; `end` adds CTI INFINITY after its rows. Same input, same bytes.

        A lane sends its CTIs to every bucket in its first batch, and whenever it has read or ended something. So a lane
        that is fed from the first batch on delays its input until it has a CTI.
        """
        if end and self._judge.raise_to(INFINITY):
            self._speaks = True
            self._sender.step(np.array([INFINITY]))
        memory = LaneMemory(self._judge.state(), self._judge.horizon, self._tally, self._judge.edges())
        return LaneTurn(
            envelopes=self._sender.envelopes(self._judge.cti, self._judge.horizon) if self._speaks else [],
            state=save(memory),
            counts=self._tally.totals(memory.clock),
            late=labelled(self._late, self._input.node, self._lane),
            failures=self._sender.failures,
            reach=self._sender.reach,
        )
