"""The operators of one bucket: state, windows and what follows them, over the envelopes of a batch."""

from collections.abc import Iterable

from streaming.engine.envelopes import Envelope, Output
from streaming.engine.plan import Plan
from streaming.engine.state import StateStore


class Operators:
    """Everything behind the shuffle for one binding and bucket. Computes first and writes state last."""

    def __init__(self, plan: Plan, bucket: int, state: StateStore) -> None:
        raise NotImplementedError

    def turn(self, batch: int, envelopes: Iterable[Envelope]) -> list[Output]:
        """Take the envelopes of micro-batch `batch`, in any order, and release what has become final."""
        raise NotImplementedError
