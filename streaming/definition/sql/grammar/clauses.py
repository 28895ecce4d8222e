"""The words of statements, sources, joins, operators and the clauses of SELECT."""

from typing import Final

from streaming.definition.sql.grammar.rows import ArgumentRow, ClauseRow, JoinRow, KeywordRow, OperatorRow, Takes
from streaming.definition.tokens import TokenKind

SELECT: Final = KeywordRow("SELECT STREAM", "SELECT STREAM fields FROM source")
STATEMENTS: Final = (
    KeywordRow("INSERT INTO", "INSERT INTO target SELECT STREAM ...", "Where the results go."),
    KeywordRow("WITH", "WITH name AS (SELECT STREAM ...)", "Steps with names, that others read."),
    KeywordRow(
        "ADVANCE TIME",
        "ADVANCE TIME input EVERY 100 DELAY 10s LATE DROP",
        "How time advances on an input, and what becomes of late events.",
    ),
    KeywordRow("QUERY", "QUERY name", "The name of the query."),
)
TIMESTAMP: Final = ArgumentRow(
    words="TIMESTAMP BY",
    help="The lifetime with which results leave.",
    field="timestamp",
    takes=Takes.CHOICE,
    what="way to time results",
    choices=(KeywordRow("lifetime"), KeywordRow("point_at_end"), KeywordRow("latest_input")),
)

STREAM: Final = KeywordRow("STREAM", "STREAM name", "The stream of that name, even if a step has it too.")
NODE: Final = KeywordRow("NODE", "NODE name", "The node of that id.")
UNIT: Final = ArgumentRow(
    words="UNIT",
    field="unit",
    takes=Takes.CHOICE,
    choices=(
        KeywordRow("s", "seconds"),
        KeywordRow("ms", "milliseconds"),
        KeywordRow("us", "microseconds"),
        KeywordRow("ns", "nanoseconds"),
        KeywordRow("iso", "ISO 8601 text"),
    ),
)
ZONE: Final = ArgumentRow(words="ZONE", field="zone", takes=Takes.QUOTED)
EVENT_TIME: Final = ClauseRow(
    "EVENTTIME BY",
    "EVENTTIME BY path [UNIT ms] [ZONE 'UTC']",
    "Where the time of a row stands.",
    of_windows=False,
    offered=False,
    arguments=(UNIT, ZONE),
)

JOINS: Final = (
    JoinRow("JOIN", "JOIN source ON a.k = b.k", "Pairs of events with equal keys while both live."),
    JoinRow(
        "LEFT JOIN",
        "LEFT JOIN source ON a.k = b.k",
        "Pairs, and the parts of left lifetimes without a partner.",
        outer=True,
    ),
    JoinRow("LEFT ANTI JOIN", kind="anti_join"),
    JoinRow("LEFT SEMI JOIN", kind="semi_join"),
    JoinRow("ANTI JOIN", "ANTI JOIN source ON a.k = b.k", "The parts of left lifetimes without a match.", "anti_join"),
    JoinRow("SEMI JOIN", "SEMI JOIN source ON a.k = b.k", "The parts of left lifetimes with a match.", "semi_join"),
    JoinRow("ASOF JOIN", "ASOF JOIN source ON a.k = b.k", "Each event with the latest match before it.", "asof_join"),
    JoinRow(
        "LEFT ASOF JOIN",
        "LEFT ASOF JOIN source ON a.k = b.k",
        "Each event with the latest match before it, or with nulls.",
        "asof_join",
        outer=True,
    ),
    JoinRow("INNER JOIN"),
    JoinRow("LEFT OUTER JOIN", outer=True),
)
ON: Final = KeywordRow("ON", "ON a.k = b.k")
USING: Final = KeywordRow("USING", "USING (key, ...)")
UNION: Final = KeywordRow(
    "UNION ALL", "UNION ALL SELECT STREAM ...", "All events of several queries with the same fields."
)

