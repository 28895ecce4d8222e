"""Reading rows with implicit rowtimes (T17); the transcripts of malformed rows cover the rest."""

import pytest

from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Cti, point
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, Tick
from streaming.wire.rows.row_json import MalformedRow, read_row

EXPLICIT = StreamDefinition.model_validate({"fields": {"v": "long"}})
IMPLICIT = StreamDefinition.model_validate({"fields": {"v": "long"}, "rowtime": "implicit"})
ROW = {"start": 3, "payload": {"v": 1}}


def test_the_start_is_the_rows_own_where_rowtimes_are_explicit() -> None:
    assert read_row(ROW, EXPLICIT, arrival=100) == point(3, {"v": 1})


def test_the_start_is_the_arrival_where_rowtimes_are_implicit() -> None:
    assert read_row(ROW, IMPLICIT, arrival=100) == point(100, {"v": 1})
    assert read_row({"payload": {"v": 1}}, IMPLICIT, arrival=100) == point(100, {"v": 1})


@pytest.mark.parametrize("arrival", [None, FIRST_TICK - 1, LAST_TICK + 1])
def test_without_an_arrival_in_the_range_of_ticks_the_time_is_bad(arrival: int | None) -> None:
    assert read_row(ROW, IMPLICIT, arrival) == MalformedRow(Reason.BAD_TIME)


def test_an_unparsable_row_is_a_bad_row_even_without_a_time() -> None:
    assert read_row({"bad": "{"}, IMPLICIT) == MalformedRow(Reason.BAD_ROW)


def test_explicit_ctis_need_no_arrival() -> None:
    assert read_row({"cti": 5}, IMPLICIT) == Cti(Tick(5))
