"""Any graph, and any settings: sound or not, with the names, expressions and durations that are hard to write down."""

from typing import Any, get_args

from hypothesis import strategies as st

from streaming.definition.graph import AggregateFunction, QueryGraph
from streaming.definition.sql.print_bodies import derived
from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy

PLAIN = ["cars", "owners", "fast", "out", "a", "b", "plate", "speed", "n", "per_plate"]
AWKWARD = [
    *("from", "select", "SELECT", "where", "stream", "node", "union", "all", "as", "by", "with", "insert", "into"),
    *("window", "group", "emit", "final", "query", "top", "having", "on", "using", "join", "left", "not", "null"),
    *("case", "end", "expression", "Expression", "count", "sum", "last", "max", "true", "late", "every", "preset"),
    *("_value", "_key", "_meta", "_", "Cars", "CARS", "k", "fraction", "filter", "gap", "groups", "empty", "zone"),
    *("out_where", "out_window", "out_select", "out_join", "out_1", "out_1_where", "out_union", "a_where", "a_window"),
    *("x" * 63, "x" * 62 + "y", "x" * 57 + "_where", "advance", "time", "import", "tick", "_5m", "order_edges", "clip"),
]
NAMES = st.one_of(st.sampled_from(PLAIN), st.sampled_from(PLAIN), st.sampled_from(AWKWARD)) | st.from_regex(
    r"[A-Za-z_][A-Za-z0-9_]{0,62}", fullmatch=True
)
SOUND = [
    *("speed > 120", "n", "plate", "`from` = 'a'", "_value.speed", "a.plate", "cars.speed > owners.n", "upper(plate)"),
    *("(n + 1) * 2", "plate in ('a', 'b')", "case when n > 1 then 'x' else 'y' end", "n between 1 and 3", "-n"),
    *("cast(n as string)", "plate like '%;%'", "s.inner.leaf", "1.5BD", "'it\\'s'", "plate = 'where'", '"from"'),
    *(
        "n /* of; them */ + 1",
        "n -- the count\n + 1",
        "\n  n >\n 1",
        "not n is null",
        "count(*)",
        "sum(n) > 1",
        "avg(n)",
    ),
    *("a.k = b.k", "cars.plate = owners.plate", "a.k = b.k and n > 1", "n>1 AND plate='x'", "`cars`.n", "`_value`.n"),
    *(
        "count",
        "coalesce(n, 0)",
        "n <=> 1",
        "timestamp '2026-01-01'",
        "n => 1",
        "cars . n",
        "_value /**/ . n",
        "k => n",
    ),
]
HOPELESS = [
    *("*", "'", '"', "`", "(", ")", "())(", "a,b", ",", ";", "a; b", "--", "-- x", "a -- x", "/*", "a /* x */", "*/"),
    *(" ", "\n", "a\n", " a", "a\t", "where", "a from b", "select 1", "(select 1 from b)", "a where b", "group by a"),
    *(
        "a as b",
        "a, sum(n)",
        "😀",
        "'😀' || n",
        "a.",
        ".a",
        "a..b",
        "$x",
        "@",
        "#",
        "\\",
        "'\\",
        "a\\'b",
        "5m",
        "-1tick",
    ),
    *("EXPRESSION 'x'", "expression", "expression 'a' 'b'", "'a''b'", "'a' 'b'", "\x00", "\r", "a\u00a0b", "\u2028"),
    *(
        "union all",
        "emit final",
        "a order by b",
        "a window by tumble 5m",
        "distinct n",
        "a having b",
        "limit 1",
        "[1, 2]",
    ),
    *("{a}", "{{ a }}", "{% a %}", "x'4'", "r'a'", "1e", "1.", "0x", "10L", "case", "end", "a b", "late drop", "over"),
    *("_value", "_value.", "cars.", "cars.*", "count(", "from", "a)) (b", "top 3 by n", "retract", "empty", "é", "ﬁ"),
    *(
        "a filter (where b)",
        "/*+ x */ a",
        "/* /* */ a */",
        "a --\n",
        "#\n",
        "//",
        "a ; -- b",
        "'\n'",
        "EVERY 5",
        "'PT5M'",
    ),
]
PIECES = [
    *(
        "a",
        "speed",
        "cars",
        "_value",
        ".",
        " ",
        "  ",
        "\n",
        "'",
        '"',
        "`",
        "(",
        ")",
        ",",
        ";",
        "--",
        "/*",
        "*/",
        "=",
        ">",
    ),
    *(
        " where ",
        " from ",
        " as ",
        " and ",
        "case when",
        " end",
        "5m",
        "1",
        "\\",
        "😀",
        "EXPRESSION ",
        "'x'",
        "count(*)",
    ),
    *(
        "*",
        " group by ",
        "$",
        "[",
        "]",
        "{",
        "}",
        "#",
        "!",
        "|",
        "||",
        "&",
        "~",
        "^",
        ":",
        "::",
        "?",
        "%",
        "=>",
        "\t",
        "\r",
    ),
]
EXPRESSIONS = st.one_of(
    st.sampled_from(SOUND),
    st.sampled_from(SOUND),
    st.sampled_from(HOPELESS),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join),
    st.text(min_size=1, max_size=12),
)
DURATIONS = st.one_of(
    st.sampled_from(["5m", "1h", "0s", "-1tick", "100ms", "7d", "1us", "2ticks"]),
    st.sampled_from(["PT5M", "-P1DT2H", "PT0.5S", "P2W", "10 s", " 5m", "5m\n", "+5s", "007s", "5\tm", "+PT1S"]),
    st.sampled_from([0, 1, -1, 10**30, -(10**30), 300_000_000]),
    st.integers(),
    st.from_regex(r"\A[+-]?[0-9]{1,20}[ \t\n]*(us|ms|s|m|h|d|ticks?)\Z", fullmatch=True),
)
COUNTS = st.one_of(st.integers(1, 5), st.integers(1, 10_000))
LITERALS = st.one_of(st.none(), st.booleans(), st.integers(), st.sampled_from(HOPELESS), st.text(max_size=5))


