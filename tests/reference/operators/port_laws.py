"""Laws of every operator with two ports, whatever arrives when."""

from collections import Counter
from collections.abc import Callable

from streaming.reference.flow import FlowOperator
from streaming.temporal.ticks import INFINITY
from tests.reference.operators.port_runs import LIMIT, Driven, Rows, Scenario, Truth, drive


def holds(scenario: Scenario, make: Callable[[], FlowOperator], truth: Truth) -> Driven:
    """Check that all time before the output CTI is final, and that the final rows are those of the batch query.

    `truth` is the result of the batch query, over all events that do not vanish.
    """
    whole = truth(scenario.lives)

    def before_the_cti_all_is_final(driven: Driven) -> None:
        assert _until(driven.net, driven.out) == _until(whole, driven.out)

    in_time = all(each.late_at is None for each in scenario.specs)
    driven = drive(scenario, make(), before_the_cti_all_is_final if in_time else lambda driven: None)
    assert driven.net == whole
    assert driven.out == INFINITY
    assert driven.horizon == LIMIT
    return driven


def _until(rows: Rows, cti: int) -> Rows:
    """Return the visible part of rows in the ticks before `cti`."""
    seen: Rows = Counter()
    for (start, end, payload), count in rows.items():
        if start < cti:
            seen[start, min(end, cti), payload] += count
    return seen


def every_event_is_in_a_row_or_removed(driven: Driven, scenario: Scenario) -> None:
    """Check that each event is in a row or removed.

    This need not hold for its end: a row may have been over before that came, and then that was removed or taken.
    """
    used = {element for flow in driven.rows.values() for element in flow.sources}
    removed = {element for flow, _ in driven.witness.removals for element in flow.sources}
    taken = {element for flow in driven.witness.taken for element in flow.sources}
    for each in scenario.specs:
        first, *others = [flow.sources for flow in each.flows]
        assert (first <= used) != (first <= removed)
        for sources in others:
            assert sources <= used | removed | taken


def restarts_change_nothing(scenario: Scenario, make: Callable[[], FlowOperator]) -> None:
    """Check law 3."""
    whole = drive(scenario, make())
    parts = drive(scenario, make(), Driven.restart)
    assert parts.passed == whole.passed
    assert parts.out == whole.out


def the_cti_is_held_no_longer_than_needed(scenario: Scenario, make: Callable[[], FlowOperator], truth: Truth) -> None:
    """Check that a row only limits the CTI while the right has not passed its end, or its left may end earlier.

    The remaining bound is the minimum over the ports.
    """
    rights = [each for each in scenario.lives if each.port == 1]
    lefts = [(each, truth([each, *rights])) for each in scenario.lives if each.port == 0]

    def watch(driven: Driven) -> None:
        ended = {each.number for each in driven.seen if each.port == 0 and not (each.edge and each.end == INFINITY)}
        held = [
            start
            for each, rows in lefts
            for start, end, _ in rows
            if end >= driven.ctis[1] or (each.number not in ended and end >= driven.ctis[0])
        ]
        if driven.advanced:
            assert driven.out >= min([*driven.ctis, *held])

    drive(scenario, make(), watch)
