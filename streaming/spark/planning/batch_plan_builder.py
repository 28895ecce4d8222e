"""The builder of the next offset: one method for each event that can happen to a binding between two batches."""

import traceback
from collections.abc import Callable, Hashable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import partial

from streaming.adapters.contract import AdapterError, Position
from streaming.spark.errors import RunFailure, explain_binding, shared_fault
from streaming.spark.planning.adapter_queries import AdapterQueries
from streaming.spark.planning.binding_activation import BindingActivation
from streaming.spark.planning.changeover import OUTDATED, followed_binding, is_outdated
from streaming.spark.planning.fair_share import ReadRequest, RowBudget, share
from streaming.spark.planning.poll_schedule import TimesOfBindings, WatchedBinding
from streaming.spark.planning.repair_turns import repair_turns
from streaming.spark.planning.start_positions import ANOTHER_ROUTING, NOTHING_NEW, START_AGAIN
from streaming.spark.planning.token_bucket import TokenBucket
from streaming.spark.query.binding import RunnableBinding, binding_of, journals_of
from streaming.spark.query.binding_life import CARRIED, MOVING, BindingState, CarriedBinding
from streaming.spark.query.control import AddBinding, Command, ForgetBinding, RepairBinding, SaveBinding, StopBinding
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.offset import BindingTurn, Offset
from streaming.spark.query.savepoints import assemble, head_of, refuse
from streaming.wire.messages import BESIDE, RunSpec

INPUT_ENDED = "The input has ended and every result was written."
NOT_KNOWN = "This run has no saved state. Start and stop the run before you create a savepoint."
HAS_ENDED = "The run has ended, so there is no state to save. A new start does not need a savepoint."


