"""Drawn graphs, valid or not: arbitrary nodes, and nodes that statements of a text create."""

from typing import Any, get_args

from hypothesis import strategies as st

from streaming.definition.graph import AggregateFunction, QueryGraph
from streaming.definition.sql.building.drafts import derived
from streaming.definition.sql.grammar.rows import ArgumentKind, WindowRow, value_of
from streaming.definition.sql.grammar.windows import WINDOWS as ROWS
from tests.definition.sql.drawn.values import COUNTS, DURATIONS, EXPRESSIONS, LITERALS, NAMES, some

VALUES = {
    ArgumentKind.DURATION: lambda _: DURATIONS,
    ArgumentKind.WHOLE: lambda _: COUNTS,
    ArgumentKind.CHOICE: lambda row: st.sampled_from([value_of(each) for each in row.choices]),
    ArgumentKind.QUOTED: lambda _: st.sampled_from(["UTC", "Europe/Zurich", "Etc/GMT+5"]),
}


@st.composite
def windows(draw: st.DrawFn, row: WindowRow) -> dict[str, Any]:
    """Draw windows of the kind of `row`, with any of the optional fields."""
    rows = (*row.arguments, *row.options)
    must = {each.field: VALUES[each.takes](each) for each in rows[: row.least]}
    further = {each.field: VALUES[each.takes](each) for each in rows[row.least :]}
    return {"kind": row.kind} | draw(st.fixed_dictionaries(must, optional=further))


WINDOWS = st.one_of(*map(windows, ROWS))
FRACTIONS = st.one_of(st.sampled_from([0.0, 0.5, 0.95, 1.0, 1e-7]), st.floats(0, 1))
AGGREGATES = st.tuples(
    st.fixed_dictionaries({"name": NAMES, "function": st.sampled_from(get_args(AggregateFunction))}),
    some(of=EXPRESSIONS, filter=EXPRESSIONS, k=COUNTS, fraction=FRACTIONS),
).map(lambda parts: parts[0] | parts[1])
GROUP_BY = st.lists(NAMES, max_size=3)
COLUMNS = st.one_of(
    st.fixed_dictionaries({"name": NAMES, "of": EXPRESSIONS}), NAMES.map(lambda each: {"name": each, "of": each})
)
GROUPS = st.lists(st.dictionaries(NAMES, LITERALS, max_size=2), max_size=2)
JOINED = {"keys": st.lists(NAMES, max_size=2), "where": EXPRESSIONS}
TYPES = st.sampled_from(["inner", "left_outer"])
TYPE_NAMES = st.sampled_from(["double", "string", "decimal(10,2)", "array<array<long>>", "struct<a: long, b: string>"])

ROW_ORDER = st.lists(st.fixed_dictionaries({"of": EXPRESSIONS, "descending": st.booleans()}), max_size=2)
WHOLE_BOUNDS = st.one_of(st.none(), st.integers(0, 5))
FRAMES = st.one_of(
    st.fixed_dictionaries({"unit": st.just("rows")}, optional={"preceding": WHOLE_BOUNDS, "following": WHOLE_BOUNDS}),
    st.fixed_dictionaries({"unit": st.just("range")}, optional={"preceding": DURATIONS, "following": DURATIONS}),
)
NUMBERS = st.floats(-1e6, 1e6)
OVER_FUNCTIONS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    **dict.fromkeys(
        ("lag", "lead"),
        ({"of": EXPRESSIONS}, {"offset": st.integers(0, 9), "default": EXPRESSIONS, "ignore_nulls": st.booleans()}),
    ),
    **dict.fromkeys(("first_value", "last_value"), ({"of": EXPRESSIONS}, {"ignore_nulls": st.booleans()})),
    "nth_value": ({"of": EXPRESSIONS}, {"offset": st.integers(1, 9), "frame": FRAMES}),
    "row_number": ({}, {}),
    "robust_z": ({"of": EXPRESSIONS}, {"least": st.integers(0, 20), "frame": FRAMES}),
    **dict.fromkeys(
        ("cusum_high", "cusum_low", "cusum_alarm"),
        ({"of": EXPRESSIONS, "target": NUMBERS, "threshold": NUMBERS}, {"drift": NUMBERS}),
    ),
    **dict.fromkeys(("sum", "max", "count"), ({"of": EXPRESSIONS}, {"filter": EXPRESSIONS, "frame": FRAMES})),
}


