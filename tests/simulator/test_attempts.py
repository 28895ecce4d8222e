"""The attempts of sequences in the simulator: of a match, of a row, and of a place without a row (T39)."""

from typing import Any, Final

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.simulator.model import SimulatedAttempt, Simulation
from streaming.simulator.recorded import attempts as recorded_attempts
from streaming.simulator.recorded.record import record
from streaming.simulator.samples.sample import SampleRow
from streaming.simulator.simulate import sampled_query, simulate, why_nothing
from streaming.temporal.ticks import Tick
from streaming.wire.execution.case import EndMode

MINUTE: Final = 60_000_000
STREAM: Final = StreamDefinition.model_validate(
    {
        "shape": "point",
        "fields": {"id": "long", "kind": "string"},
        "advance": {"generate": {"every": 1, "delay": "1m", "basis": "max"}, "late": "drop"},
    }
)
UNPAID: Final[dict[str, Any]] = {
    "pattern": "PLACED ABSENT PAID FOR 15m",
    "define": [{"name": "PLACED", "of": "kind = 'placed'"}, {"name": "PAID", "of": "kind = 'paid'"}],
    "within": "1h",
}


def graph(**pattern: Any) -> QueryGraph:
    """Return a query with one sequence over the orders."""
    nodes = [
        {"id": "shop", "kind": "input", "stream": "shop"},
        {"id": "m", "kind": "match_recognize", "input": "shop", "group_by": ["id"], **pattern},
        {"id": "out", "kind": "output", "input": "m"},
    ]
    return QueryGraph.model_validate({"version": 1, "name": "unpaid", "nodes": nodes})


def rows(*rows: tuple[float, int, str]) -> list[SampleRow]:
    """Return rows of the sample from their minute, order and kind."""
    return [
        SampleRow.model_validate(
            {"stream": "shop", "start": int(minute * MINUTE), "payload": {"id": order, "kind": kind}}
        )
        for minute, order, kind in rows
    ]


def simulated(query: QueryGraph, sample: list[SampleRow], end: EndMode = EndMode.NONE) -> Simulation:
    """Simulate a query on the orders."""
    return simulate(query, {"shop": STREAM}, {}, sample, end)


def nothing(query: QueryGraph, sample: list[SampleRow], minute: float, end: EndMode = EndMode.NONE) -> list[str]:
    """Explain why the output has no row at a minute."""
    recorded = record(sampled_query(query, {"shop": STREAM}, {}, sample, end))
    return why_nothing(recorded, "out", Tick(int(minute * MINUTE)))


def of_first(simulation: Simulation, number: int) -> SimulatedAttempt:
    """Return the attempt that begins at a row."""
    [found] = [each for each in simulation.attempts if each.first == [number]]
    return found


PAID_IN_TIME: Final = ((0, 1, "placed"), (2, 2, "placed"), (12, 1, "paid"), (20, 3, "placed"))


def test_an_absence_that_a_row_ended_names_the_row_and_the_cti() -> None:
    simulation = simulated(graph(**UNPAID), rows(*PAID_IN_TIME))
    attempt = of_first(simulation, 1)
    last = attempt.states[-1]
    assert (attempt.group, attempt.start, attempt.until, attempt.results) == ({"id": 1}, 0, 60 * MINUTE, [])
    assert (last.after, last.status, last.ended_by, last.next) == (4, "failed", [3], ["PAID"])
    assert last.why == [
        "Took row 1 as PLACED.",
        "Ended at row 3, which is PAID (kind = 'paid'): it came 12 min after row 1, so PAID was not absent for 15 min.",
        "Decided by the CTI 00:19:00 set by row 4 (00:20:00 minus 1 min) of 'shop'.",
    ]


def test_why_no_alert_names_the_attempts_at_that_time() -> None:
    assert nothing(graph(**UNPAID), rows(*PAID_IN_TIME), 14) == [
        "No row of the sample lives at 00:14:00.",
        "The attempt of 'm' from row 1 (id = 1): Took row 1 as PLACED. Ended at row 3, which is PAID (kind = 'paid'): "
        "it came 12 min after row 1, so PAID was not absent for 15 min. Decided by the CTI 00:19:00 set by row 4 "
        "(00:20:00 minus 1 min) of 'shop'.",
        "The attempt of 'm' from row 2 (id = 2): Match: row 2 as PLACED. No row before 00:17:00 is PAID "
        "(kind = 'paid'), so nothing ended the absence of PAID for 15 min. Decided by the CTI 00:19:00 set by row 4 "
        "(00:20:00 minus 1 min) of 'shop'.",
    ]


def test_an_open_absence_says_until_when_and_what_would_bring_the_cti() -> None:
    simulation = simulated(graph(**UNPAID), rows((0, 1, "placed"), (5, 2, "other")))
    last = of_first(simulation, 1).states[-1]
    assert (last.status, last.next) == ("open", ["PAID"])
    assert last.why == [
        "Took row 1 as PLACED.",
        "Waits until 00:15:00: a row before that may be PAID (kind = 'paid').",
        "It is decided when the CTI reaches 00:15:00 at the latest; now it is 00:04:00. A row of 'shop' that starts at "
        "00:16:00 or later would bring it.",
    ]
    assert simulation.rows[1].why[-1] == (
        "It waits in 'm': earlier rows may still follow, because the CTI has not passed its start."
    )


