"""How a binding is carried that a control entry adds: with the state that is kept of it, or what of it can be had."""

from dataclasses import dataclass, replace

from streaming.definition.widening import NotCarried
from streaming.spark.arrival_merge import feeds_together
from streaming.spark.beginnings import (
    ANOTHER_ROUTING,
    ANOTHER_VERSION,
    ASKED,
    DISCARDED,
    FLUSHED,
    NOT_CARRIED,
    OTHER_PROGRAM,
    STATE_IS_GONE,
    PriorBinding,
    begun,
    begun_anew,
    carry_journals,
    first_positions,
    hand_on,
    points_of,
    why_left,
)
from streaming.spark.binding import binding_of, journals_of
from streaming.spark.binding_life import BindingState, CarriedBinding, StateGeneration, begun_binding
from streaming.spark.changeover import begun_beside, taken_over
from streaming.spark.layout import CarrierFolder
from streaming.spark.restart_points import read_points
from streaming.spark.savepoints import SavepointHead, enter_journals, fitting, goes_on, read_head
from streaming.spark.widened_state import carried_on_widened
from streaming.wire.kept import RestartPoint

TakenBinding = tuple[CarriedBinding, str | None]
"""The binding as it begins, and what its user has to know of that."""


@dataclass
class BindingEntrance:
    """Control entry `entry` is taken when the batch after `previous` is planned.

    `tick` is when. `batch` is the number of that batch, at least: it is above those of a savepoint that is entered.
    """

    carrier: CarrierFolder
    entry: int
    previous: int
    tick: int
    batch: int

    def taken(self, known: CarriedBinding | None, near: CarriedBinding | None) -> TakenBinding:
        """The binding of which the carrier has `known`.

        `near` is the one beside which it is to read, or which has read beside it. Raises `AdapterError`, `NotRunnable`,
        `OSError`.
        """
        binding = binding_of(self.carrier, self.entry)
        command = binding.added
        if command.from_savepoint is not None:
            return self._moved(command.from_savepoint)
        if command.spec.beside:
            return begun_beside(self.carrier, binding, near, self.previous, self._fresh)
        if known is None:
            why = OTHER_PROGRAM if self.carrier.succeeds_another_layout else STATE_IS_GONE
            return self._begun(PriorBinding(self._points(), "", why))
        over = taken_over(self.carrier, self.entry, known, near, self.previous)
        if over is not None:
            return over
        return self._after(known)

    def _after(self, known: CarriedBinding) -> TakenBinding:
        """The binding with the state that is `known` of the run before, or what of it can be had."""
        binding = binding_of(self.carrier, self.entry)
        command = binding.added
        before = self.carrier.control.added(known.entry)
        left = why_left(binding, known, before)
        if left is None:
            hand_on(self.carrier, before.spec, command.spec)
            return known.resumed(self.entry, binding.facts.shape, binding.plan.routing), None
        if command.spec.begin == "carried_over" and why_left(binding, known, before, of_any_version=True) is None:
            try:
                return carried_on_widened(self.carrier, self.entry, known, self.previous)
            except NotCarried as error:
                left = NOT_CARRIED.format(why=error)
        kept = points_of(self.carrier, known, self.previous)
        journals = journals_of(self.carrier, before.spec)
        return self._begun(
            PriorBinding(kept, journals, left, known.positions, known.generation.shape, bool(known.now.ended))
        )

    def _moved(self, path: str) -> TakenBinding:
        binding = binding_of(self.carrier, self.entry)
        command, facts, plan = binding.added, binding.facts, binding.plan
        shared = self.carrier.shared_of(command.spec.organisation)
        head = read_head(shared, path)
        if not command.moving:
            fitting(head, facts, plan)
        anew = command.spec.drops_state and command.spec.run != head.run
        keeps = "nothing" if anew else goes_on(head, facts, plan)
        enter_journals(self.carrier, shared, head, path)
        if keeps == "all":
            carry_journals(self.carrier, head.journals, journals_of(self.carrier, command.spec), list(head.positions))
            hand_on(self.carrier, head, command.spec)
            return self._entered(head), None
        alike = (head.buckets, head.second) == plan.spread
        divided = ANOTHER_ROUTING if alike else begun_anew(head.buckets, plan.buckets)
        asked = DISCARDED if command.spec.after_discard else ASKED
        other = asked if anew else ANOTHER_VERSION
        why = other if keeps == "nothing" else FLUSHED if head.ended else divided
        return self._begun(PriorBinding(self._points(), head.journals, why, head.positions, head.shape, head.ended))

    def _begun(self, before: PriorBinding) -> TakenBinding:
        return begun(self.carrier, binding_of(self.carrier, self.entry), replace(before, tick=self.tick), self._fresh)

    def _fresh(self) -> CarriedBinding:
        """A new generation from the beginning."""
        binding = binding_of(self.carrier, self.entry)
        settings, plan = self.carrier.settings, binding.plan
        first = first_positions(binding, min(settings.held_up_at_most_s, settings.lanes_deadline_s))
        name, shape = self.carrier.control.name_of(binding.added.spec), binding.facts.shape
        of = StateGeneration(name, self.entry, self.entry, shape, plan.routing, feeds_together(plan))
        return begun_binding(of, first)

    def _entered(self, head: SavepointHead) -> CarriedBinding:
        self.batch = max(self.batch, head.batch + 1)
        binding = binding_of(self.carrier, self.entry)
        command, routing = binding.added, binding.plan.routing
        name = self.carrier.control.name_of(command.spec)
        of = StateGeneration(name, self.entry, self.entry, head.shape, routing, head.together)
        path, again = command.from_savepoint, head.again
        return begun_binding(of, head.positions, BindingState.ENTERING, savepoint=path, again=again)

    def _points(self) -> list[RestartPoint]:
        spec = binding_of(self.carrier, self.entry).added.spec
        return read_points(self.carrier.shared_of(spec.organisation), spec.binding)