@st.composite
def over_columns(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a column of an analytic node with the fields that its function uses."""
    function = draw(st.sampled_from(sorted(OVER_FUNCTIONS)))
    required, optional = OVER_FUNCTIONS[function]
    named = {"name": draw(NAMES), "function": function}
    return named | draw(st.fixed_dictionaries(required, optional=optional))


OVER_COLUMNS = over_columns()

# The fields of each kind of node except id and kind: the required and the optional ones; "..." means an id.
SOME_NAMES = st.lists(NAMES, min_size=1, max_size=2)
PATTERNS = st.sampled_from(
    [
        "A",
        "A B+? (C | D){2,}",
        "{- A -} B",
        "A ABSENT B FOR 15m",
        "permute(A, B)",
        "()",
        "A )",
        "A 'x'",
        "A; B",
        "A -- b\nC",
    ]
)
FIELDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "input": ({"stream": NAMES}, {}),
    "filter": ({"input": ..., "where": EXPRESSIONS}, {}),
    "project": ({"input": ..., "columns": st.lists(COLUMNS, min_size=1, max_size=3)}, {}),
    "shift": ({"input": ..., "by": DURATIONS}, {}),
    "set_duration": ({"input": ...}, {"duration": DURATIONS, "expression": EXPRESSIONS}),
    "extend": ({"input": ..., "by": DURATIONS}, {}),
    "clip": ({"input": ..., "by": ..., "keys": st.lists(NAMES, min_size=1, max_size=2)}, {}),
    "point_at_end": ({"input": ...}, {}),
    "to_intervals": ({"input": ...}, {}),
    "order_edges": ({"input": ...}, {}),
    "chop": ({"input": ..., "period": DURATIONS}, {"offset": DURATIONS}),
    "stitch": ({"input": ...}, {}),
    "union": ({"inputs": 2}, {}),
    "join": ({"left": ..., "right": ...}, {**JOINED, "type": TYPES}),
    "anti_join": ({"left": ..., "right": ...}, JOINED),
    "semi_join": ({"left": ..., "right": ...}, JOINED),
    "asof_join": ({"left": ..., "right": ...}, {"keys": JOINED["keys"], "type": TYPES}),
    "window": (
        {"input": ..., "window": WINDOWS, "aggregates": st.lists(AGGREGATES, min_size=1, max_size=3)},
        {
            "group_by": GROUP_BY,
            "grace": DURATIONS,
            "emit": st.sampled_from(["final", "on_complete", "running"]),
            "retract": st.booleans(),
            "empty": st.sampled_from(["skip", "default"]),
            "empty_gap": DURATIONS,
            "empty_groups": GROUPS,
        },
    ),
    "top_k": ({"input": ..., "window": WINDOWS, "by": EXPRESSIONS, "k": COUNTS}, {"group_by": GROUP_BY}),
    "match_recognize": (
        {"input": ..., "pattern": PATTERNS},
        {
            "group_by": GROUP_BY,
            "order_by": st.lists(
                st.fixed_dictionaries({"of": EXPRESSIONS}, optional={"descending": st.booleans()}), max_size=2
            ),
            "subsets": st.lists(
                st.fixed_dictionaries({"name": NAMES, "of": st.lists(NAMES, min_size=1, max_size=2)}), max_size=2
            ),
            "define": st.lists(st.fixed_dictionaries({"name": NAMES, "of": EXPRESSIONS}), max_size=2),
            "measures": st.lists(st.fixed_dictionaries({"name": NAMES, "of": EXPRESSIONS}), max_size=2),
            "rows": st.sampled_from(["one", "all", "all_omit_empty", "all_with_unmatched"]),
            "after_match": st.sampled_from(["past_last_row", "next_row"])
            | st.builds(lambda key, name: {key: name}, st.sampled_from(["first", "last"]), NAMES),
            "within": DURATIONS,
            "reach": DURATIONS,
            "grace": DURATIONS,
            "lifetime": st.sampled_from(["last_row", "span"]),
            "emit": st.sampled_from(["final", "running"]),
            "max_rows": st.integers(1, 1_000_000),
        },
    ),
    "analytic": (
        {"input": ..., "columns": st.lists(OVER_COLUMNS, min_size=1, max_size=3)},
        {"group_by": GROUP_BY, "order_by": ROW_ORDER, "reach": DURATIONS, "grace": DURATIONS},
    ),
    "output": ({"input": ...}, {"timestamp": st.sampled_from(["lifetime", "point_at_end", "latest_input"])}),
}


@st.composite
def raw_nodes(draw: st.DrawFn, kind: str, node_id: str, references: st.SearchStrategy[str]) -> dict[str, Any]:
    """Draw a node of `kind` in JSON that reads nodes of `references`."""
    required, optional = FIELDS[kind]
    node: dict[str, Any] = {"id": node_id, "kind": kind}
    for key, values in required.items():
        if values is ...:
            node[key] = draw(references)
        elif isinstance(values, int):
            node[key] = draw(st.lists(references, min_size=values, max_size=4))
        else:
            node[key] = draw(values)
    return node | draw(some(**optional))


def references(known: list[str], wanted: str | None = None) -> st.SearchStrategy[str]:
    """Draw ids to read: mostly the `wanted` one or a `known` one, sometimes any name."""
    choices = [st.sampled_from(known or ["a"]), st.sampled_from(known or ["a"]), NAMES]
    return st.one_of(st.just(wanted), st.just(wanted), *choices) if wanted is not None else st.one_of(*choices)


@st.composite
def loose_graphs(draw: st.DrawFn) -> QueryGraph:
    """Draw nodes of any kind in any order that read each other, themselves, or missing nodes."""
    ids = draw(st.lists(NAMES, min_size=1, max_size=6))
    nodes = [draw(raw_nodes(draw(st.sampled_from(sorted(FIELDS))), each, references(ids))) for each in ids]
    return graph(draw(NAMES | st.sampled_from(["query", *ids])), nodes)


# The nodes of one statement: kinds with their roles, in order; each reads the one before it.
CHAINS: list[list[tuple[str, str]]] = [
    [("filter", "where")],
    [("filter", "where"), ("project", "select")],
    [("filter", "where"), ("window", "window")],
    [("window", "window"), ("filter", "having")],
    [("filter", "where"), ("window", "window"), ("filter", "having")],
    [("filter", "where"), ("window", "window"), ("filter", "having"), ("project", "post")],
    [("window", "window"), ("project", "post")],
    [("filter", "where"), ("top_k", "top")],
    [("top_k", "top"), ("project", "select")],
    [("join", "join")],
    [("join", "join"), ("filter", "where")],
    [("join", "join"), ("project", "select")],
    [("join", "join"), ("anti_join", "join_2"), ("filter", "where"), ("project", "select")],
    [("semi_join", "join"), ("asof_join", "join_2"), ("window", "window")],
    [("shift", "shift")],
    [("clip", "clip")],
    [("set_duration", "duration")],
    [("extend", "extend")],
    [("point_at_end", "end")],
    [("to_intervals", "intervals")],
    [("order_edges", "edges")],
    [("chop", "chop")],
    [("stitch", "stitch")],
    [],
]


@st.composite
def chains(draw: st.DrawFn, owner: str, known: list[str], *, last: str | None) -> list[dict[str, Any]]:
    """Draw the nodes of one SELECT with derived ids, and the inputs that it reads first; `last` is the last id."""
    chain = draw(st.sampled_from(CHAINS))
    read: str | None = None
    nodes: list[dict[str, Any]] = []
    inputs: list[dict[str, Any]] = []
    for number, (kind, role) in enumerate(chain, start=1):
        new = draw(st.booleans())
        if new and (read is None or "join" in kind):
            stream = draw(NAMES)
            inputs.append({"id": draw(st.sampled_from([stream, stream, "a"])), "kind": "input", "stream": stream})
        fresh = inputs[-1]["id"] if new and inputs else None
        node_id = last if last is not None and number == len(chain) else derived(owner, role)
        node = draw(raw_nodes(kind, node_id, references(known, fresh)))
        if read is not None:
            node["left" if "left" in node else "input"] = read
        read = node_id
        nodes.append(node)
    return [*inputs, *nodes]


@st.composite
def statements(draw: st.DrawFn, known: list[str]) -> list[dict[str, Any]]:
    """Draw the nodes of a step, an INSERT or a UNION ALL, as in a text."""
    owner = draw(NAMES)
    form = draw(st.sampled_from(["step", "insert", "union", "inserted union", "input"]))
    if form == "input":
        return [draw(raw_nodes("input", owner, NAMES))]
    if form == "step":
        return draw(chains(owner, known, last=owner))
    body: list[dict[str, Any]] = []
    if form == "insert":
        body = draw(chains(owner, known, last=None))
    else:
        inputs = []
        for number in range(1, draw(st.integers(2, 3)) + 1):
            branch = draw(chains(derived(owner, str(number)), known, last=None))
            body += branch
            inputs.append(branch[-1]["id"] if branch else draw(references(known)))
        union_id = owner if form == "union" else derived(owner, "union")
        body.append({"id": union_id, "kind": "union", "inputs": inputs})
    if form == "union":
        return body
    read = body[-1]["id"] if body else draw(references(known))
    return [*body, draw(raw_nodes("output", owner, st.just(read)))]


@st.composite
def written_graphs(draw: st.DrawFn) -> QueryGraph:
    """Draw graphs as statements of a text create them, sometimes with a moved or renamed node."""
    nodes: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(1, 3))):
        nodes += draw(statements([node["id"] for node in nodes]))
    if not nodes:
        nodes = [draw(raw_nodes("input", "cars", NAMES))]
    if draw(st.integers(0, 3)) == 0:
        nodes.insert(draw(st.integers(0, len(nodes))), nodes.pop(draw(st.integers(0, len(nodes) - 1))))
    if draw(st.integers(0, 5)) == 0:
        nodes[draw(st.integers(0, len(nodes) - 1))]["id"] = draw(NAMES)
    outputs = [node["id"] for node in nodes if node["kind"] == "output"]
    return graph(draw(st.sampled_from([*outputs, "query", "speeding"])), nodes)


def graph(name: str, nodes: list[dict[str, Any]]) -> QueryGraph:
    return QueryGraph.model_validate({"version": 1, "name": name, "nodes": nodes})


FUNCTION = st.fixed_dictionaries(
    {
        "name": NAMES,
        "arguments": st.lists(st.fixed_dictionaries({"name": NAMES, "type": TYPE_NAMES}), max_size=3),
        "returns": TYPE_NAMES,
        "as": EXPRESSIONS,
    }
)
MODULE_FUNCTION = st.fixed_dictionaries(
    {
        "name": NAMES,
        "arguments": st.lists(st.fixed_dictionaries({"name": NAMES, "type": TYPE_NAMES}), max_size=2),
        "returns": TYPE_NAMES,
        "module": st.text("0123456789abcdef", min_size=64, max_size=64),
        "export": st.text("abcXYZ019_.$-", min_size=1, max_size=8),
    },
    optional={"fuel": st.integers(1, 100_000_000), "null_arguments": st.booleans()},
)
FUNCTIONS = st.one_of(st.just([]), st.just([]), st.lists(st.one_of(FUNCTION, MODULE_FUNCTION), min_size=1, max_size=2))
GRAPHS = st.tuples(st.one_of(loose_graphs(), written_graphs(), written_graphs()), FUNCTIONS).map(
    lambda drawn: QueryGraph.model_validate({**drawn[0].model_dump(mode="json"), "functions": drawn[1]})
)