def some(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Any of the optional `fields`; those that are not drawn are left out."""
    return st.fixed_dictionaries({}, optional=fields)


WINDOWS = st.one_of(
    st.tuples(st.fixed_dictionaries({"kind": st.just("tumbling"), "size": DURATIONS}), some(offset=DURATIONS)),
    st.tuples(
        st.fixed_dictionaries({"kind": st.just("hopping"), "size": DURATIONS, "hop": DURATIONS}), some(offset=DURATIONS)
    ),
    st.tuples(
        st.fixed_dictionaries({"kind": st.just("time_interval"), "duration": DURATIONS}),
        some(period=DURATIONS, offset=DURATIONS, discard_age=DURATIONS),
    ),
    st.tuples(st.fixed_dictionaries({"kind": st.just("session"), "gap": DURATIONS}), some(max=DURATIONS)),
    st.tuples(st.just({"kind": "snapshot"}), st.just({})),
    st.tuples(st.fixed_dictionaries({"kind": st.just("count"), "n": COUNTS}), st.just({})),
).map(lambda parts: parts[0] | parts[1])
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
PRESETS = st.one_of(
    st.sampled_from(["watermark(5s)", "lenses", "azure(5s, 1m, drop)", "spl_event_time(-1tick, 0s)", "watermark()"]),
    st.sampled_from(["late", "every(5)", "a b", "EVERY 5", "x(", ")", ";", "'x'", " lenses ", "watermark('5s')", "--"]),
    st.text(min_size=1, max_size=10),
)
GENERATED = st.tuples(
    st.fixed_dictionaries({"every": DURATIONS}),
    some(delay=DURATIONS, basis=st.sampled_from(["last", "max"]), final=st.booleans()),
).map(lambda parts: parts[0] | parts[1])
SETTINGS = some(
    preset=PRESETS,
    generate=GENERATED,
    import_from=NAMES,
    late=st.sampled_from(["drop", "adjust", "shift", "keep"]),
    late_end=st.sampled_from(["leave_open", "close_at_cti"]),
    over=EXPRESSIONS,
    idle_after=DURATIONS,
    idle=st.sampled_from(["leave_out", "advance"]),
    max_ahead=DURATIONS,
    future=st.sampled_from(["accept", "hold", "drop"]),
).map(AdvanceTimeSettings.model_validate)
STEPS = st.one_of(NAMES, st.sampled_from(["seen at", "from", "a`b", "", "5", "😀", "'", "_value", "_key", "a-b", ";"]))
PATHS = st.one_of(
    st.lists(STEPS, min_size=1, max_size=3).map(".".join),
    st.lists(NAMES, min_size=1, max_size=2).map(lambda steps: f"_key.{'.'.join(steps)}"),
    st.sampled_from(["_value.seen_at", "_meta.partition", "_key", "seen_at", ".", "a..b", " a", "a.`b`", "a. b"]),
    st.text(min_size=1, max_size=6),
).filter(bool)
EVENT_TIMES = st.tuples(
    st.fixed_dictionaries({"path": PATHS}),
    some(
        unit=st.sampled_from(["s", "ms", "us", "ns", "iso"]),
        zone=st.sampled_from(["UTC", "Europe/Berlin", "", "it's"]) | st.text(max_size=3),
    ),
).map(lambda parts: EventTimeBy.model_validate(parts[0] | parts[1]))


@st.composite
def settings_of(draw: st.DrawFn, of: QueryGraph, values: st.SearchStrategy[Any]) -> dict[str, Any]:
    """Some of the inputs of `of` with drawn `values`."""
    ids = [node.id for node in of.nodes if node.kind == "input"]
    chosen = draw(st.lists(st.sampled_from(ids), unique=True, max_size=2)) if ids else []
    return {each: draw(values) for each in chosen}
