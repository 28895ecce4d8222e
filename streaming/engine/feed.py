"""One lane of one input over one batch: clock, late policy, quarantine, expressions, and the fold of slices."""

from streaming.engine.envelopes import FeedTurn
from streaming.engine.plan import Plan
from streaming.wire.arrived import Arrived


class LaneFeed:
    """Takes the chunks of one lane of one batch in arrival order and folds them.

    `state` is what the lane's feed returned for the batch before, None for its first batch. One object serves one
    batch; `take` any number of times, then `finish` once.
    """

    def __init__(self, plan: Plan, input_id: str, lane: str, state: bytes | None) -> None:
        raise NotImplementedError

    def take(self, arrived: Arrived) -> None:
        """Judge and fold one chunk."""
        raise NotImplementedError

    def finish(self, *, end: bool) -> FeedTurn:
        """The turn of this batch; `end` adds CTI INFINITY after its rows. Same input, same bytes."""
        raise NotImplementedError
