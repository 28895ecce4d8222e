"""Comments of nodes: read from the text that makes them, and written there without changing what it says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.sql.rewriting.comments import plain_comment, read_comments, write_comments
from streaming.definition.sql.rewriting.texts import rewrite_sql
from tests.definition.sql.drawn_graphs import GRAPHS
from tests.definition.sql.drawn_texts import TEXTS

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


def test_the_comment_before_a_statement_is_about_its_output_and_a_name_says_otherwise() -> None:
    assert read_comments(SQL) == {"alerts": "Cars that are too fast", "fast": "the limit is that of the motorway"}


def test_steps_have_their_comments_before_them() -> None:
    assert read_comments(STEPS) == {"fast": "what matters", "per_plate": "by\nplate", "alerts": "to the police"}


def test_a_comment_is_written_where_it_is_read_and_the_rest_stays() -> None:
    assert write_comments(SQL, {"fast": "100 in towns"}) == SQL.replace(
        "the limit is that of the motorway", "100 in towns"
    )
    assert write_comments(SQL, {"fast": ""}) == SQL.replace("-- fast: the limit is that of the motorway\n", "")
    new = write_comments(STEPS, {"per_plate": "each\ncar"})
    assert new == STEPS.replace("/* by\n     plate */", "-- each\n  -- car")


def test_comments_of_a_statement_and_of_its_steps_are_written_at_once() -> None:
    said = {"fast": "one", "per_plate": "two\nthree", "alerts": "four"}
    written = write_comments(STEPS, said)
    assert read_comments(written) == said
    assert write_comments(written, dict.fromkeys(said, "")).count("--") == 2  # beside it, and inside
    assert parse_sql(written).graph == parse_sql(STEPS).graph


def test_a_comment_that_begins_like_a_name_is_read_back_as_it_was() -> None:
    text = write_comments(SQL, {"alerts": "fast: is no name here"})
    assert read_comments(text)["alerts"] == "fast: is no name here"


def test_a_text_that_cannot_be_read_has_no_comments_and_stays() -> None:
    assert read_comments("-- x\nSELECT FROM") == {}
    assert write_comments("-- x\nSELECT FROM", {"x": "y"}) == "-- x\nSELECT FROM"


@EXAMPLES
def test_any_comments_on_any_text_are_read_back_and_the_graph_stays(examples: int) -> None:
    @settings(max_examples=examples)
    @given(text=TEXTS | GRAPHS.map(print_sql), data=st.data())
    def holds(text: str, data: st.DataObject) -> None:
        script = parse_sql(text)
        ids = [] if script.graph is None else [node.id for node in script.graph.nodes]
        said = data.draw(st.dictionaries(st.sampled_from(ids), COMMENTS, max_size=3)) if ids else {}
        written = write_comments(text, said)
        assert parse_sql(written).graph == script.graph
        expected = {**read_comments(text), **{node: plain_comment(each) for node, each in said.items()}}
        assert read_comments(written) == {node: each for node, each in expected.items() if each}

    holds()


@EXAMPLES
def test_what_is_drawn_is_the_same_graph_after_its_text_whatever_text_it_is_written_into(examples: int) -> None:
    @settings(max_examples=examples)
    @given(graph=GRAPHS, text=TEXTS | GRAPHS.map(print_sql), comment=COMMENTS)
    def holds(graph: QueryGraph, text: str, comment: str) -> None:
        written = write_comments(rewrite_sql(text, graph), {graph.nodes[-1].id: comment})
        assert parse_sql(written).graph == graph

    holds()