_BY: Final = ArgumentRow(words="BY", field="by", what="The duration")
OPERATORS: Final = (
    OperatorRow(
        "CLIP",
        "CLIP source BY source ON key",
        "Ends each event at the next start of a matching event of the other.",
        "clip",
        "clip",
    ),
    OperatorRow("SHIFT", "SHIFT source BY 5m", "Moves both ends of every lifetime.", "shift", "shift", (_BY,)),
    OperatorRow("EXTEND", "EXTEND source BY 5m", "Moves the end of every lifetime.", "extend", "extend", (_BY,)),
    OperatorRow(
        "SET DURATION",
        "SET DURATION source TO 1h",
        "Gives every event a new length from its start.",
        "set_duration",
        "duration",
        (
            ArgumentRow(words="TO", field="duration", what="The duration"),
            ArgumentRow(words="TO", field="expression", takes=Takes.EXPRESSION),
        ),
    ),
    OperatorRow(
        "POINT AT END", "POINT AT END source", "Replaces every event by a point at its end.", "point_at_end", "end"
    ),
    OperatorRow(
        "TO INTERVALS", "TO INTERVALS source", "Pairs the start and the end of each edge.", "to_intervals", "intervals"
    ),
    OperatorRow(
        "ORDER EDGES",
        "ORDER EDGES source",
        "Releases starts and ends of edges in order of time.",
        "order_edges",
        "edges",
    ),
)

EMIT: Final = ArgumentRow(
    words="EMIT",
    field="emit",
    takes=Takes.CHOICE,
    what="way to emit rows",
    choices=(
        KeywordRow("FINAL", help="One row when the window closes."),
        KeywordRow("ON COMPLETE", help="A row when the window is complete, and one for each change until it closes."),
        KeywordRow("RUNNING", help="A row for each change, once a micro-batch at most."),
    ),
)
RETRACT: Final = ArgumentRow(words="RETRACT", field="retract", takes=Takes.NOTHING)
_EMPTY_FORM: Final = "DEFAULT GAP 1h [GROUPS ((field => value), ...)]"
EMPTY: Final = ArgumentRow(
    words="EMPTY",
    field="empty",
    takes=Takes.CHOICE,
    what="way to treat empty windows",
    choices=(KeywordRow("SKIP"), KeywordRow("DEFAULT", _EMPTY_FORM)),
)
GAP: Final = ArgumentRow(words="GAP", field="empty_gap", what="The gap")
GRACE: Final = ArgumentRow(words="GRACE BY", field="grace", what="The grace")
CLAUSES: Final = (
    ClauseRow("WHERE", "WHERE condition", of_windows=False),
    ClauseRow(
        "WINDOW BY",
        "WINDOW BY HOP 5m,1m | TUMBLE 5m | SESSION 30s | SNAPSHOT | COUNT 10 | TIMEINTERVAL 5m,1m",
        "Groups events by time.",
        of_windows=False,
    ),
    ClauseRow(
        "GRACE BY",
        "GRACE BY 30s",
        "How long a complete window waits for late events that are kept.",
        offered=False,
        arguments=(GRACE,),
    ),
    ClauseRow("GROUP BY", "GROUP BY field, ...", "One row for each group of each window."),
    ClauseRow(
        "TOP",
        "TOP k BY expression",
        "The k events of each group of each window with the largest value; ties all count.",
        (TokenKind.NUMBER,),
    ),
    ClauseRow("HAVING", "HAVING condition", "Keeps the rows for which it is true, after the aggregates."),
    ClauseRow(
        "EMIT",
        "EMIT FINAL | ON COMPLETE | RUNNING",
        "When rows appear.",
        (TokenKind.WORD,),
        arguments=(EMIT,),
    ),
    ClauseRow("RETRACT", help="Takes back each row that a later one replaces.", arguments=(RETRACT,)),
    ClauseRow(
        "EMPTY",
        f"EMPTY SKIP | {_EMPTY_FORM}",
        "Whether windows without events give rows.",
        ("SKIP", "DEFAULT"),
        arguments=(EMPTY, GAP),
    ),
    EVENT_TIME,
)
VALUES: Final = (
    KeywordRow("FILTER", "FILTER (WHERE condition)", "Only the events for which it is true count."),
    KeywordRow("CASE", "CASE WHEN condition THEN value [ELSE value] END"),
    KeywordRow("CAST", "CAST(value AS type)"),
    KeywordRow("TIMESTAMP", "TIMESTAMP '2026-01-31T12:00:00Z'"),
    KeywordRow("BETWEEN", "BETWEEN low AND high"),
    KeywordRow("IN", "IN (value, ...)"),
    KeywordRow("LIKE", "LIKE 'pattern%'"),
)
"""Words of expressions."""
