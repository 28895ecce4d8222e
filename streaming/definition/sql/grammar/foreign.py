"""Words of other systems, each with an error message and the form to write here."""

from typing import Final, NamedTuple


class ForeignWords(NamedTuple):
    """The message and remedy for such words; `ends`: they end an expression as a clause does."""

    message: str
    remedy: str
    ends: bool = False


FOREIGN_CLAUSES: Final = {
    "ORDER BY": ForeignWords(
        "ORDER BY is not supported: results leave in order of time, and a stream never ends.",
        "Remove it. For the largest values of each window, write TOP k BY expression.",
    ),
    "SORT BY": ForeignWords(
        "SORT BY is not supported.", "Remove it. For the largest values of each window, write TOP k BY expression."
    ),
    "LIMIT": ForeignWords(
        "LIMIT is not supported: a stream never ends.",
        "Remove it. For k events of each window, write TOP k BY expression.",
        True,
    ),
    "OFFSET": ForeignWords("OFFSET is not supported: a stream has no fixed rows to count.", "Remove it.", True),
    "FETCH": ForeignWords(
        "FETCH is not supported: a stream never ends.", "Remove it. Use TOP k BY expression instead.", True
    ),
    "QUALIFY": ForeignWords(
        "QUALIFY is not supported.", "Write TOP k BY expression, or add a later step with WHERE.", True
    ),
    "CLUSTER BY": ForeignWords("CLUSTER BY is not supported: Punctual distributes rows itself.", "Remove it."),
    "DISTRIBUTE BY": ForeignWords("DISTRIBUTE BY is not supported: Punctual distributes rows itself.", "Remove it."),
    "PARTITION BY": ForeignWords(
        "PARTITION BY is not supported.",
        "Write GROUP BY, or ADVANCE TIME stream ... OVER field for one clock per value.",
    ),
    "TIMESTAMP BY": ForeignWords(
        "TIMESTAMP BY does not set the time of events.", "Write EVENTTIME BY field after the source."
    ),
    "WATERMARK": ForeignWords(
        "A watermark is a setting of an input.", "Add the statement ADVANCE TIME stream PRESET watermark(5s);"
    ),
    "LATERAL": ForeignWords("LATERAL is not supported.", "Remove it. Arrays cannot be expanded into rows.", True),
    "INTERSECT": ForeignWords(
        "INTERSECT is not supported.", "Write SEMI JOIN with the fields that both sides share.", True
    ),
    "EXCEPT": ForeignWords("EXCEPT is not supported.", "Write ANTI JOIN with the fields that both sides share.", True),
    "MINUS": ForeignWords("MINUS is not supported.", "Write ANTI JOIN with the fields that both sides share.", True),
    "WITHIN": ForeignWords(
        "WITHIN is not supported: events join while both of them live.",
        "Set their lifetime before the join: EXTEND source BY 5m or SET DURATION source TO 5m.",
    ),
    "DISCARD": ForeignWords(
        "DISCARD works only with TIMEINTERVAL, after its durations.", "Write GRACE BY 5m after WINDOW BY."
    ),
    "OVER": ForeignWords(
        "OVER is not supported in a SELECT.", "Write WINDOW BY, or ADVANCE TIME stream ... OVER field."
    ),
}
FOREIGN_STATEMENTS: Final = {
    "CREATE": ForeignWords(
        "CREATE is not supported.",
        "Create a stream on the Streams page. To name a step, write WITH name AS (...).",
    ),
    "DROP": ForeignWords("DROP is not supported.", "Remove the statement. To delete a step, remove it from the text."),
    "ALTER": ForeignWords("ALTER is not supported.", "Change the stream on its page."),
    "DELETE": ForeignWords(
        "DELETE is not supported: a query filters events.",
        "Write SELECT STREAM * FROM stream WHERE condition.",
    ),
    "UPDATE": ForeignWords(
        "UPDATE is not supported: a query computes new events.",
        "Write SELECT STREAM expression AS name FROM stream.",
    ),
    "MERGE": ForeignWords("MERGE is not supported.", "Write a JOIN, or UNION ALL."),
    "USE": ForeignWords("USE is not supported: all streams are in one list.", "Remove the statement."),
    "EXPLAIN": ForeignWords("EXPLAIN is not supported.", "Remove the word. The explanation appears next to the text."),
    "VALUES": ForeignWords("VALUES is not supported.", "Read rows from a stream: SELECT STREAM * FROM stream."),
    "JOIN": ForeignWords("A JOIN must follow FROM.", "Write SELECT STREAM * FROM a JOIN b ON a.k = b.k."),
    "FROM": ForeignWords("A query must start with SELECT.", "Write SELECT STREAM * FROM stream."),
    "WHERE": ForeignWords("A query must start with SELECT.", "Write SELECT STREAM * FROM stream WHERE condition."),
    "WATERMARK": ForeignWords(
        "A watermark is a setting of an input.", "Write ADVANCE TIME stream PRESET watermark(5s);"
    ),
    "EMIT": ForeignWords("EMIT must be at the end of a SELECT.", "Write SELECT STREAM ... EMIT FINAL."),
    "STREAM": ForeignWords(
        "STREAM must be followed by the name of a stream.", "Write STREAM cars, or SELECT STREAM * FROM cars."
    ),
}
SET: Final = ForeignWords("SET is not supported.", "Write ADVANCE TIME stream ..., or SET DURATION source TO 5m.")
FOREIGN_JOINS: Final = {
    "RIGHT": "Write LEFT JOIN and swap the sources.",
    "FULL": "Write LEFT JOIN, and UNION ALL with an ANTI JOIN of the swapped sources.",
    "CROSS": "Write JOIN without a condition.",
    "NATURAL": "Name the fields that both sides share: JOIN b USING (k).",
}
