"""A rewritten text has the new graph, and keeps the parts with the same meaning."""

from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.rewriting.pieces import comments
from streaming.definition.sql.rewriting.texts import rewrite_sql
from tests.definition.sql.drawn.counts import TEXTS_DRAWN
from tests.definition.sql.drawn.graphs import FIELDS, GRAPHS, raw_nodes
from tests.definition.sql.drawn.settings import EVENT_TIMES, SETTINGS, settings_of
from tests.definition.sql.drawn.texts import TEXTS
from tests.definition.sql.drawn.values import NAMES


@settings(max_examples=TEXTS_DRAWN)
@given(TEXTS)
def test_a_text_with_an_unchanged_graph_stays_unchanged(text: str) -> None:
    script = parse_sql(text)
    if script.graph is not None and not script.faults:
        assert rewrite_sql(text, script.graph) == text
        assert rewrite_sql(text, script.graph, advance=script.advance, event_times=script.event_times) == text


@settings(max_examples=TEXTS_DRAWN)
@given(TEXTS, GRAPHS)
def test_a_text_can_be_rewritten_to_any_graph(text: str, graph: QueryGraph) -> None:
    assert parse_sql(rewrite_sql(text, graph)).graph == graph


@st.composite
def edited(draw: st.DrawFn, graph: QueryGraph) -> QueryGraph:
    """Draw the graph after some typical edits: a node changed, added, removed, renamed or moved."""
    nodes = [node.model_dump(mode="json") for node in graph.nodes]
    for _ in range(draw(st.integers(1, 3))):
        ids = st.sampled_from([node["id"] for node in nodes])
        at = draw(st.integers(0, len(nodes) - 1))
        how = draw(st.sampled_from(["change", "add", "remove", "rename", "move", "replace"]))
        if how == "change":
            nodes[at] = draw(raw_nodes(nodes[at]["kind"], nodes[at]["id"], ids))
        elif how == "add":
            nodes.insert(at, draw(raw_nodes(draw(st.sampled_from(sorted(FIELDS))), draw(NAMES), ids)))
        elif how == "remove" and len(nodes) > 1:
            del nodes[at]
        elif how == "rename":
            nodes[at]["id"] = draw(NAMES)
        elif how == "move":
            nodes.insert(draw(st.integers(0, len(nodes) - 1)), nodes.pop(at))
        else:
            nodes[at] = draw(raw_nodes(draw(st.sampled_from(sorted(FIELDS))), nodes[at]["id"], ids))
    return QueryGraph.model_validate({"version": 1, "name": graph.name, "nodes": nodes})


@settings(max_examples=TEXTS_DRAWN)
@given(st.data())
def test_the_rewritten_text_has_the_edited_graph(data: st.DataObject) -> None:
    text = data.draw(TEXTS)
    script = parse_sql(text)
    if script.graph is None or script.faults:
        return
    graph = data.draw(edited(script.graph))
    ids = {node.id for node in graph.nodes if node.kind == "input"}
    written = rewrite_sql(text, graph)
    read = parse_sql(written)
    assert read.faults == (), written
    assert read.graph == graph, written
    assert read.advance == {node: of for node, of in script.advance.items() if node in ids}
    assert read.event_times == {node: of for node, of in script.event_times.items() if node in ids}
    assert rewrite_sql(written, graph) == written


@settings(max_examples=TEXTS_DRAWN)
@given(st.data())
def test_the_rewritten_text_has_the_new_settings(data: st.DataObject) -> None:
    text = data.draw(TEXTS)
    script = parse_sql(text)
    if script.graph is None or script.faults:
        return
    advance = data.draw(settings_of(script.graph, SETTINGS))
    event_times = data.draw(settings_of(script.graph, EVENT_TIMES))
    read = parse_sql(rewrite_sql(text, script.graph, advance=advance, event_times=event_times))
    assert (read.graph, read.advance, read.event_times) == (script.graph, advance, event_times)


@settings(max_examples=TEXTS_DRAWN)
@given(st.data())
def test_comments_before_a_statement_are_removed_only_with_all_of_its_nodes(data: st.DataObject) -> None:
    text = data.draw(TEXTS)
    script = parse_sql(text)
    if script.graph is None or script.faults:
        return
    graph = data.draw(edited(script.graph))
    written = rewrite_sql(text, graph)
    ids = {node.id for node in graph.nodes}
    for statement in script.statements:
        if ids & {*statement.nodes}:
            before = text[statement.commented.start : statement.span.start]
            assert [each for each in comments(before) if each not in written] == [], written


CHANGES = {
    **dict.fromkeys(("filter", "join", "anti_join", "semi_join"), ("where", "speed > 99")),
    **dict.fromkeys(("shift", "extend"), ("by", "99m")),
    "set_duration": ("duration", "99m"),
    "window": ("grace", "99m"),
    "top_k": ("k", 99),
    "match_recognize": ("max_rows", 99),
    "output": ("timestamp", "latest_input"),
}


@settings(max_examples=TEXTS_DRAWN)
@given(st.data())
def test_the_text_before_and_after_a_changed_node_stays_character_for_character(data: st.DataObject) -> None:
    text = data.draw(TEXTS)
    script = parse_sql(text)
    if script.graph is None or script.faults:
        return
    ids = [node.id for node in script.graph.nodes]
    raw = [node.model_dump(mode="json") for node in script.graph.nodes]
    changeable = [each for each in raw if each["kind"] in CHANGES]
    if not changeable or len({*ids}) < len(ids):  # with equal ids, more may be printed again than necessary
        return
    chosen = data.draw(st.sampled_from(changeable))
    key, value = CHANGES[chosen["kind"]]
    if chosen.get(key) == value:
        return
    chosen[key] = value
    graph = QueryGraph.model_validate(script.graph.model_dump(mode="json") | {"nodes": raw})
    written = rewrite_sql(text, graph)
    (changed,) = [each for each in script.statements if chosen["id"] in each.nodes]
    parts = [span for span, made in changed.steps if chosen["id"] in made] or [changed.span]
    assert parse_sql(written).graph == graph
    assert written.startswith(text[: changed.commented.start])
    assert written.endswith(text[parts[0].end :].removeprefix(";"))