@dataclass
class BatchPlanBuilder:
    """The next offset, started as a copy of the previous one.

    `turns` and `moved` hold the work of the batch. `again`: the bindings to poll again at once, because the batch size
    or the limit cut their lanes short, their input ends next, or their adapter has not answered yet. `polled`: the
    polled bindings. `previous` is the previous batch. `batch` is greater than the batch of every savepoint that the
    plan restores, so that result numbers increase.
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
    polled: set[str] = field(default_factory=set)

    @classmethod
    def after(cls, carrier: CarrierFolder, start: Offset, tick: int, inquiries: AdapterQueries) -> "BatchPlanBuilder":
        """Return the draft of the batch after `start`; the standings before the batch `start` are forgotten."""
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
        """Park the generation `key`, which failed in the previous batch, at its position before that batch."""
        item = self.planned.get(key)
        if item is not None:
            self.carried.pop(item.binding, None)
            self.parked.pop(item.binding, None)
            if item.savepoint is None:  # else its state has not been restored, and there is nothing to return to
                self.parked[item.binding] = item.set_aside(self.previous)

    def park(self, key: str) -> None:
        """Park the generation `key`, which failed after its part of the previous batch was committed."""
        item = self.planned.get(key)
        if item is not None and item.binding in self.carried:
            self.parked[item.binding] = self.carried.pop(item.binding).failed_in_planning()

    def refuse_other_routing(self) -> None:
        """Park bindings whose state another version of the engine divided among buckets differently."""

        def check(item: CarriedBinding) -> None:
            if item.generation.routing != binding_of(self.carrier, item.entry).plan.routing:
                raise AdapterError(f"{ANOTHER_ROUTING} {START_AGAIN}")

        for item in list(self.carried.values()):
            self._guarded(item, check)

    def busy_with(self, entry: int) -> bool:
        """Return True if control entry `entry` starts or forgets a binding that already has a turn in this batch.

        The command waits for the next batch, because a batch of a binding belongs to one run. Otherwise the parts and
        the commit of a stopping run would overwrite those of the run that starts, or the reverse.
        """
        command = self.carrier.control.read(entry)
        name = command.binding if isinstance(command, ForgetBinding) else ""
        if isinstance(command, AddBinding):
            name = self.carrier.control.name_of(command.spec)
        return any(turn.binding == name for turn in self.turns)

    def apply_command(self, entry: int) -> None:
        """Apply the command of control entry `entry`. If it fails, the named binding fails."""
        command = self.carrier.control.read(entry)
        name = self.carrier.control.name_of(command.spec) if isinstance(command, AddBinding) else command.binding
        known = self._find(name)
        try:
            self._take(entry, command)
        except Exception as error:
            key, added = (f"{name}@{entry}", entry) if known is None else (known.key, known.entry)
            if known is not None or isinstance(command, AddBinding):
                self._fail(name, key, added, error)
            elif shared_fault(error):
                raise
            item = self.carried.pop(name, None) or known
            if item is not None and name not in self.parked:
                self.parked[name] = item.stopping() if item.state in CARRIED else item

    def _take(self, entry: int, command: Command) -> None:
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

    def drop_outdated(self) -> None:
        """Forget shadow runs whose followed run has been replaced or parked."""
        for name in [name for name in (*self.carried, *self.parked) if name.endswith(BESIDE)]:
            item = self._find(name)
            if item is None or not item.generation.beside:
                continue
            if name in self.parked and item.state not in MOVING:
                self._drop_shadow(name, "")
            elif name in self.carried and is_outdated(self.carrier, item, self._find(followed_binding(item))):
                self._fail(name, item.key, item.entry, AdapterError(OUTDATED))
                self.parked[name] = self.carried.pop(name).failed_in_planning()

    @property
    def has_work(self) -> bool:
        """True if the batch has anything to do."""
        return bool(self.turns) or self.moved

    def read_on(self, names: AbstractSet[str], allowances: Mapping[str, TokenBucket]) -> None:
        """Advance the lanes of the bindings `names` over waiting rows, within the `allowances` of organisations.

        A binding whose adapter fails is parked.
        """
        requests = self._read_requests(names)
        self.polled |= requests.keys()
        every = [request for mine in requests.values() for request in mine]
        if not allowances and self.carrier.settings.batch_rows is None:
            self.inquiries.prepare(request.question(request.most, self.tick) for request in every)
            for request in every:
                request.take(request.most, self.tick)
        else:
            budget = RowBudget.of(self.carrier.settings.batch_rows, allowances)
            for request in share(every, budget, self.tick, first=self.batch):
                self.again.add(request.binding)
                if budget.ran_out(request.organisation):
                    item, limit = self.carried[request.binding], allowances[request.organisation].per_second
                    self.carried[request.binding] = replace(item, held=limit)
        self.inquiries.prepare(
            self._whether_finished(request.input, request.reached, self.carried[request.binding])
            for request in every
            if request.fault is None and not request.follows and request.until is None
        )
        for name, mine in requests.items():
            self._guarded(self.carried[name], partial(self._move, mine))

    def advance_time(self, names: AbstractSet[str], ticks: int, times: TimesOfBindings) -> None:
        """Let time pass for those of `names` that wait for it, where it changes anything.

        Time passes in every batch in which such a binding reads, and otherwise `ticks` after the last batch, when it is
        due.
        """
        for item in [self.carried[name] for name in names & self.carried.keys()]:
            reads = item.state is BindingState.READING
            waits = item.state is BindingState.WAITING and self.tick - item.beaten >= ticks
            if item.generation.together and (reads or (waits and times.is_due(item, self.tick))):
                self.carried[item.binding] = item.timed(self.tick, times.quiet.get(WatchedBinding.of(item), 0))
                self.moved = True

    def _read_requests(self, names: AbstractSet[str]) -> dict[str, list[ReadRequest]]:
        """Return read requests for the inputs of these carried bindings; park a binding that cannot be built."""
        most = self.carrier.settings.rows_per_batch
        found: dict[str, list[ReadRequest]] = {}

        def note(item: CarriedBinding) -> None:
            adapters = binding_of(self.carrier, item.entry).adapters
            found[item.binding] = [
                ReadRequest(
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
        """Return the limit of an input: where the previous run, or the followed run before this batch, had read to."""
        if item.generation.beside:
            other = self._find(followed_binding(item))
            return {} if other is None else other.stood.positions.get(name, {})
        return None if item.again is None else item.again.get(name, {})

    def _find(self, name: str) -> CarriedBinding | None:
        return self.carried.get(name) or self.parked.get(name)

    def _near(self, spec: RunSpec) -> CarriedBinding | None:
        """Return the run that `spec` is to follow, or the shadow run that follows it."""
        name = self.carrier.control.name_of(spec)
        return self.carried.get(name.removesuffix(BESIDE) if spec.beside else f"{name}{BESIDE}")

    def _guarded(self, item: CarriedBinding, step: Callable[[CarriedBinding], None]) -> None:
        try:
            step(item)
        except Exception as error:  # noqa: BLE001 - a binding's fault ends here, the others continue
            self._fail(item.binding, item.key, item.entry, error)
            self.parked[item.binding] = self.carried.pop(item.binding).failed_in_planning()

    def _add(self, entry: int, command: AddBinding) -> None:
        name = self.carrier.control.name_of(command.spec)
        newest = self.carrier.results_of(entry).numbers("commits")  # another carrier may have written them
        self.batch = max(self.batch, newest[-1] + 1 if newest else 0)
        known = self.carried.pop(name, None) or self.parked.pop(name, None)
        activation = BindingActivation(self.carrier, entry, self.previous, self.tick, self.batch)
        try:
            item, message = activation.activate(known, self._near(command.spec))
        except Exception as error:  # noqa: BLE001 - as above
            self._fail(name, f"{name}@{entry}", entry, error)
            if known is not None:
                self.parked[name] = known
            return
        self.batch = activation.batch
        if known is not None and known.key != item.key:
            self._note(BindingTurn(name, known.key, known.entry, clear=True))
        if command.spec.takes_over is not None:
            self._drop_shadow(f"{name}{BESIDE}", item.key)
        self.carried[name] = item
        self._note(BindingTurn(name, item.key, entry, state="running", message=message))

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

    def _drop_shadow(self, name: str, key: str) -> None:
        """Stop carrying the shadow run `name`; clear its state, unless `key` is the name of that state."""
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

    def _rest(self, item: CarriedBinding, end: tuple[str, ...], *, completed: str | None = None) -> None:
        """Stop reading `item` after this batch, which ends the inputs `end`; `completed`: why the run completed."""
        parked = self.parked[item.binding] = item.stopping(end)
        clear = bool(parked.now.ended)
        turn = BindingTurn(item.binding, item.key, item.entry, state="stopped", end=end, clear=clear)
        self._note(turn if completed is None else replace(turn, state="completed", message=completed))

    def _move(self, requests: list[ReadRequest], item: CarriedBinding) -> None:
        for request in requests:
            if request.fault is not None:
                raise request.fault
        if any(request.taken * 2 >= request.most for request in requests):
            self.again.add(item.binding)
        positions = {**item.positions, **{request.input: dict(request.reached) for request in requests}}
        if positions != item.positions:
            item = self.carried[item.binding] = item.reading(positions)
            self.moved = True
        binding = binding_of(self.carrier, item.entry)
        if item.state is BindingState.READING:
            # Ends come in a batch of their own, so that the CTIs before them are emitted; that batch follows at once.
            if item.again is not None or item.generation.beside or self._ends_next(item, binding):
                self.again.add(item.binding)
            return
        if not item.generation.beside:  # the inputs of a shadow run end when it has taken over
            self._end_finished(item, binding)

    def _end_finished(self, item: CarriedBinding, binding: RunnableBinding) -> None:
        at_end = binding.added.at_end
        open_inputs = [name for name in binding.adapters if name not in item.now.ended]
        finished = [name for name in open_inputs if self._finished(item, name)]
        wanted = {"flush": finished, "final": [name for name in finished if name in binding.finals], "nothing": []}
        end = tuple(wanted[at_end])
        if len(finished) == len(open_inputs):
            del self.carried[item.binding]
            self._rest(item, end, completed=INPUT_ENDED if open_inputs else NOTHING_NEW)
            self._note(BindingTurn(item.binding, item.key, item.entry, by_user=at_end == "final"))
        elif end:
            self.carried[item.binding] = item.reading(item.positions, ended=end)
            self._note(BindingTurn(item.binding, item.key, item.entry, end=end))

    def _ends_next(self, item: CarriedBinding, binding: RunnableBinding) -> bool:
        try:
            return any(self._finished(item, name) for name in binding.adapters if name not in item.now.ended)
        except AdapterError:
            return True  # the next planning hits the same error and reports it

    def _finished(self, item: CarriedBinding, name: str) -> bool:
        question, asked = self._whether_finished(name, item.positions[name], item)
        return self.inquiries.ask(question, f"The input {name}", asked, otherwise=False)

    def _whether_finished(
        self, name: str, positions: Mapping[str, Position], item: CarriedBinding
    ) -> tuple[Hashable, Callable[[], bool]]:
        """Return the name and the call of the question: has the input `name` ended at `positions`?"""
        adapter = binding_of(self.carrier, item.entry).adapters[name]
        return (item.key, name, "finished"), partial(adapter.finished, positions)

    def _fail(self, name: str, key: str, entry: int, error: Exception) -> None:
        if shared_fault(error):
            raise error
        failure: RunFailure = explain_binding(error, "planning what to read", traceback.format_exc())
        turn = BindingTurn(name, key, entry, state="failed", domain=failure.domain, message=failure.message)
        self._note(replace(turn, detail=failure.detail, slow=failure.slow))

    def _note(self, turn: BindingTurn) -> None:
        """Add `turn` to the existing turn of the same generation, if any."""
        for index, known in enumerate(self.turns):
            if known.key == turn.key:
                self.turns[index] = known.with_later(turn)
                return
        self.turns.append(turn)
