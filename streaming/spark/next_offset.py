"""The next offset while it is being made: one place for each thing that can happen to a binding between two batches."""

import traceback
from collections.abc import Callable, Hashable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import partial

from streaming.adapters.contract import AdapterError, Position
from streaming.spark.adapter_queries import AdapterQueries
from streaming.spark.beginnings import ANOTHER_ROUTING, START_AGAIN
from streaming.spark.binding import RunnableBinding, binding_of, journals_of
from streaming.spark.binding_life import MOVING, BindingState, CarriedBinding
from streaming.spark.changeover import OUTDATED, followed, is_outdated
from streaming.spark.control import AddBinding, ForgetBinding, RepairBinding, SaveBinding, StopBinding
from streaming.spark.entrances import BindingEntrance
from streaming.spark.errors import RunFailure, explain_binding, shared_fault
from streaming.spark.fair_share import ReadWish, RowBudget, share
from streaming.spark.given_rows import repair_turns
from streaming.spark.layout import CarrierFolder
from streaming.spark.looks import TimesOfBindings, WatchedBinding
from streaming.spark.offset import BindingTurn, Offset
from streaming.spark.savepoints import assemble, head_of, refuse
from streaming.spark.token_bucket import Allowance
from streaming.wire.messages import BESIDE, RunSpec

INPUT_ENDED = "The input has ended and every result was written."
NOT_KNOWN = "Nothing is kept of this run. Start it, and stop it, before a savepoint is taken."
HAS_ENDED = "The run has come to its end, and keeps nothing that another could go on with."


