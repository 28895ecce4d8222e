"""The flowchart: stages are subgraphs, and user text is only text in labels."""

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.planning.explain import explain, explain_mermaid
from streaming.planning.explain.mermaid import escape
from tests.definition.checks.graphs import CARS, OUT, STREAMS, around, graph, node, window

LABEL = r'"(?:[A-Za-z0-9 ,]|#\d+;|<br/>)*"'
LINES = re.compile(
    rf"flowchart LR|  subgraph s\d+\[{LABEL}\]|    n\d+(?:\(\[{LABEL}\]\)|\[{LABEL}\])|  end|  n\d+ --> n\d+"
    r"|  classDef (?:endless|reference) [a-z0-9#:, -]+|  class n\d+(?:,n\d+)* (?:endless|reference)"
)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=60) | st.sampled_from(
    ('"] end', "<script>alert(1)</script>", "%%{init: {}}%%", "#quot;", "&lt;", "$$x$$", "`a`", "\n  end\n", "--> x")
)


def drawing(raw: Any) -> str:
    return explain_mermaid(explain(QueryGraph.model_validate(raw), STREAMS, {}))


def decode_entities(label: str) -> str:
    """Decode entities as Mermaid does."""
    return re.sub(r"#(\d+);", lambda found: chr(int(found.group(1))), label)


def test_nodes_stand_in_the_subgraphs_of_their_stages() -> None:
    fast = node("filter", where="speed > 120") | {"id": "fast"}
    drawn = drawing(graph(CARS, fast, window(group_by=["plate"]) | {"input": "fast"}, OUT)).splitlines()
    assert [line.partition("[")[0].strip() for line in drawn] == [
        "flowchart LR",
        *("subgraph s0", "n0(", "n1", "end"),
        *("subgraph s1", "n2", "end"),
        *("subgraph s2", "n3(", "end"),
        *("n0 --> n1", "n1 --> n2", "n2 --> n3"),
    ]


def test_nodes_that_delay_ctis_without_a_bound_are_marked() -> None:
    drawn = drawing(around(window(window={"kind": "session", "gap": "5m"})))
    assert "  class n1 endless\n" in drawn
    assert "class n" not in drawing(around(window()))


@given(text=TEXTS)
def test_a_label_shows_the_text_unchanged(text: str) -> None:
    assert re.fullmatch(LABEL, f'"{escape(text)}"')
    assert decode_entities(escape(text)).replace("\u200b", "") == text.replace("\u200b", "")
    assert "$$" not in decode_entities(escape(text))


@given(text=TEXTS)
def test_no_expression_breaks_out_of_its_box(text: str) -> None:
    literal = text.replace("\\", "\\\\").replace("'", "\\'").replace("\x00", "")
    drawn = drawing(around(node("filter", where=f"plate != '{literal}'")))
    assert [line for line in drawn.splitlines() if not LINES.fullmatch(line)] == []


def test_ids_may_be_words_of_mermaid() -> None:
    end = node("filter", where="speed > 1") | {"id": "end"}
    drawn = drawing(graph(CARS, end, {"id": "subgraph", "kind": "output", "input": "end"}))
    assert all(LINES.fullmatch(line) for line in drawn.splitlines())
    assert drawn.count("  end\n") == 2


def test_a_large_graph_stays_below_the_limit_of_mermaid() -> None:
    nodes = [
        node("filter", where="speed > 1", input=f"n_{at - 1}" if at else "cars") | {"id": f"n_{at}"}
        for at in range(498)
    ]
    drawn = drawing(graph(CARS, *nodes, OUT | {"input": "n_497"}))
    assert len(drawn) < 50_000
    assert drawn.count("-->") == 499
