"""The activation of a binding that a control entry adds: with its saved state, or with as much as can be reused."""

from dataclasses import dataclass, replace

from streaming.definition.versions.widening import NotCarried
from streaming.resume.restart_points import RestartPoint
from streaming.spark.planning.changeover import start_shadow_run, take_over
from streaming.spark.planning.start_positions import (
    ANOTHER_ROUTING,
    ANOTHER_VERSION,
    ASKED,
    DAMAGED_BEFORE,
    DISCARDED,
    FLUSHED,
    NOT_CARRIED,
    OTHER_PROGRAM,
    STATE_IS_GONE,
    PriorBinding,
    carry_journals,
    explain_division,
    first_positions,
    hand_on,
    points_of,
    start_without_state,
    why_left,
)
from streaming.spark.planning.widened_state import resume_widened
from streaming.spark.query.arrival_merge import feeds_together
from streaming.spark.query.binding import binding_of, journals_of
from streaming.spark.query.binding_life import BindingState, CarriedBinding, StateGeneration, new_binding
from streaming.spark.query.layout import DAMAGED, CarrierFolder
from streaming.spark.query.restart_points import read_points
from streaming.spark.query.savepoints import SavepointHead, check_fit, enter_journals, read_head, usable_part

ActivatedBinding = tuple[CarriedBinding, str | None]
"""The binding as it starts, and a message for its user."""


@dataclass
class BindingActivation:
    """The activation of control entry `entry`, in the planning of the batch after `previous`, at `tick`.

    `batch` is the lowest number for that batch; it becomes greater than the batch of a restored savepoint.
    """

    carrier: CarrierFolder
    entry: int
    previous: int
    tick: int
    batch: int

    def activate(self, known: CarriedBinding | None, near: CarriedBinding | None) -> ActivatedBinding:
        """Return the binding as it starts; `known` is its previous state in this carrier.

        `near` is the run that it is to follow, or its shadow run. Raises `AdapterError`, `NotRunnable`, `OSError`.
        """
        binding = binding_of(self.carrier, self.entry)
        command = binding.added
        if command.from_savepoint is not None:
            return self._restore_savepoint(command.from_savepoint)
        if command.spec.beside:
            return start_shadow_run(self.carrier, binding, near, self.previous, self._new_generation)
        if known is None:
            aside = self.carrier.succeeds
            why = STATE_IS_GONE if aside is None else DAMAGED_BEFORE if DAMAGED in aside else OTHER_PROGRAM
            return self._start_without_state(PriorBinding(self._points(), "", why))
        over = take_over(self.carrier, self.entry, known, near, self.previous)
        if over is not None:
            return over
        return self._resume(known)

    def _resume(self, known: CarriedBinding) -> ActivatedBinding:
        """Return the binding with the state `known` of the previous run, or with as much of it as can be reused."""
        binding = binding_of(self.carrier, self.entry)
        command = binding.added
        before = self.carrier.control.added(known.entry)
        left = why_left(binding, known, before)
        if left is None:
            hand_on(self.carrier, before.spec, command.spec)
            return known.resumed(self.entry, binding.facts.shape, binding.plan.routing), None
        if command.spec.begin == "carried_over" and why_left(binding, known, before, of_any_version=True) is None:
            try:
                return resume_widened(self.carrier, self.entry, known, self.previous)
            except NotCarried as error:
                left = NOT_CARRIED.format(why=error)
        kept = points_of(self.carrier, known, self.previous)
        journals = journals_of(self.carrier, before.spec)
        return self._start_without_state(
            PriorBinding(kept, journals, left, known.positions, known.generation.shape, bool(known.now.ended))
        )

    def _restore_savepoint(self, path: str) -> ActivatedBinding:
        binding = binding_of(self.carrier, self.entry)
        command, facts, plan = binding.added, binding.facts, binding.plan
        shared = self.carrier.shared_of(command.spec.organisation)
        head = read_head(shared, path)
        if not command.moving:
            check_fit(head, facts, plan)
        anew = command.spec.drops_state and command.spec.run != head.run
        keeps = "nothing" if anew else usable_part(head, facts, plan)
        enter_journals(self.carrier, shared, head, path)
        if keeps == "all":
            carry_journals(self.carrier, head.journals, journals_of(self.carrier, command.spec), list(head.positions))
            hand_on(self.carrier, head, command.spec)
            return self._enter_savepoint(head), None
        alike = (head.buckets, head.second) == plan.spread
        divided = ANOTHER_ROUTING if alike else explain_division(head.buckets, plan.buckets)
        asked = DISCARDED if command.spec.after_discard else ASKED
        other = asked if anew else ANOTHER_VERSION
        why = other if keeps == "nothing" else FLUSHED if head.ended else divided
        return self._start_without_state(
            PriorBinding(self._points(), head.journals, why, head.positions, head.shape, head.ended)
        )

    def _start_without_state(self, before: PriorBinding) -> ActivatedBinding:
        return start_without_state(
            self.carrier, binding_of(self.carrier, self.entry), replace(before, tick=self.tick), self._new_generation
        )

    def _new_generation(self) -> CarriedBinding:
        """Return a new generation from the start."""
        binding = binding_of(self.carrier, self.entry)
        settings, plan = self.carrier.settings, binding.plan
        first = first_positions(binding, min(settings.longest_delay_s, settings.lanes_deadline_s))
        name, shape = self.carrier.control.name_of(binding.added.spec), binding.facts.shape
        of = StateGeneration(name, self.entry, self.entry, shape, plan.routing, feeds_together(plan))
        return new_binding(of, first)

    def _enter_savepoint(self, head: SavepointHead) -> CarriedBinding:
        self.batch = max(self.batch, head.batch + 1)
        binding = binding_of(self.carrier, self.entry)
        command, routing = binding.added, binding.plan.routing
        name = self.carrier.control.name_of(command.spec)
        of = StateGeneration(name, self.entry, self.entry, head.shape, routing, head.together)
        path, again = command.from_savepoint, head.again
        return new_binding(of, head.positions, BindingState.ENTERING, savepoint=path, again=again)

    def _points(self) -> list[RestartPoint]:
        spec = binding_of(self.carrier, self.entry).added.spec
        return read_points(self.carrier.shared_of(spec.organisation), spec.binding)
