"""The words of statements, sources, joins, operators and the clauses of SELECT."""

from typing import Final

from streaming.definition.sql.grammar.rows import (
    ArgumentKind,
    ArgumentRow,
    ClauseRow,
    JoinKind,
    JoinRow,
    KeywordRow,
    OperatorRow,
    choice,
    length,
)
from streaming.definition.sql.grammar.windows import ALIGN, WINDOWS

# Statements

SELECT: Final = KeywordRow("SELECT STREAM", "fields FROM source")
STATEMENTS: Final = (
    KeywordRow("INSERT INTO", "target SELECT STREAM ...", "The output for the results."),
    KeywordRow("WITH", "name AS (SELECT STREAM ...)", "Named steps that other statements read."),
    KeywordRow(
        "ADVANCE TIME",
        "input EVERY 100 DELAY 10s LATE DROP",
        "Sets how time advances on an input, and the policy for late events.",
    ),
    KeywordRow(
        "FUNCTION",
        "name(argument type, ...) RETURNS type AS expression",
        "A function of this query: an expression, or MODULE 'hash' EXPORT 'name' for one in WebAssembly.",
    ),
    KeywordRow("QUERY", "name", "The name of the query."),
)
TIMESTAMP: Final = choice(
    *("TIMESTAMP BY", "timestamp", "TIMESTAMP BY mode", "The lifetime of results."),
    *("lifetime", "point_at_end", "latest_input"),
)
UNION: Final = KeywordRow("UNION ALL", "SELECT STREAM ...", "All events of several queries with the same fields.")

# Sources and joins

STREAM: Final = KeywordRow("STREAM", "name", "The stream of that name, even if a step has the same name.")
NODE: Final = KeywordRow("NODE", "name", "The node of that id.")
UNIT: Final = choice(
    *("UNIT", "unit", "unit of time", "The unit or format of the time."),
    *(("s", "seconds"), ("ms", "milliseconds"), ("us", "microseconds"), ("ns", "nanoseconds")),
    *(("iso", "ISO 8601 text"), ("pattern", "text with a pattern"), ("excel", "days of a spreadsheet")),
)
PATTERN: Final = ArgumentRow(words="PATTERN", field="pattern", takes=ArgumentKind.QUOTED)
ZONE: Final = ArgumentRow(words="ZONE", field="zone", takes=ArgumentKind.QUOTED)
EVENT_TIME: Final = ClauseRow(
    "EVENTTIME BY",
    "path [UNIT ms | PATTERN 'dd.MM.yyyy HH:mm'] [ZONE 'UTC']",
    "The field with the time of a row.",
    offered=False,
    arguments=(UNIT, PATTERN, ZONE),
)
ON: Final = KeywordRow("ON", "a.k = b.k")
USING: Final = KeywordRow("USING", "(key, ...)")


def _join(words: str, text: str = "", kind: JoinKind = "join", *, outer: bool = False) -> JoinRow:
    return JoinRow(words, f"source {ON.words} {ON.form}" if text else "", text, kind, outer)


JOINS: Final = (
    _join("JOIN", "Pairs of events with equal keys while both live."),
    _join("LEFT JOIN", "Pairs, and the parts of left lifetimes without a partner.", outer=True),
    _join("LEFT ANTI JOIN", kind="anti_join"),
    _join("LEFT SEMI JOIN", kind="semi_join"),
    _join("ANTI JOIN", "The parts of left lifetimes without a match.", "anti_join"),
    _join("SEMI JOIN", "The parts of left lifetimes with a match.", "semi_join"),
    _join("ASOF JOIN", "Each event with the latest match before it.", "asof_join"),
    _join("LEFT ASOF JOIN", "Each event with the latest match before it, or with nulls.", "asof_join", outer=True),
    _join("INNER JOIN"),
    _join("LEFT OUTER JOIN", outer=True),
)
"""Of several with the same meaning, the first is printed. Those without help are other spellings and not offered."""

# Operators

