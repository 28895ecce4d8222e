"""Comments of nodes: read from their text, and written there without changing its meaning."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.sql.rewriting.comments import plain_comment, read_comments, write_comments
from streaming.definition.sql.rewriting.texts import rewrite_sql
from tests.definition.sql.drawn.graphs import GRAPHS
from tests.definition.sql.drawn.texts import TEXTS

EXAMPLES = pytest.mark.parametrize("examples", [60, pytest.param(1000, marks=pytest.mark.thorough)])
COMMENTS = st.text(st.sampled_from("ab: -*/'`;\n\r\t\x0bé,.()\\{}#") | st.characters(codec="utf-8"), max_size=30)

SQL = """-- of the file
QUERY speeding;

-- Cars that are too fast
-- fast: the limit is that of the motorway
INSERT INTO alerts
SELECT STREAM COUNT(*) AS n
FROM (SELECT STREAM * FROM cars WHERE speed > 120) AS fast
WINDOW BY TUMBLE 1m;
"""

STEPS = """WITH
  -- what matters
  fast AS (SELECT STREAM * FROM cars WHERE speed > 120), -- beside it
  /* by
     plate */
  per_plate AS (
    SELECT STREAM COUNT(*) AS n FROM fast -- inside
    WINDOW BY TUMBLE 1m GROUP BY plate)
-- to the police
INSERT INTO alerts SELECT STREAM * FROM per_plate;
"""


def test_the_comment_before_a_statement_belongs_to_its_output_unless_it_names_a_node() -> None:
    assert read_comments(SQL) == {"alerts": "Cars that are too fast", "fast": "the limit is that of the motorway"}


def test_comments_of_steps_are_before_them() -> None:
    assert read_comments(STEPS) == {"fast": "what matters", "per_plate": "by\nplate", "alerts": "to the police"}


def test_a_comment_is_written_at_its_place_and_the_rest_stays() -> None:
    assert write_comments(SQL, {"fast": "100 in towns"}) == SQL.replace(
        "the limit is that of the motorway", "100 in towns"
    )
    assert write_comments(SQL, {"fast": ""}) == SQL.replace("-- fast: the limit is that of the motorway\n", "")
    new = write_comments(STEPS, {"per_plate": "each\ncar"})
    assert new == STEPS.replace("/* by\n     plate */", "-- each\n  -- car")


def test_comments_of_a_statement_and_of_its_steps_are_written_at_once() -> None:
    comments = {"fast": "one", "per_plate": "two\nthree", "alerts": "four"}
    written = write_comments(STEPS, comments)
    assert read_comments(written) == comments
    assert write_comments(written, dict.fromkeys(comments, "")).count("--") == 2  # next to it, and inside
    assert parse_sql(written).graph == parse_sql(STEPS).graph


def test_a_comment_that_starts_like_a_name_is_read_back_unchanged() -> None:
    text = write_comments(SQL, {"alerts": "fast: is no name here"})
    assert read_comments(text)["alerts"] == "fast: is no name here"


def test_an_unreadable_text_has_no_comments_and_stays() -> None:
    assert read_comments("-- x\nSELECT FROM") == {}
    assert write_comments("-- x\nSELECT FROM", {"x": "y"}) == "-- x\nSELECT FROM"


@EXAMPLES
def test_any_comments_on_any_text_are_read_back_and_the_graph_stays(examples: int) -> None:
    @settings(max_examples=examples)
    @given(text=TEXTS | GRAPHS.map(print_sql), data=st.data())
    def holds(text: str, data: st.DataObject) -> None:
        script = parse_sql(text)
        ids = [] if script.graph is None else [node.id for node in script.graph.nodes]
        comments = data.draw(st.dictionaries(st.sampled_from(ids), COMMENTS, max_size=3)) if ids else {}
        written = write_comments(text, comments)
        assert parse_sql(written).graph == script.graph
        expected = {**read_comments(text), **{node: plain_comment(each) for node, each in comments.items()}}
        assert read_comments(written) == {node: each for node, each in expected.items() if each}

    holds()


@EXAMPLES
def test_a_drawn_graph_is_restored_from_any_text_it_is_written_into(examples: int) -> None:
    @settings(max_examples=examples)
    @given(graph=GRAPHS, text=TEXTS | GRAPHS.map(print_sql), comment=COMMENTS)
    def holds(graph: QueryGraph, text: str, comment: str) -> None:
        written = write_comments(rewrite_sql(text, graph), {graph.nodes[-1].id: comment})
        assert parse_sql(written).graph == graph

    holds()
