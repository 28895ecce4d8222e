"""State that goes on under another version of its query, in which windows were widened (`definition/widening.py`).

It is changed in the batch in which the run begins: each bucket is told whose state it has, before all else. A batch
that fails leaves it as it was, and the binding as that of the run before.
"""

from typing import Final

from streaming.definition.widening import READ_AGAIN, NotCarried
from streaming.engine.operators.widening import widen, widens
from streaming.engine.state.state_store import StateStore
from streaming.spark.beginnings import hand_on, points_of
from streaming.spark.binding import binding_of
from streaming.spark.binding_life import CarriedBinding
from streaming.spark.layout import CarrierFolder
from streaming.wire.carried_over import carried_over, widened_query
from streaming.wire.kept import beginning_path

KEPT_OTHERWISE: Final = "A window that was widened keeps rows here, not partial results. "


def carried_on_widened(
    carrier: CarrierFolder, entry: int, known: CarriedBinding, batch: int
) -> tuple[CarriedBinding, str]:
    """The run of control entry `entry` with the state of `known`, as that was after committed `batch`, and what its
    user has to know.

    Raises `NotCarried` where that state cannot be carried over, `OSError`.
    """
    binding, kept = binding_of(carrier, entry), binding_of(carrier, known.entry)
    spec, before = binding.added.spec, kept.added.spec
    points = points_of(carrier, known, batch)
    said = carried_over(before, spec, binding.facts, points, kept.beginning)
    if not widens(kept.plan, binding.plan, widened_query(before, spec).begin_empty):
        raise NotCarried(KEPT_OTHERWISE + READ_AGAIN)
    hand_on(carrier, before, spec)
    shared = carrier.shared_of(spec.organisation)
    shared.write(beginning_path(spec.binding, spec.run), said.model_dump_json().encode())
    return known.widened(entry, binding.facts.shape, binding.plan.routing), said.sentence


def widen_bucket(carrier: CarrierFolder, before: int, entry: int, number: int, state: StateStore) -> None:
    """Bring the state of a bucket of stage `number` (0 or 1), left by entry `before`, into the form of `entry`."""
    old, new = binding_of(carrier, before), binding_of(carrier, entry)
    query = widened_query(old.added.spec, new.added.spec)
    stages = (old.plan.second, new.plan.second) if number else (old.plan, new.plan)
    if stages[0] is not None and stages[1] is not None:
        widen(stages[0], stages[1], query.begin_empty, state)
