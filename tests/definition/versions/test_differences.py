"""Differences between two versions, in words."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.versions.differences import differences
from streaming.definition.versions.meaning import QueryMeaning, canonical, content_hash, meaning_of
from tests.definition.versions.drawn import MEANINGS, changed

BEFORE = """
QUERY speeds;
ADVANCE TIME cars EVERY 1 DELAY 5s LATE DROP;
INSERT INTO per_plate SELECT plate, COUNT(*) AS n FROM cars WINDOW BY TUMBLE 10s GROUP BY plate;
"""


def changes(before: str, after: str) -> list[str]:
    meanings = [meaning_of(parse_sql(text)) for text in (before, after)]
    assert meanings[0] is not None
    assert meanings[1] is not None
    return [each.words for each in differences(meanings[0], meanings[1])]


def test_a_size_a_column_and_a_delay_are_described_in_words() -> None:
    after = (
        BEFORE.replace("10s", "1m").replace("AS n", "AS n, AVG(speed) AS avg_speed").replace("DELAY 5s", "DELAY 12s")
    )
    assert changes(BEFORE, after) == [
        "window per_plate_window: size 10 s -> 1 min",
        "window per_plate_window: column added: avg_speed (function avg, of speed)",
        "time of cars: delay 5 s -> 12 s",
    ]


def test_added_and_removed_nodes() -> None:
    after = BEFORE.replace("FROM cars", "FROM cars WHERE speed > 120")
    assert changes(BEFORE, after) == [
        "node per_plate_where added: filter, input cars, where speed > 120",
        "window per_plate_window: input cars -> per_plate_where",
    ]
    assert "node per_plate_where removed" in changes(after, BEFORE)


def test_a_window_of_another_kind_is_described_completely() -> None:
    after = BEFORE.replace("TUMBLE 10s", "HOP 10s,5s")
    assert changes(BEFORE, after) == [
        "window per_plate_window: window tumbling, size 10 s -> hopping, size 10 s, hop 5 s"
    ]


def test_the_same_length_in_another_form_shows_both() -> None:
    assert changes(BEFORE.replace("10s", "60s"), BEFORE.replace("10s", "1m")) == [
        'window per_plate_window: size "60s" -> "1m"'
    ]


def test_removed_settings_are_those_of_the_stream() -> None:
    after = BEFORE.replace("ADVANCE TIME cars EVERY 1 DELAY 5s LATE DROP;", "")
    was = "generate every 1, delay 5 s, late drop"
    assert changes(BEFORE, after) == [f"time of cars: {was} -> setting of the stream"]


def test_comments_and_layout_are_not_compared() -> None:
    assert changes(BEFORE, "-- hello\n" + BEFORE.replace(" FROM", "\nFROM")) == []


@given(MEANINGS, st.data())
def test_the_list_is_empty_exactly_if_both_mean_the_same(before: QueryMeaning, data: st.DataObject) -> None:
    after = data.draw(changed(before))
    same = canonical(before.model_dump(mode="json")) == canonical(after.model_dump(mode="json"))
    assert (differences(before, after) == []) is same
    assert (content_hash(before) == content_hash(after)) is same
    assert differences(before, before) == []


@given(MEANINGS, MEANINGS)
def test_each_difference_has_words(before: QueryMeaning, after: QueryMeaning) -> None:
    for each in differences(before, after):
        assert each.words.strip()
        assert each.node is None or any(each.node == node.id for of in (before, after) for node in of.graph.nodes)


def test_a_version_without_settings_keeps_its_old_hash() -> None:
    node: dict[str, Any] = {"id": "a", "kind": "input", "stream": "a"}
    graph = QueryGraph.model_validate({"version": 1, "name": "q", "nodes": [node]})
    # printf '{"name":"q","nodes":[{"id":"a","kind":"input","stream":"a"}],"version":1}' | sha256sum
    assert content_hash(QueryMeaning(graph=graph)) == "f29ae403a8dac1337002e6e55b229d58991f0cade6160343becc71f6ee9b42c1"
