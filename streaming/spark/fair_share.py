"""How the rows of one batch are shared out among the inputs that want them: evenly; what one leaves the others get."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from streaming.adapters.contract import BoundedAdapter, InputAdapter, Position
from streaming.spark.adapter_queries import AdapterQueries

_ROUNDS = 32
"""After so many rounds the rest is left for the next batch: lanes that are uneven take a little each time."""


@dataclass
class ReadWish:
    """One input of one binding while a batch is planned: it may take at most `most` rows beyond `start`.

    `reached` are its positions so far. `inquiries` asks its adapter and knows of earlier questions; without, it is
    asked as if nobody had before. `fault`: what its adapter raised; it is asked no more.
    `until`: it reads no further than that, and no lane that is not named there.
    """

    binding: str
    input: str
    adapter: InputAdapter
    start: Mapping[str, Position]
    most: int
    inquiries: AdapterQueries | None = None
    until: Mapping[str, Position] | None = None
    reached: Mapping[str, Position] = field(init=False)
    taken: int = 0
    fault: Exception | None = None

    def __post_init__(self) -> None:
        self.reached = dict(self.start)

    def take(self, rows: int, now: int) -> int:
        """Move on by about `rows` rows of what waits; how many positions that were."""
        further = self._further(rows, now)
        moved = sum(position - self.reached.get(lane, 0) for lane, position in further.items())
        self.reached, self.taken = further, self.taken + moved
        return moved

    def waits(self, now: int) -> bool:
        """Whether there is more than it has taken."""
        return self.fault is None and self._further(1, now) != self.reached

    def _further(self, rows: int, now: int) -> Mapping[str, Position]:
        start = self.reached
        asked = partial(self._asked, start, rows, now)
        name = (self.binding, self.input, tuple(start.items()))
        try:
            if self.inquiries is None:
                return {**start, **asked()}
            return {**start, **self.inquiries.ask(name, f"The input {self.input}", asked, otherwise=start)}
        except Exception as error:  # noqa: BLE001 - a binding's fault ends here, the others go on
            self.fault = error
            return self.reached

    def _asked(self, reached: Mapping[str, Position], rows: int, now: int) -> Mapping[str, Position]:
        """What the adapter says, within what it wants to hold of the batch."""
        further = self.adapter.latest(reached, now=now, limit_rows=rows)
        if self.until is not None:
            most = {lane: self.until.get(lane, reached.get(lane, 0)) for lane in further}
            further = {lane: min(position, most[lane]) for lane, position in further.items()}
        if not isinstance(self.adapter, BoundedAdapter):
            return further
        bounds = self.adapter.bounds(self.start)
        return {lane: min(position, bounds.get(lane, position)) for lane, position in further.items()}


def share(wishes: Sequence[ReadWish], rows: int, now: int, *, first: int) -> list[ReadWish]:
    """Let `wishes` take about `rows` rows in all, each binding as much as any other; those that the end left waiting.

    `first` is who is asked first, counted round: so the last row is not always the same binding's.
    """
    begin = first % len(wishes) if wishes else 0
    hungry = [*wishes[begin:], *wishes[:begin]]
    for _ in range(_ROUNDS):
        if rows <= 0 or not hungry:
            break
        rows, hungry = _round(hungry, rows, now)
    return [wish for wish in hungry if wish.waits(now)] if rows <= 0 else []


def _round(hungry: Sequence[ReadWish], rows: int, now: int) -> tuple[int, list[ReadWish]]:
    """Ask each once for its even share; the rows that are left, and who may want more."""
    inputs = Counter(wish.binding for wish in hungry)
    offered, left, again = rows, rows, []
    for wish in hungry:
        part = max(1, offered // (len(inputs) * inputs[wish.binding]))
        asked = min(part, left, wish.most - wish.taken)
        took = wish.take(asked, now) if asked > 0 else 0
        left -= took
        if wish.fault is None and wish.taken < wish.most and (took or asked <= 0):
            again.append(wish)
    return left, again