def test_a_false_alarm_names_the_late_row_and_the_delay_that_keeps_it() -> None:
    late = rows((0, 1, "placed"), (20, 2, "placed"), (10, 1, "paid"))
    simulation = simulated(graph(**UNPAID), late)
    last = of_first(simulation, 1).states[-1]
    assert last.status == "matched"
    assert last.why[-1] == (
        "Row 3 would have ended the absence at 00:10:00, but it was late. It is kept if the delay is at least 10 min."
    )
    assert simulation.rows[2].why[-1] == "In time, it would have ended the absence in the attempt of 'm' from row 1."
    assert simulation.tracks[-1].rows[0].id in [each + 1 for each in of_first(simulation, 1).results]


STEPS: Final[dict[str, Any]] = {
    "pattern": "A B+ C",
    "define": [
        {"name": "A", "of": "kind = 'a'"},
        {"name": "B", "of": "kind = 'b'"},
        {"name": "C", "of": "kind = 'c'"},
    ],
}


def test_a_match_names_its_rows_by_variable_and_is_linked_to_its_result() -> None:
    simulation = simulated(
        graph(**STEPS, within="10m"), rows((0, 1, "a"), (1, 1, "b"), (2, 1, "b"), (3, 1, "c"), (9, 1, "x"))
    )
    attempt = of_first(simulation, 1)
    assert [(state.after, state.status, state.kept, len(state.taken)) for state in attempt.states] == [
        (3, "open", 0, 1),
        (4, "open", 1, 1),
        (5, "matched", 2, 2),
    ]
    assert attempt.states[-1].why[0] == "Match: row 1 as A, rows 2 and 3 as B, row 4 as C."
    [track] = [each for each in simulation.tracks if each.node == "m"]
    assert [row.id for row in track.rows] == attempt.results
    assert [simulation.tracks[0].rows[index].id for index in range(4)] == track.rows[0].parents
    assert simulation.rows[2].why[-1] == "It is B in the match from row 1."


@pytest.mark.parametrize(
    ("sample", "within", "sentences"),
    [
        (
            ((0, 1, "a"), (1, 1, "b"), (2, 1, "x"), (9, 1, "x")),
            "10m",
            ["Took row 1 as A, row 2 as B.",
             "Ended at row 3, which is not B (kind = 'b') and not C (kind = 'c')."],
        ),
        (
            ((0, 1, "a"), (1, 1, "b"), (10.5, 1, "c"), (20, 1, "x")),
            "10m",
            ["Took row 1 as A, row 2 as B.",
             "Ended by WITHIN 10 min: row 3 is not before 00:10:00, so nothing is B or C."],
        ),
        (
            ((0, 1, "a"), (20, 2, "x")),
            "10m",
            ["Took row 1 as A.", "Ended by WITHIN 10 min: no further row came before 00:10:00, so nothing is B."],
        ),
        (
            ((0, 1, "a"), (1, 1, "b"), (9, 2, "x")),
            None,
            ["Took row 1 as A, row 2 as B.",
             "Waits for the next row of the group, which may be B or C, for any length of time: there is no WITHIN."],
        ),
        (
            ((0, 1, "x"), (5, 1, "x")),
            "10m",
            ["No match of 'm' starts at row 1: it is not A (kind = 'a')."],
        ),
    ],
)  # fmt: skip
def test_an_attempt_names_the_step_at_which_it_ended_or_waits(
    sample: tuple[tuple[float, int, str], ...], within: str | None, sentences: list[str]
) -> None:
    bound = {} if within is None else {"within": within}
    last = of_first(simulated(graph(**STEPS, **bound), rows(*sample)), 1).states[-1]
    assert [each for each in last.why if not each.startswith(("Decided by", "It is decided"))] == sentences


def test_a_measure_that_reads_the_next_row_waits_for_it() -> None:
    query = graph(pattern="A", within="10m", measures=[{"name": "after", "of": "NEXT(A.kind)"}])
    last = of_first(simulated(query, rows((0, 1, "a"), (2, 2, "x"))), 1).states[-1]
    assert last.why == ["Took row 1 as A.", "Complete, but waits for a later row, because a measure contains NEXT."]


def test_an_empty_place_far_from_all_attempts_says_so() -> None:
    sample = rows((0, 1, "a"), (1, 1, "b"), (2, 1, "x"))
    assert nothing(graph(**STEPS, within="10m"), sample, 50, EndMode.FLUSH)[-1] == (
        "No attempt of 'm' concerns this time: none of its rows is near enough."
    )


def test_attempts_without_bound_are_explained_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_attempts, "MOST_TRIED", 10)
    sample = rows(*((minute, 1, "b" if minute else "a") for minute in range(30)))
    last = of_first(simulated(graph(**STEPS), sample, EndMode.FLUSH), 1).states[-1]
    assert last.status == "failed"
    assert "The search took too many conditions to explain all of its paths. Use a smaller sample." in last.why
