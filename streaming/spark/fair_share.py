"""How the rows of one batch are shared out among the inputs that want them; what one leaves the others get.

Evenly among organisations first, then among the bindings of each, then among the inputs of each.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeGuard

from streaming.adapters.contract import BoundedAdapter, InputAdapter, Position
from streaming.spark.adapter_queries import AdapterQueries
from streaming.spark.token_bucket import Allowance

_ANY = 1 << 62
_ROUNDS = 32
"""After so many rounds the rest is left for the next batch: lanes that are uneven take a little each time."""


@dataclass
class ReadWish:
    """One input of one binding while a batch is planned: it may take at most `most` rows beyond `start`.

    `reached` are its positions so far. `inquiries` asks its adapter and knows of earlier questions; without, it is
    asked as if nobody had before. `fault`: what its adapter raised; it is asked no more.
    `until`: it reads no further than that, and no lane that is not named there. `follows`: another has read up to
    there, so that its adapter need not be asked what there is. `organisation`: whose limit counts.
    """

    binding: str
    input: str
    adapter: InputAdapter
    start: Mapping[str, Position]
    most: int
    inquiries: AdapterQueries | None = None
    until: Mapping[str, Position] | None = None
    organisation: str = ""
    follows: bool = False
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

    def question(self, rows: int, now: int) -> tuple[Hashable, Callable[[], Mapping[str, Position]]]:
        """What its adapter is asked when it is to take `rows`, and the name of that question."""
        start = self.reached
        return (self.binding, self.input, tuple(start.items())), partial(self._asked, start, rows, now)

    def _further(self, rows: int, now: int) -> Mapping[str, Position]:
        start = self.reached
        name, asked = self.question(rows, now)
        try:
            if self.inquiries is None:
                return {**start, **asked()}
            return {**start, **self.inquiries.ask(name, f"The input {self.input}", asked, otherwise=start)}
        except Exception as error:  # noqa: BLE001 - a binding's fault ends here, the others go on
            self.fault = error
            return self.reached

    def _asked(self, reached: Mapping[str, Position], rows: int, now: int) -> Mapping[str, Position]:
        """What the adapter says, within what it wants to hold of the batch."""
        further: Mapping[str, Position] = _towards(self.until or {}, reached, rows) if self.follows else {}
        if not self.follows:
            further = self.adapter.latest(reached, now=now, limit_rows=rows)
        if self.until is not None:
            most = {lane: self.until.get(lane, reached.get(lane, 0)) for lane in further}
            further = {lane: min(position, most[lane]) for lane, position in further.items()}
        if not _is_bounded(self.adapter):
            return further
        bounds = self.adapter.bounds(self.start)
        return {lane: min(position, bounds.get(lane, position)) for lane, position in further.items()}


def _is_bounded(adapter: InputAdapter) -> TypeGuard[BoundedAdapter]:
    """Whether `adapter` has bounds: what `isinstance` says of a protocol, in a hundredth of its 15 us."""
    return hasattr(adapter, BoundedAdapter.bounds.__name__)


def _towards(until: Mapping[str, Position], reached: Mapping[str, Position], rows: int) -> dict[str, Position]:
    """`rows` positions further in all, lane by lane, but not beyond `until`."""
    found: dict[str, Position] = {}
    for lane, most in until.items():
        start = reached.get(lane, 0)
        found[lane] = start + max(0, min(rows, most - start))
        rows -= found[lane] - start
    return found


class RowBudget:
    """What one batch may still read: `rows` in all, None: any; `each`: of organisations that have a limit."""

    def __init__(self, rows: int | None, each: Mapping[str, int]) -> None:
        self.rows = _ANY if rows is None else rows
        self._each = dict(each)

    @classmethod
    def of(cls, rows: int | None, allowances: Mapping[str, Allowance]) -> "RowBudget":
        """What organisations with such `allowances` may read: none, where a batch of so few would cost too much."""
        return cls(rows, {name: said.rows if said.worth_reading else 0 for name, said in allowances.items()})

    def left(self, organisation: str) -> int:
        """What `organisation` may still read."""
        return min(self.rows, self._each.get(organisation, _ANY))

    def ran_out(self, organisation: str) -> bool:
        """Whether the limit of `organisation` itself is used up."""
        return self._each.get(organisation, 1) <= 0

    def part(self, organisation: str, of: int) -> int:
        """What `organisation` is offered as one `of` so many."""
        return min(self.rows // of, self._each.get(organisation, _ANY))

    def take(self, organisation: str, rows: int) -> None:
        """So many are taken."""
        self.rows -= rows
        if organisation in self._each:
            self._each[organisation] -= rows


def share(wishes: Sequence[ReadWish], budget: RowBudget, now: int, *, first: int) -> list[ReadWish]:
    """Let `wishes` take about what `budget` has; those of which something waits that it has nothing left for.

    `first` is who is asked first, counted round: so the last row is not always the same binding's.
    """
    begin = first % len(wishes) if wishes else 0
    hungry, cut = [*wishes[begin:], *wishes[:begin]], []
    for _ in range(_ROUNDS):
        cut += [wish for wish in hungry if budget.left(wish.organisation) <= 0]
        hungry = [wish for wish in hungry if budget.left(wish.organisation) > 0]
        if not hungry:
            break
        hungry = _round(hungry, budget, now)
    return [wish for wish in cut if wish.waits(now)]


def _round(hungry: Sequence[ReadWish], budget: RowBudget, now: int) -> list[ReadWish]:
    """Ask each once for its even share; who may want more."""
    inputs = Counter(wish.binding for wish in hungry)
    bindings = Counter(organisation for organisation, _ in {(wish.organisation, wish.binding) for wish in hungry})
    offered = {organisation: budget.part(organisation, len(bindings)) for organisation in bindings}
    again = []
    for wish in hungry:
        part = max(1, offered[wish.organisation] // (bindings[wish.organisation] * inputs[wish.binding]))
        asked = min(part, budget.left(wish.organisation), wish.most - wish.taken)
        took = wish.take(asked, now) if asked > 0 else 0
        budget.take(wish.organisation, took)
        if wish.fault is None and wish.taken < wish.most and (took or asked <= 0):
            again.append(wish)
    return again
