"""Every graph, valid or not, is restored from its text."""

from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from tests.definition.sql.drawn.counts import GRAPHS_DRAWN, TEXTS_DRAWN
from tests.definition.sql.drawn.graphs import GRAPHS
from tests.definition.sql.drawn.settings import EVENT_TIMES, SETTINGS, settings_of
from tests.definition.sql.drawn.texts import TEXTS


@settings(max_examples=GRAPHS_DRAWN)
@given(GRAPHS)
def test_a_printed_graph_is_read_back_unchanged(graph: QueryGraph) -> None:
    text = print_sql(graph)
    script = parse_sql(text)
    assert script.faults == (), text
    assert script.graph == graph, text


@settings(max_examples=TEXTS_DRAWN)
@given(st.data())
def test_printed_settings_are_read_back_unchanged(data: st.DataObject) -> None:
    graph = data.draw(GRAPHS)
    advance = data.draw(settings_of(graph, SETTINGS))
    event_times = data.draw(settings_of(graph, EVENT_TIMES))
    text = print_sql(graph, advance=advance, event_times=event_times)
    script = parse_sql(text)
    assert script.faults == (), text
    assert (script.graph, script.advance, script.event_times) == (graph, advance, event_times), text


@settings(max_examples=TEXTS_DRAWN)
@given(TEXTS)
def test_printing_a_printed_text_changes_nothing(text: str) -> None:
    script = parse_sql(text)
    if script.graph is not None:
        printed = print_sql(script.graph, advance=script.advance, event_times=script.event_times)
        again = parse_sql(printed)
        assert again.graph == script.graph
        assert print_sql(again.graph, advance=again.advance, event_times=again.event_times) == printed
