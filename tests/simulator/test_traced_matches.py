"""A result of a sequence, and its absence, explained from the input that a binding has read (T39)."""

from typing import Final

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.simulator.origins.places import AskedPlace, trace_place
from streaming.simulator.origins.results import trace_row
from streaming.simulator.origins.tracing import KnownInput
from streaming.temporal.events import Shape
from streaming.wire.execution.case import Case, CaseRow, EndMode
from streaming.wire.messages import ResultRow
from tests.simulator.test_agreement import query_of
from tests.simulator.test_replaying import of, read_of, whole_run

MINUTE: Final = 60_000_000
ROWS: Final = ((0, 1, "placed"), (2, 2, "placed"), (12, 1, "paid"), (20, 3, "placed"))


def read_orders() -> KnownInput:
    """Return the orders and payments that a binding has read."""
    sequence = {
        "id": "m",
        "kind": "match_recognize",
        "input": "shop",
        "group_by": ["id"],
        "pattern": "PLACED ABSENT PAID FOR 15m",
        "define": [{"name": "PLACED", "of": "kind = 'placed'"}, {"name": "PAID", "of": "kind = 'paid'"}],
        "within": "1h",
    }
    nodes = [
        {"id": "shop", "kind": "input", "stream": "shop"},
        sequence,
        {"id": "out", "kind": "output", "input": "m"},
    ]
    case = Case(
        "unpaid",
        QueryGraph.model_validate({"version": 1, "name": "unpaid", "nodes": nodes}),
        {"shop": StreamDefinition(shape=Shape.POINT, fields={"id": "long", "kind": "string"})},
        tuple(
            CaseRow("shop", "0", number, {"start": minute * MINUTE, "payload": {"id": order, "kind": kind}})
            for number, (minute, order, kind) in enumerate(ROWS)
        ),
        EndMode.FLUSH,
    )
    query = query_of(case)
    return KnownInput(of(query), read_of(query, whole_run(query)), {}, {}, {})


def test_a_match_names_its_rows_and_the_absence_that_held() -> None:
    row = ResultRow(output="out", start=17 * MINUTE, end=17 * MINUTE + 1, payload={"id": 2})
    trace = trace_row(read_orders(), row, {})
    assert trace is not None
    assert trace.same
    assert trace.why[-1] == (
        "Match: the row at 00:02:00 as PLACED. No row before 00:17:00 is PAID (kind = 'paid'), so nothing ended the "
        "absence of PAID for 15 min. Decided at the end of the input."
    )


def test_a_missing_match_names_the_row_that_ended_its_attempt() -> None:
    place = trace_place(read_orders(), AskedPlace("out", 15 * MINUTE, {"id": 1}), {"shop": 19 * MINUTE})
    assert place.why[-1] == (
        "The attempt of 'm' from the row at 00:00:00 (id = 1): Took the row at 00:00:00 as PLACED. Ended at the row at "
        "00:12:00, which is PAID (kind = 'paid'): it came 12 min after the row at 00:00:00, so PAID was not absent for "
        "15 min. Decided by the CTI 00:19:00 of 'shop'."
    )


def test_an_open_attempt_says_until_when_it_waits() -> None:
    place = trace_place(read_orders(), AskedPlace("out", 17 * MINUTE, {"id": 2}), {"shop": 10 * MINUTE})
    assert place.why[-1] == (
        "The attempt of 'm' from the row at 00:02:00 (id = 2): Took the row at 00:02:00 as PLACED. Waits until "
        "00:17:00: a row before that may be PAID (kind = 'paid'). It is decided when the CTI reaches 00:17:00 at the "
        "latest. The CTI of 'shop' is at 00:10:00."
    )
