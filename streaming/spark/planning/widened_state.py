"""State that continues under another version of its query in which windows were widened (`definition/widening.py`).

It is converted in the batch in which the run starts: each bucket first receives a message that names its old version.
A failed batch leaves the state unchanged, and the binding remains that of the previous run.
"""

from typing import Final

from streaming.definition.versions.widening import READ_AGAIN, NotCarried
from streaming.engine.operators.widening import widen, widens
from streaming.engine.state.state_store import StateStore
from streaming.resume.carried_over import carried_over, widened_query
from streaming.resume.restart_points import beginning_path
from streaming.spark.planning.start_positions import hand_on, points_of
from streaming.spark.query.binding import binding_of
from streaming.spark.query.binding_life import CarriedBinding
from streaming.spark.query.layout import CarrierFolder

KEPT_OTHERWISE: Final = "A widened window stores rows in this query, not partial results. "


def resume_widened(carrier: CarrierFolder, entry: int, known: CarriedBinding, batch: int) -> tuple[CarriedBinding, str]:
    """Return the run of control entry `entry` with the state `known`, and a message for its user.

    `known` is the state after committed `batch`. Raises `NotCarried` if that state can't be carried over, `OSError`.
    """
    binding, kept = binding_of(carrier, entry), binding_of(carrier, known.entry)
    spec, before = binding.added.spec, kept.added.spec
    points = points_of(carrier, known, batch)
    beginning = carried_over(before, spec, binding.facts, points, kept.beginning)
    if not widens(kept.plan, binding.plan, widened_query(before, spec).begin_empty):
        raise NotCarried(KEPT_OTHERWISE + READ_AGAIN)
    hand_on(carrier, before, spec)
    shared = carrier.shared_of(spec.organisation)
    shared.write(beginning_path(spec.binding, spec.run), beginning.model_dump_json().encode())
    return known.widened(entry, binding.facts.shape, binding.plan.routing), beginning.sentence


def widen_bucket(carrier: CarrierFolder, before: int, entry: int, number: int, state: StateStore) -> None:
    """Convert the state of a bucket of stage `number` (0 or 1) from the form of entry `before` to that of `entry`."""
    old, new = binding_of(carrier, before), binding_of(carrier, entry)
    query = widened_query(old.added.spec, new.added.spec)
    stages = (old.plan.second, new.plan.second) if number else (old.plan, new.plan)
    if stages[0] is not None and stages[1] is not None:
        widen(stages[0], stages[1], query.begin_empty, state)
