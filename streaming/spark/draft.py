"""The next offset while it is being made: one place for each thing that can happen to a binding between two batches."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from streaming.spark.binding import Binding, binding_of, shape_of
from streaming.spark.control import AddBinding, StopBinding
from streaming.spark.errors import Failure, explain_binding, shared_fault
from streaming.spark.layout import CarrierFolder
from streaming.spark.offset import Carried, LanePositions, Offset, Turn, rewound
from streaming.spark.rate import Allowance
from streaming.spark.sharing import Wish, share

INPUT_ENDED = "The input has ended and every result was written."


@dataclass
class Draft:
    """Begins as a copy of an offset.

    `turns` and `moved` say what the batch has to do, `more_waits` that a lane was cut short by the size of a batch or
    by the limit.
    """

    carrier: CarrierFolder
    batch: int
    tick: int
    carried: dict[str, Carried]
    parked: dict[str, Carried]
    failed: dict[str, Carried]
    turns: list[Turn] = field(default_factory=list)
    moved: bool = False
    more_waits: bool = False

    @classmethod
    def after(cls, carrier: CarrierFolder, start: Offset, tick: int) -> "Draft":
        """The draft of the batch after `start`. What the batch before moved from is forgotten, unless it failed."""
        known = {item.key: item for item in (*start.parked.values(), *start.carried.values())}
        return cls(
            carrier=carrier,
            batch=start.n + 1,
            tick=tick,
            carried={name: _settled(item) for name, item in start.carried.items()},
            parked={name: _settled(item) for name, item in start.parked.items()},
            failed=known,
        )

    def set_aside(self, key: str) -> None:
        """Park the generation `key`, which failed in the batch before, where it stood before that batch."""
        item = self.failed.get(key)
        if item is not None:
            self.carried.pop(item.binding, None)
            self.parked[item.binding] = rewound(item, self.batch - 1)

    def obey(self, entry: int) -> None:
        """Take the command of control entry `entry`."""
        command = self.carrier.control.read(entry)
        if isinstance(command, AddBinding):
            self._add(entry, command)
        else:
            self._stop(command)

    def read_on(self, allowance: Allowance | None = None) -> None:
        """Move every carried binding's lanes on by what waits, as far as `allowance` lets all of them together.

        A binding whose adapter fails is parked.
        """
        wishes = self._wishes()
        every = [wish for mine in wishes.values() for wish in mine]
        if allowance is None:
            for wish in every:
                wish.take(wish.most, self.tick)
        else:
            rows = allowance.rows if allowance.worth_reading else 0  # what has ended or fails needs none
            for wish in share(every, rows, self.tick, first=self.batch):
                self.more_waits = True
                item = self.carried[wish.binding]
                self.carried[wish.binding] = replace(item, held=allowance.per_second)
        for name, mine in wishes.items():
            self._guarded(self.carried[name], partial(self._move, mine))

    def _wishes(self) -> dict[str, list[Wish]]:
        """What the inputs of each carried binding could read; a binding that cannot be built is parked."""
        most = self.carrier.settings.rows_per_batch
        found: dict[str, list[Wish]] = {}

        def note(item: Carried) -> None:
            adapters = binding_of(self.carrier, item.entry).adapters
            found[item.binding] = [
                Wish(item.binding, name, adapter, item.positions.get(name, {}), most)
                for name, adapter in adapters.items()
                if name not in item.ended
            ]

        for item in list(self.carried.values()):
            self._guarded(item, note)
        return found

    def _guarded(self, item: Carried, step: Callable[[Carried], None]) -> None:
        try:
            step(item)
        except Exception as error:  # noqa: BLE001 - a binding's fault ends here, the others go on
            self._fail(item.binding, item.key, item.entry, error)
            self.parked[item.binding] = replace(self.carried.pop(item.binding), held=None)

    def _add(self, entry: int, command: AddBinding) -> None:
        name = command.spec.binding
        known = self.carried.pop(name, None) or self.parked.pop(name, None)
        try:
            item = self._resumed(entry, command, known)
        except Exception as error:  # noqa: BLE001 - as above
            self._fail(name, f"{name}@{entry}", entry, error)
            if known is not None:
                self.parked[name] = known
            return
        if known is not None and known.key != item.key:
            self._note(Turn(name, known.key, known.entry, clear=True))
        self.carried[name] = item
        self._note(Turn(name, item.key, entry, state="running"))

    def _resumed(self, entry: int, command: AddBinding, known: Carried | None) -> Carried:
        shape = shape_of(command.spec)
        binding = binding_of(self.carrier, entry)
        fresh = Carried(command.spec.binding, entry, entry, shape, _first_positions(binding))
        if known is None or known.shape != shape:
            return fresh
        if not known.ended:
            return replace(known, entry=entry)
        finished = all(adapter.finished(known.positions[name]) for name, adapter in binding.adapters.items())
        return fresh if finished else replace(fresh, positions=known.positions)

    def _stop(self, command: StopBinding) -> None:
        item = self.carried.pop(command.binding, None)
        if item is None:
            return
        end: tuple[str, ...] = ()
        if command.flush:
            finals = binding_of(self.carrier, item.entry).finals
            end = tuple(name for name in finals if name not in item.ended)
        self._rest(item, end, message=None)

    def _rest(self, item: Carried, end: tuple[str, ...], message: str | None) -> None:
        """Stop reading `item` after this batch, in which the inputs `end` get CTI infinity."""
        ended = (*item.ended, *end)
        parked = replace(item, ended=ended, before=item.before or item.positions, ended_before=item.ended_before)
        self.parked[item.binding] = parked
        clear = bool(ended)
        self._note(Turn(item.binding, item.key, item.entry, state="stopped", message=message, end=end, clear=clear))

    def _move(self, wishes: list[Wish], item: Carried) -> None:
        for wish in wishes:
            if wish.fault is not None:
                raise wish.fault
        self.more_waits |= any(wish.taken * 2 >= wish.most for wish in wishes)
        positions = {**item.positions, **{wish.input: dict(wish.reached) for wish in wishes}}
        if positions != item.positions:
            item = replace(item, positions=positions, before=item.positions, ended_before=item.ended)
            self.carried[item.binding] = item
            self.moved = True
        if item.before is not None and _lanes(item) > 1:
            self.more_waits = True  # The ends of several lanes come at once, in a batch of their own.
            return
        self._end_finished(item, binding_of(self.carrier, item.entry))

    def _end_finished(self, item: Carried, binding: Binding) -> None:
        at_end = binding.added.at_end
        open_inputs = [name for name in binding.adapters if name not in item.ended]
        finished = [name for name in open_inputs if binding.adapters[name].finished(item.positions[name])]
        wanted = {"flush": finished, "final": [name for name in finished if name in binding.finals], "nothing": []}
        end = tuple(wanted[at_end])
        if len(finished) == len(open_inputs):
            del self.carried[item.binding]
            self._rest(item, end, message=INPUT_ENDED)
        elif end:
            self.carried[item.binding] = replace(
                item, ended=(*item.ended, *end), before=item.before or item.positions, ended_before=item.ended
            )
            self._note(Turn(item.binding, item.key, item.entry, end=end))

    def _fail(self, name: str, key: str, entry: int, error: Exception) -> None:
        if shared_fault(error):
            raise error
        failure: Failure = explain_binding(error, "planning what to read", traceback.format_exc())
        turn = Turn(name, key, entry, state="failed", domain=failure.domain, message=failure.message)
        self._note(replace(turn, detail=failure.detail))

    def _note(self, turn: Turn) -> None:
        """Add `turn`; what the batch already does with the same generation is kept, the newer state counts."""
        for index, known in enumerate(self.turns):
            if known.key == turn.key:
                state = turn if turn.state is not None else known
                self.turns[index] = replace(state, end=(*known.end, *turn.end), clear=known.clear or turn.clear)
                return
        self.turns.append(turn)


def _settled(item: Carried) -> Carried:
    if item.before is None and item.ended_before == item.ended and item.held is None:
        return item
    return replace(item, before=None, ended_before=item.ended, held=None)


def _first_positions(binding: Binding) -> LanePositions:
    return {name: dict.fromkeys(adapter.lanes(), 0) for name, adapter in binding.adapters.items()}


def _lanes(item: Carried) -> int:
    return sum(len(lanes) for lanes in item.positions.values())
