"""Branches that consist of one operator, and UNION ALL."""

import pytest

from tests.definition.sql.reading.read import fault, ids, marked, node, nodes


@pytest.mark.parametrize(
    ("text", "role", "fields"),
    [
        ("SHIFT s BY 5m", "shift", {"kind": "shift", "by": "5m"}),
        ("SHIFT s BY -1tick", "shift", {"kind": "shift", "by": "-1tick"}),
        ("EXTEND s BY 'PT5M'", "extend", {"kind": "extend", "by": "PT5M"}),
        ("EXTEND s BY 10", "extend", {"kind": "extend", "by": 10}),
        ("SET DURATION s TO 1h", "duration", {"kind": "set_duration", "duration": "1h"}),
        ("SET DURATION s TO 10", "duration", {"kind": "set_duration", "duration": 10}),
        ("SET DURATION s TO s.length * 2", "duration", {"kind": "set_duration", "expression": "length * 2"}),
        ("SET DURATION s TO EXPRESSION '10'", "duration", {"kind": "set_duration", "expression": "10"}),
        ("SET DURATION s TO -a", "duration", {"kind": "set_duration", "expression": "-a"}),
        ("SET DURATION s TO 10 * a", "duration", {"kind": "set_duration", "expression": "10 * a"}),
        ("SET DURATION s", "duration", {"kind": "set_duration"}),
        ("SET DURATION s TO 5m TO a", "duration", {"kind": "set_duration", "duration": "5m", "expression": "a"}),
        ("POINT AT END s", "end", {"kind": "point_at_end"}),
        ("TO INTERVALS s", "intervals", {"kind": "to_intervals"}),
        ("ORDER EDGES s", "edges", {"kind": "order_edges"}),
    ],
)
def test_every_operator_creates_its_node(text: str, role: str, fields: dict[str, object]) -> None:
    assert node(text, f"out_{role}") == {"input": "s", **fields}
    assert ids(text) == ["s", f"out_{role}", "out"]
    step = f"WITH a AS ({text}) SELECT * FROM a"
    assert ids(step) == ["s", "a", "out"]
    assert node(step, "a") == node(text, f"out_{role}")


@pytest.mark.parametrize(
    ("condition", "keys"),
    [
        ("k", ["k"]),
        ("k, j", ["k", "j"]),
        ("(k, j)", ["k", "j"]),
        ("a.k = b.k", ["k"]),
        ("a.k = b.k AND b.j = a.j", ["k", "j"]),
        ("`on`", ["on"]),
    ],
)
def test_clip_has_keys(condition: str, keys: list[str]) -> None:
    text = f"CLIP cars AS a BY lights AS b ON {condition};"
    assert node(text, "out_clip") == {"kind": "clip", "input": "a", "by": "b", "keys": keys}


def test_a_source_may_be_a_query() -> None:
    text = "SHIFT (SELECT * FROM cars WHERE x) BY 5m"
    assert ids(text) == ["cars", "out_from", "out_shift", "out"]


def test_branches_are_numbered_and_a_plain_source_adds_nothing() -> None:
    text = (
        "INSERT INTO all SELECT * FROM a UNION ALL SELECT * FROM b WHERE x"
        " UNION ALL SHIFT a BY 5m UNION ALL STREAM c UNION ALL SELECT u AS v FROM b WHERE w"
    )
    assert ids(text) == [
        *("a", "b", "all_2_where", "all_3_shift", "c", "all_5_where", "all_5_select", "all_union", "all"),
    ]
    inputs = ["a", "all_2_where", "all_3_shift", "c", "all_5_select"]
    assert node(text, "all_union") == {"kind": "union", "inputs": inputs}


def test_the_union_of_a_step_has_its_name() -> None:
    text = "WITH u AS (SELECT * FROM a UNION ALL SELECT * FROM b WHERE x) SELECT * FROM u"
    assert ids(text) == ["a", "b", "u_2_where", "u", "out"]


def test_long_names_are_cut_to_make_room_for_the_role() -> None:
    long = "a" * 63
    assert nodes(f"INSERT INTO {long} SELECT * FROM b WHERE x")[1]["id"] == "a" * 57 + "_where"


@pytest.mark.parametrize(
    ("text", "words", "remedy"),
    [
        ("SHIFT s", "s", "Write SHIFT source BY 5m."),
        ("SHIFT s BY", "BY", "Write for example 5m"),
        ("SHIFT BY 5m", "BY", "Write the name of a stream or a step."),
        ("CLIP a BY b", "b", "Write CLIP source BY source ON field."),
        ("CLIP a BY b ON a.x > b.y", "a.x > b.y", "Write the fields that both sides share"),
        ("SET DURATION s TO 5m TO 6m", "TO", "Leave one of them out."),
        ("SET DURATION s TO", "TO", "Write a duration such as 5m, or an expression in ticks."),
        (
            "SELECT * FROM a UNION SELECT * FROM b",
            "UNION",
            "Write UNION ALL, which keeps every event, including equal ones.",
        ),
        ("SELECT * FROM a UNION ALL", "ALL", "Write SELECT STREAM ... FROM source, or an operator such as CLIP or"),
        ("SELECT * FROM a UNION ALL (SELECT * FROM b)", "(", "Remove them: SELECT ... UNION ALL SELECT ..."),
        ("SELECT * FROM a EXCEPT SELECT * FROM b", "EXCEPT", "Write ANTI JOIN with the fields that both sides share."),
    ],
)
def test_a_mistake_is_reported_with_a_remedy(text: str, words: str, remedy: str) -> None:
    found = marked(text)[0]
    assert found[0] == words
    assert found[1].startswith(remedy)


def test_a_duration_with_interval_is_reported_with_the_duration_to_write() -> None:
    assert fault("EXTEND s BY INTERVAL 30 SECONDS") == ("INTERVAL 30 SECONDS", "Write only 30s.")
    assert fault("SHIFT s BY INTERVAL '5' MINUTE") == ("INTERVAL '5' MINUTE", "Write only 5m.")
