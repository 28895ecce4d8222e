"""Drawn names, expressions, durations and other values of nodes, mostly those that are hard to print."""

from typing import Any

from hypothesis import strategies as st

PLAIN = ["cars", "owners", "fast", "out", "a", "b", "plate", "speed", "n", "per_plate"]
AWKWARD = [
    *("from", "select", "SELECT", "where", "stream", "node", "union", "all", "as", "by", "with", "insert", "into"),
    *(
        "function",
        "returns",
        "window",
        "group",
        "emit",
        "final",
        "query",
        "top",
        "having",
        "on",
        "using",
        "join",
        "left",
        "not",
        "null",
    ),
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
    """Draw any of the optional `fields`, and leave out the others."""
    return st.fixed_dictionaries({}, optional=fields)
