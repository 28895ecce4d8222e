"""Any graph, sound or not: nodes as they come, and nodes as the statements of a text make them."""

from typing import Any, get_args

from hypothesis import strategies as st

from streaming.definition.graph import AggregateFunction, QueryGraph
from streaming.definition.sql.building.drafts import derived
from streaming.definition.sql.grammar.rows import ArgumentKind, WindowRow
from streaming.definition.sql.grammar.windows import WINDOWS as ROWS
from tests.definition.sql.drawn_values import COUNTS, DURATIONS, EXPRESSIONS, LITERALS, NAMES, some

VALUES = {ArgumentKind.DURATION: DURATIONS, ArgumentKind.WHOLE: COUNTS}


@st.composite
def windows(draw: st.DrawFn, row: WindowRow) -> dict[str, Any]:
    """Windows of the kind of `row`, with any of the fields that may be left out."""
    rows = (*row.arguments, *row.options)
    must = {each.field: VALUES[each.takes] for each in rows[: row.least]}
    further = {each.field: VALUES[each.takes] for each in rows[row.least :]}
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

# The fields of each kind of node beside id and kind: those it must have, and those it may have; "..." stands for an id.
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
    "output": ({"input": ...}, {"timestamp": st.sampled_from(["lifetime", "point_at_end", "latest_input"])}),
}


@st.composite
def raw_nodes(draw: st.DrawFn, kind: str, node_id: str, references: st.SearchStrategy[str]) -> dict[str, Any]:
    """A node of `kind` in JSON, which reads nodes of `references`."""
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
    """Ids to read: mostly the `wanted` one or one of those `known`, sometimes any name at all."""
    choices = [st.sampled_from(known or ["a"]), st.sampled_from(known or ["a"]), NAMES]
    return st.one_of(st.just(wanted), st.just(wanted), *choices) if wanted is not None else st.one_of(*choices)


@st.composite
def loose_graphs(draw: st.DrawFn) -> QueryGraph:
    """Nodes of any kind in any order that read each other, themselves, or nothing that exists."""
    ids = draw(st.lists(NAMES, min_size=1, max_size=6))
    nodes = [draw(raw_nodes(draw(st.sampled_from(sorted(FIELDS))), each, references(ids))) for each in ids]
    return graph(draw(NAMES | st.sampled_from(["query", *ids])), nodes)


# How one statement makes several nodes: kinds with their roles, in order, each of which reads the one before it.
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
    [],
]


@st.composite
def chains(draw: st.DrawFn, owner: str, known: list[str], *, last: str | None) -> list[dict[str, Any]]:
    """The nodes of one SELECT with derived ids, and the inputs that it reads first; `last` is the last one's id."""
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
    """The nodes of a step, an INSERT or a UNION ALL, as a text makes them."""
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
    """Graphs of nodes as the statements of a text would make them, with something moved or renamed now and then."""
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


GRAPHS = st.one_of(loose_graphs(), written_graphs(), written_graphs())