@dataclass
class NextOffset:
    """Begins as a copy of an offset.

    `turns` and `moved` say what the batch has to do, `again` who is to be looked at again at once: whose lanes were cut
    short by the size of a batch or by the limit, who ends next, whose adapter has not answered yet. `looked`: who was
    looked at. `previous` is the batch before; `batch` is above that of every savepoint that is entered, so that
    results are numbered on.
    """

    carrier: CarrierFolder
    batch: int
    tick: int
    carried: dict[str, CarriedBinding]
    parked: dict[str, CarriedBinding]
    planned: dict[str, CarriedBinding]
    inquiries: AdapterQueries
    previous: int
    turns: list[BindingTurn] = field(default_factory=list)
    moved: bool = False
    again: set[str] = field(default_factory=set)
    looked: set[str] = field(default_factory=set)

    @classmethod
    def after(cls, carrier: CarrierFolder, start: Offset, tick: int, inquiries: AdapterQueries) -> "NextOffset":
        """The draft of the batch after `start`. What the batch before moved from is forgotten, unless it failed."""
        return cls(
            carrier=carrier,
            batch=start.n + 1,
            tick=tick,
            carried={name: item.settled() for name, item in start.carried.items()},
            parked={name: item.settled() for name, item in start.parked.items()},
            planned={item.key: item for item in start.every},
            inquiries=inquiries,
            previous=start.n,
        )

    def set_aside(self, key: str) -> None:
        """Park the generation `key`, which failed in the batch before, where it stood before that batch."""
        item = self.planned.get(key)
        if item is not None:
            self.carried.pop(item.binding, None)
            self.parked.pop(item.binding, None)
            if item.savepoint is None:  # else its state has not come in, and there is nothing to go back to
                self.parked[item.binding] = item.set_aside(self.previous)

    def refuse_other_routing(self) -> None:
        """Park what is carried under state that another version of the engine divided among buckets in another way."""

        def check(item: CarriedBinding) -> None:
            if item.generation.routing != binding_of(self.carrier, item.entry).plan.routing:
                raise AdapterError(f"{ANOTHER_ROUTING} {START_AGAIN}")

        for item in list(self.carried.values()):
            self._guarded(item, check)

    def busy_with(self, entry: int) -> bool:
        """Whether control entry `entry` starts or forgets a binding with which something happens in this batch already.

        It waits for the next one: a batch of a binding belongs to one run. Without this the parts and the commit of a
        run that stops would take the place of those of the run that begins, or the other way round.
        """
        command = self.carrier.control.read(entry)
        name = command.binding if isinstance(command, ForgetBinding) else ""
        if isinstance(command, AddBinding):
            name = self.carrier.control.name_of(command.spec)
        return any(turn.binding == name for turn in self.turns)

    def obey(self, entry: int) -> None:
        """Take the command of control entry `entry`."""
        command = self.carrier.control.read(entry)
        if isinstance(command, AddBinding):
            self._add(entry, command)
        elif isinstance(command, SaveBinding):
            self._save(command)
        elif isinstance(command, ForgetBinding):
            self._forget(command)
        elif isinstance(command, RepairBinding):
            for turn in repair_turns(self.carrier, self.carried.get(command.binding), command):
                self._note(turn)
        else:
            self._stop(command)

    def leave_outdated(self) -> None:
        """Forget what reads beside a run that is not that of its binding any more, or has been parked."""
        for name in [name for name in (*self.carried, *self.parked) if name.endswith(BESIDE)]:
            item = self._known(name)
            if item is None or not item.generation.beside:
                continue
            if name in self.parked and item.state not in MOVING:
                self._leave_beside(name, "")
            elif name in self.carried and is_outdated(self.carrier, item, self._known(followed(item))):
                self._fail(name, item.key, item.entry, AdapterError(OUTDATED))
                self.parked[name] = self.carried.pop(name).failed_in_planning()

    @property
    def has_work(self) -> bool:
        """Whether the batch has anything to do."""
        return bool(self.turns) or self.moved

    def read_on(self, names: AbstractSet[str], allowances: Mapping[str, Allowance]) -> None:
        """Move the lanes of the bindings `names` on by what waits, as far as `allowances` of organisations let them.

        A binding whose adapter fails is parked.
        """
        wishes = self._wishes(names)
        self.looked |= wishes.keys()
        every = [wish for mine in wishes.values() for wish in mine]
        if not allowances and self.carrier.settings.batch_rows is None:
            self.inquiries.prepare(wish.question(wish.most, self.tick) for wish in every)
            for wish in every:
                wish.take(wish.most, self.tick)
        else:
            budget = RowBudget.of(self.carrier.settings.batch_rows, allowances)
            for wish in share(every, budget, self.tick, first=self.batch):
                self.again.add(wish.binding)
                if budget.ran_out(wish.organisation):
                    item, limit = self.carried[wish.binding], allowances[wish.organisation].per_second
                    self.carried[wish.binding] = replace(item, held=limit)
        self.inquiries.prepare(
            self._whether_finished(wish.input, wish.reached, self.carried[wish.binding])
            for wish in every
            if wish.fault is None and not wish.follows and wish.until is None
        )
        for name, mine in wishes.items():
            self._guarded(self.carried[name], partial(self._move, mine))

    def beat(self, names: AbstractSet[str], ticks: int, times: TimesOfBindings) -> None:
        """Let time pass for those of `names` that wait for it, where it changes anything.

        It does in every batch that they are in, and `ticks` after the last one where they are due by it.
        """
        for item in [self.carried[name] for name in names & self.carried.keys()]:
            reads = item.state is BindingState.READING
            waits = item.state is BindingState.WAITING and self.tick - item.beaten >= ticks
            if item.generation.together and (reads or (waits and times.is_due(item, self.tick))):
                self.carried[item.binding] = item.timed(self.tick, times.quiet.get(WatchedBinding.of(item), 0))
                self.moved = True

    def _wishes(self, names: AbstractSet[str]) -> dict[str, list[ReadWish]]:
        """What the inputs of those carried bindings could read; a binding that cannot be built is parked."""
        most = self.carrier.settings.rows_per_batch
        found: dict[str, list[ReadWish]] = {}

        def note(item: CarriedBinding) -> None:
            adapters = binding_of(self.carrier, item.entry).adapters
            found[item.binding] = [
                ReadWish(
                    item.binding,
                    name,
                    adapter,
                    item.positions.get(name, {}),
                    most,
                    self.inquiries,
                    self._until(item, name),
                    self.carrier.organisation_of(item.binding),
                    follows=item.generation.beside != "",
                )
                for name, adapter in adapters.items()
                if name not in item.now.ended
            ]

        for item in list(self.carried.values()):
            if item.state is BindingState.WAITING and item.binding in names:
                self._guarded(item, note)
        return found

    def _until(self, item: CarriedBinding, name: str) -> Mapping[str, Position] | None:
        """How far an input reads at most: to where the run before had, or another has before this batch."""
        if item.generation.beside:
            other = self._known(followed(item))
            return {} if other is None else other.stood.positions.get(name, {})
        return None if item.again is None else item.again.get(name, {})

    def _known(self, name: str) -> CarriedBinding | None:
        return self.carried.get(name) or self.parked.get(name)

    def _near(self, spec: RunSpec) -> CarriedBinding | None:
        """The binding beside which that of `spec` is to read, or which reads beside it."""
        name = self.carrier.control.name_of(spec)
        return self.carried.get(name.removesuffix(BESIDE) if spec.beside else f"{name}{BESIDE}")

    def _guarded(self, item: CarriedBinding, step: Callable[[CarriedBinding], None]) -> None:
        try:
            step(item)
        except Exception as error:  # noqa: BLE001 - a binding's fault ends here, the others go on
            self._fail(item.binding, item.key, item.entry, error)
            self.parked[item.binding] = self.carried.pop(item.binding).failed_in_planning()

    def _add(self, entry: int, command: AddBinding) -> None:
        name = self.carrier.control.name_of(command.spec)
        newest = self.carrier.results_of(entry).numbers("commits")  # another carrier may have written them
        self.batch = max(self.batch, newest[-1] + 1 if newest else 0)
        known = self.carried.pop(name, None) or self.parked.pop(name, None)
        entrance = BindingEntrance(self.carrier, entry, self.previous, self.tick, self.batch)
        try:
            item, told = entrance.taken(known, self._near(command.spec))
        except Exception as error:  # noqa: BLE001 - as above
            self._fail(name, f"{name}@{entry}", entry, error)
            if known is not None:
                self.parked[name] = known
            return
        self.batch = entrance.batch
        if known is not None and known.key != item.key:
            self._note(BindingTurn(name, known.key, known.entry, clear=True))
        if command.spec.takes_over is not None:
            self._leave_beside(f"{name}{BESIDE}", item.key)
        self.carried[name] = item
        self._note(BindingTurn(name, item.key, entry, state="running", message=told))

    def _save(self, command: SaveBinding) -> None:
        name, shared = command.binding, self.carrier.shared_of(self.carrier.organisation_of(command.binding))
        if name in self.carried:
            self._stop(StopBinding(kind="stop", tick=command.tick, binding=name, flush=False))
        item = self.parked.get(name)
        if item is not None and (item.now.ended or item.discarded) and command.moving:
            spec = self.carrier.control.added(item.entry).spec
            head = head_of(item, command.path, self.previous)
            head = replace(head, ended=True, journals=journals_of(self.carrier, spec), run=spec.run)
            assemble(self.carrier, shared, head, ())
        elif item is None or item.now.ended or item.discarded or item.savepoint is not None:
            refuse(shared, command.path, NOT_KNOWN if item is None else HAS_ENDED)
        else:
            self._note(BindingTurn(name, item.key, item.entry, save=command.path))

    def _forget(self, command: ForgetBinding) -> None:
        if command.binding in self.carried:
            self._stop(StopBinding(kind="stop", tick=command.tick, binding=command.binding, flush=False))
        item = self.parked.pop(command.binding, None)
        if item is not None:
            self._note(BindingTurn(command.binding, item.key, item.entry, clear=True))

    def _leave_beside(self, name: str, key: str) -> None:
        """Carry the binding `name`, which read beside another, no more; its state `key`, if that is its, lives on."""
        item = self.carried.pop(name, None) or self.parked.pop(name, None)
        if item is not None and item.key != key:
            self._note(BindingTurn(name, item.key, item.entry, clear=True))

    def _stop(self, command: StopBinding) -> None:
        item = self.carried.pop(command.binding, None)
        if item is not None:
            finals = binding_of(self.carrier, item.entry).finals if command.flush and not command.discard else ()
            end = tuple(name for name in finals if name not in item.now.ended)
            self._rest(item, end)
            self._note(BindingTurn(item.binding, item.key, item.entry, by_user=True, cut=bool(end)))
        rests = self.parked.get(command.binding)
        if command.discard and rests is not None and not rests.discarded:
            self.parked[command.binding] = replace(rests, discarded=True)
            self._note(BindingTurn(rests.binding, rests.key, rests.entry, clear=True))

    def _rest(self, item: CarriedBinding, end: tuple[str, ...], *, completed: bool = False) -> None:
        """Stop reading `item` after this batch, in which the inputs `end` get CTI infinity."""
        parked = self.parked[item.binding] = item.stopping(end)
        clear = bool(parked.now.ended)
        turn = BindingTurn(item.binding, item.key, item.entry, state="stopped", end=end, clear=clear)
        self._note(replace(turn, state="completed", message=INPUT_ENDED) if completed else turn)

    def _move(self, wishes: list[ReadWish], item: CarriedBinding) -> None:
        for wish in wishes:
            if wish.fault is not None:
                raise wish.fault
        if any(wish.taken * 2 >= wish.most for wish in wishes):
            self.again.add(item.binding)
        positions = {**item.positions, **{wish.input: dict(wish.reached) for wish in wishes}}
        if positions != item.positions:
            item = self.carried[item.binding] = item.reading(positions)
            self.moved = True
        binding = binding_of(self.carrier, item.entry)
        if item.state is BindingState.READING:
            # Ends come in a batch of their own, so that the CTIs before them are told; it comes at once.
            if item.again is not None or item.generation.beside or self._ends_next(item, binding):
                self.again.add(item.binding)
            return
        if not item.generation.beside:  # its inputs end when it has taken over
            self._end_finished(item, binding)

    def _end_finished(self, item: CarriedBinding, binding: RunnableBinding) -> None:
        at_end = binding.added.at_end
        open_inputs = [name for name in binding.adapters if name not in item.now.ended]
        finished = [name for name in open_inputs if self._finished(item, name)]
        wanted = {"flush": finished, "final": [name for name in finished if name in binding.finals], "nothing": []}
        end = tuple(wanted[at_end])
        if len(finished) == len(open_inputs):
            del self.carried[item.binding]
            self._rest(item, end, completed=True)
            self._note(BindingTurn(item.binding, item.key, item.entry, by_user=at_end == "final"))
        elif end:
            self.carried[item.binding] = item.reading(item.positions, ended=end)
            self._note(BindingTurn(item.binding, item.key, item.entry, end=end))

    def _ends_next(self, item: CarriedBinding, binding: RunnableBinding) -> bool:
        try:
            return any(self._finished(item, name) for name in binding.adapters if name not in item.now.ended)
        except AdapterError:
            return True  # the next planning meets the same fault, and says so

    def _finished(self, item: CarriedBinding, name: str) -> bool:
        question, asked = self._whether_finished(name, item.positions[name], item)
        return self.inquiries.ask(question, f"The input {name}", asked, otherwise=False)

    def _whether_finished(
        self, name: str, positions: Mapping[str, Position], item: CarriedBinding
    ) -> tuple[Hashable, Callable[[], bool]]:
        """The question whether the input `name` has come to its end at `positions`, by its name."""
        adapter = binding_of(self.carrier, item.entry).adapters[name]
        return (item.key, name, "finished"), partial(adapter.finished, positions)

    def _fail(self, name: str, key: str, entry: int, error: Exception) -> None:
        if shared_fault(error):
            raise error
        failure: RunFailure = explain_binding(error, "planning what to read", traceback.format_exc())
        turn = BindingTurn(name, key, entry, state="failed", domain=failure.domain, message=failure.message)
        self._note(replace(turn, detail=failure.detail, slow=failure.slow))

    def _note(self, turn: BindingTurn) -> None:
        """Add `turn` to what the batch already does with the same generation."""
        for index, known in enumerate(self.turns):
            if known.key == turn.key:
                self.turns[index] = known.with_later(turn)
                return
        self.turns.append(turn)