_BY: Final = length("BY", "by", "The duration")
_TO: Final = (length("TO", "duration", "The duration"),)
_TO_COMPUTED: Final = ArgumentRow(words="TO", field="expression", takes=ArgumentKind.EXPRESSION)
_CLIPPED: Final = "Ends each event at the next start of a matching event of the other source."
_RESIZED: Final = "Gives every event a new length from its start."
_CHOPPED: Final = "Cuts every lifetime at regular ticks."
_STITCHED: Final = "Joins lifetimes of equal payloads that meet."
_PERIOD: Final = length("BY", "period", "The period")
_ORDERED: Final = "Releases starts and ends of edges in order of time."
OPERATORS: Final = (
    OperatorRow("CLIP", "source BY source ON key", _CLIPPED, "clip", "clip"),
    OperatorRow("SHIFT", "source BY 5m", "Moves both ends of every lifetime.", "shift", "shift", (_BY,)),
    OperatorRow("EXTEND", "source BY 5m", "Moves the end of every lifetime.", "extend", "extend", (_BY,)),
    OperatorRow("SET DURATION", "source TO 1h", _RESIZED, "set_duration", "duration", (*_TO, _TO_COMPUTED)),
    OperatorRow("POINT AT END", "source", "Replaces every event by a point at its end.", "point_at_end", "end"),
    OperatorRow("TO INTERVALS", "source", "Pairs the start and the end of each edge.", "to_intervals", "intervals"),
    OperatorRow("ORDER EDGES", "source", _ORDERED, "order_edges", "edges"),
    OperatorRow("CHOP", "source BY 10m [ALIGN 3m]", _CHOPPED, "chop", "chop", (_PERIOD,), (ALIGN,)),
    OperatorRow("STITCH", "source", _STITCHED, "stitch", "stitch"),
)

# The clauses of SELECT

GRACE: Final = length("GRACE BY", "grace", "The grace")
EMIT: Final = choice(
    *("EMIT", "emit", "EMIT mode", "Sets when rows appear."),
    ("FINAL", "One row when the window closes."),
    ("ON COMPLETE", "A row when the window is complete, and one for each change until it closes."),
    ("RUNNING", "A row for each change, at most once per micro-batch."),
)
RETRACT: Final = ArgumentRow(words="RETRACT", field="retract", takes=ArgumentKind.NOTHING)
_SKIPPED: Final = "Windows without events produce no rows."
_FILLED: Final = (
    "Empty windows between two windows with events produce rows too, if the two are no further apart than GAP."
)
EMPTY: Final = choice(
    *("EMPTY", "empty", "EMPTY mode", "Sets if windows without events produce rows."),
    *(("SKIP", _SKIPPED), ("DEFAULT", _FILLED)),
)
GAP: Final = length("GAP", "empty_gap", "The gap")
CLAUSES: Final = (
    ClauseRow("WHERE", "condition"),
    ClauseRow("WINDOW BY", " | ".join(form.example for form in WINDOWS), "Groups events by time."),
    ClauseRow(
        GRACE.words,
        "30s",
        "How long a complete window waits for late events (LATE KEEP).",
        offered=False,
        arguments=(GRACE,),
    ),
    ClauseRow("GROUP BY", "field, ...", "One row for each group of each window."),
    ClauseRow(
        "TOP",
        "k BY expression",
        "The k events with the largest value, for each group of each window; includes all ties.",
        before=("number",),
    ),
    ClauseRow("HAVING", "condition", "Keeps the rows for which the condition is true, after the aggregates."),
    ClauseRow(EMIT.words, EMIT.form, EMIT.help, before=("word",), arguments=(EMIT,)),
    ClauseRow("RETRACT", "", "Adds a deletion for each row that a later one replaces.", arguments=(RETRACT,)),
    ClauseRow(
        EMPTY.words,
        "SKIP | DEFAULT GAP 1h [GROUPS ((field => value), ...)]",
        EMPTY.help,
        before=("SKIP", "DEFAULT"),
        arguments=(EMPTY, GAP),
    ),
    EVENT_TIME,
)
WITH_WINDOWS: Final = tuple(row.first for row in CLAUSES if row.first not in ("WHERE", "WINDOW", "EVENTTIME"))
"""The first words of clauses that require WINDOW BY."""

VALUES: Final = (
    KeywordRow("FILTER", "(WHERE condition)", "Aggregates only the events for which the condition is true."),
    KeywordRow("CASE", "WHEN condition THEN value [ELSE value] END"),
    KeywordRow("CAST", "(value AS type)"),
    KeywordRow("TIMESTAMP", "'2026-01-31T12:00:00Z'"),
    KeywordRow("BETWEEN", "low AND high"),
    KeywordRow("IN", "(value, ...)"),
    KeywordRow("LIKE", "'pattern%'"),
)
"""Words of expressions."""
