"""The states of a carried binding change as the table allows, and in no other way."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from streaming.spark.errors import PunctualError
from streaming.spark.query.binding_life import (
    ENTERS,
    MOVES,
    MOVING,
    NEW,
    BindingStanding,
    BindingState,
    CarriedBinding,
    IllegalMove,
    StateGeneration,
    new_binding,
)
from streaming.spark.query.layout import LAYOUT
from streaming.spark.query.offset import BindingTurn, Offset

OF = StateGeneration("a", 3, 1, "shape", "routing")
THERE, FURTHER = {"in": {"0": 4}}, {"in": {"0": 9}}
STEPS: dict[str, Callable[[CarriedBinding], CarriedBinding]] = {
    "reads": lambda item: item.reading(FURTHER),
    "ends an input": lambda item: item.reading(THERE, ended=("in",)),
    "is timed": lambda item: item.timed(7),
    "stops": lambda item: item.stopping(),
    "fails in planning": lambda item: item.failed_in_planning(),
    "failed in a batch": lambda item: item.set_aside(8),
    "settles": lambda item: item.settled(),
    "goes on": lambda item: item.resumed(5, "other", "routing"),
}


def in_state(state: BindingState) -> CarriedBinding:
    before = BindingStanding(THERE) if state in MOVING else None
    savepoint = "savepoints/a.arrow" if state in ENTERS else None
    return CarriedBinding(OF, state, BindingStanding(FURTHER), before, savepoint, held=10)


@pytest.mark.parametrize(("old", "new"), list(product(BindingState, BindingState)))
def test_every_pair_of_states_is_a_legal_transition_or_refused(old: BindingState, new: BindingState) -> None:
    changes = {"before": in_state(new).before, "savepoint": in_state(new).savepoint}
    if new in MOVES[old]:
        assert in_state(old)._to(new, **changes).state is new
        return
    with pytest.raises(IllegalMove, match=f"from {old} to {new}"):
        in_state(old)._to(new, **changes)


@pytest.mark.parametrize("state", BindingState)
def test_steps_keep_to_the_table(state: BindingState) -> None:
    for name, step in STEPS.items():
        try:
            after = step(in_state(state)).state
        except IllegalMove:
            continue
        assert after in {*MOVES[state], state}, name


def test_every_legal_transition_is_used_by_some_step() -> None:
    made = set()
    for state, step in product(BindingState, STEPS.values()):
        try:
            made.add((state, step(in_state(state)).state))
        except IllegalMove:
            continue
    assert {(old, new) for old in MOVES for new in MOVES[old]} <= made


@pytest.mark.parametrize("state", BindingState)
def test_a_generation_begins_in_few_states(state: BindingState) -> None:
    if state in NEW:
        savepoint = "savepoints/a.arrow" if state in ENTERS else None
        assert new_binding(OF, THERE, state, savepoint=savepoint).state is state
        return
    with pytest.raises(IllegalMove):
        new_binding(OF, THERE, state)


@pytest.mark.parametrize("state", BindingState)
def test_the_required_and_forbidden_fields_of_a_state_are_checked(state: BindingState) -> None:
    item = in_state(state)
    with pytest.raises(IllegalMove):
        replace(item, before=BindingStanding(THERE) if item.before is None else None)
    with pytest.raises(IllegalMove):
        replace(item, savepoint="savepoints/a.arrow" if item.savepoint is None else None)


def test_a_failed_batch_is_undone_and_the_next_start_resumes_before_it() -> None:
    stopped = new_binding(OF, THERE).reading(FURTHER, ended=("in",)).set_aside(8)
    assert (stopped.state, stopped.now, stopped.redo) == (BindingState.PARKED, BindingStanding(THERE), 8)
    assert stopped.resumed(5, "shape", "routing").state is BindingState.WAITING


def test_a_binding_that_is_stopped_before_its_first_batch_begins_at_its_next_start() -> None:
    item = new_binding(OF, THERE, BindingState.BEGINNING).stopping().settled()
    assert item.state is BindingState.UNBEGUN
    assert item.resumed(5, "shape", "routing").state is BindingState.BEGINNING


@pytest.mark.parametrize("state", BindingState)
def test_an_offset_is_read_as_it_was_written(state: BindingState) -> None:
    offset = Offset(
        4, 5, 6, {"a": in_state(state)}, {"b": in_state(state)}, (BindingTurn("a", "a@1", 3, end=("in",)),), 7
    )
    assert Offset.of_json(offset.to_json()) == offset


@pytest.mark.parametrize("layout", [None, 0, LAYOUT + 1])
def test_an_offset_of_another_layout_is_refused_with_what_to_do(layout: int | None) -> None:
    content = {**Offset().to_json(), "layout": layout}
    with pytest.raises(PunctualError, match=r"another version of this program.*start them again"):
        Offset.of_json(content)
