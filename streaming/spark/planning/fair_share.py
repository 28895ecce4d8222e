"""Fair sharing: how the inputs share the rows of one batch. Rows that an input does not need go to the others.

The shares are even among organisations first, then among the bindings of each, then among the inputs of each.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeGuard

from streaming.adapters.contract import BoundedAdapter, InputAdapter, Position
from streaming.spark.planning.adapter_queries import AdapterQueries
from streaming.spark.planning.token_bucket import TokenBucket

_ANY = 1 << 62
_ROUNDS = 32
"""After this many rounds the rest waits for the next batch: uneven lanes take a little in each round."""


@dataclass
class ReadRequest:
    """One input of one binding during planning; it may take at most `most` rows after `start`.

    `reached` are its positions so far. `inquiries` asks its adapter and remembers earlier questions; without it the
    adapter is always asked again. `fault`: the exception of its adapter, which is not asked any more.
    `until`: the limit of reading, also for lanes (a lane that is not listed there is not read). `follows`: another run
    has read up to `until`, so the adapter need not be asked for its latest positions. `organisation`: its limit
    applies.
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
        """Advance by about `rows` waiting rows; return the number of positions."""
        further = self._further(rows, now)
        moved = sum(position - self.reached.get(lane, 0) for lane, position in further.items())
        self.reached, self.taken = further, self.taken + moved
        return moved

    def waits(self, now: int) -> bool:
        """Return True if more rows wait than it has taken."""
        return self.fault is None and self._further(1, now) != self.reached

    def question(self, rows: int, now: int) -> tuple[Hashable, Callable[[], Mapping[str, Position]]]:
        """Return the adapter question for taking `rows`: its name and its call."""
        start = self.reached
        return (self.binding, self.input, tuple(start.items())), partial(self._ask_adapter, start, rows, now)

    def _further(self, rows: int, now: int) -> Mapping[str, Position]:
        start = self.reached
        name, call = self.question(rows, now)
        try:
            if self.inquiries is None:
                return {**start, **call()}
            return {**start, **self.inquiries.ask(name, f"The input {self.input}", call, otherwise=start)}
        except Exception as error:  # noqa: BLE001 - a binding's fault ends here, the others continue
            self.fault = error
            return self.reached

    def _ask_adapter(self, reached: Mapping[str, Position], rows: int, now: int) -> Mapping[str, Position]:
        """Return the adapter's latest positions, within its bounds for one batch."""
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
    """Return True if `adapter` has bounds, as `isinstance` of the protocol would, in a hundredth of its 15 us."""
    return hasattr(adapter, BoundedAdapter.bounds.__name__)


def _towards(until: Mapping[str, Position], reached: Mapping[str, Position], rows: int) -> dict[str, Position]:
    """Return positions advanced by `rows` in total, lane by lane, but not past `until`."""
    found: dict[str, Position] = {}
    for lane, most in until.items():
        start = reached.get(lane, 0)
        found[lane] = start + max(0, min(rows, most - start))
        rows -= found[lane] - start
    return found


class RowBudget:
    """The rows that one batch may still read: `rows` in total (None: no limit), `each`: of limited organisations."""

    def __init__(self, rows: int | None, each: Mapping[str, int]) -> None:
        self.rows = _ANY if rows is None else rows
        self._each = dict(each)

    @classmethod
    def of(cls, rows: int | None, allowances: Mapping[str, TokenBucket]) -> "RowBudget":
        """Return the budget for `allowances`; an organisation gets 0 if its batch would cost more than it is worth."""
        return cls(rows, {name: bucket.rows if bucket.worth_reading else 0 for name, bucket in allowances.items()})

    def left(self, organisation: str) -> int:
        """Return the rows that `organisation` may still read."""
        return min(self.rows, self._each.get(organisation, _ANY))

    def ran_out(self, organisation: str) -> bool:
        """Return True if the limit of `organisation` itself is used up."""
        return self._each.get(organisation, 1) <= 0

    def part(self, organisation: str, of: int) -> int:
        """Return the share that `organisation` is offered, as one `of` so many."""
        return min(self.rows // of, self._each.get(organisation, _ANY))

    def take(self, organisation: str, rows: int) -> None:
        """Subtract `rows`, which `organisation` has taken."""
        self.rows -= rows
        if organisation in self._each:
            self._each[organisation] -= rows


def share(requests: Sequence[ReadRequest], budget: RowBudget, now: int, *, first: int) -> list[ReadRequest]:
    """Let `requests` take about the rows of `budget`; return those that still have waiting rows but no budget left.

    `first` rotates the order, so that the last row does not always go to the same binding.
    """
    begin = first % len(requests) if requests else 0
    hungry, cut = [*requests[begin:], *requests[:begin]], []
    for _ in range(_ROUNDS):
        cut += [request for request in hungry if budget.left(request.organisation) <= 0]
        hungry = [request for request in hungry if budget.left(request.organisation) > 0]
        if not hungry:
            break
        hungry = _round(hungry, budget, now)
    return [request for request in cut if request.waits(now)]


def _round(hungry: Sequence[ReadRequest], budget: RowBudget, now: int) -> list[ReadRequest]:
    """Offer each request its even share once; return the requests that may want more."""
    inputs = Counter(request.binding for request in hungry)
    bindings = Counter(
        organisation for organisation, _ in {(request.organisation, request.binding) for request in hungry}
    )
    offered = {organisation: budget.part(organisation, len(bindings)) for organisation in bindings}
    again = []
    for request in hungry:
        part = max(1, offered[request.organisation] // (bindings[request.organisation] * inputs[request.binding]))
        asked = min(part, budget.left(request.organisation), request.most - request.taken)
        took = request.take(asked, now) if asked > 0 else 0
        budget.take(request.organisation, took)
        if request.fault is None and request.taken < request.most and (took or asked <= 0):
            again.append(request)
    return again
