"""What people write who come from other systems: for each what is wrong with it, and how it is written here."""

from typing import Final, NamedTuple


class ForeignWords(NamedTuple):
    """What a message says of the words; `ends`: they end an expression as a clause does."""

    message: str
    remedy: str
    ends: bool = False


FOREIGN_CLAUSES: Final = {
    "ORDER BY": ForeignWords(
        "Results leave in order of time, and ORDER BY has no meaning for a stream without end.",
        "Remove it; for the largest of each window write TOP k BY expression.",
    ),
    "SORT BY": ForeignWords(
        "Streams are not sorted.", "Remove it; for the largest of each window write TOP k BY expression."
    ),
    "LIMIT": ForeignWords(
        "A stream has no end, and LIMIT would wait for it.",
        "Remove it; for k events of each window write TOP k BY expression.",
        True,
    ),
    "OFFSET": ForeignWords("OFFSET counts rows, which a stream without end does not have.", "Remove it.", True),
    "FETCH": ForeignWords(
        "A stream has no end, and FETCH would wait for it.", "Remove it; write TOP k BY expression.", True
    ),
    "QUALIFY": ForeignWords(
        "QUALIFY does not exist here.", "Write TOP k BY expression, or a step with WHERE behind this one.", True
    ),
    "CLUSTER BY": ForeignWords("Nobody says where rows are computed.", "Remove it."),
    "DISTRIBUTE BY": ForeignWords("Nobody says where rows are computed.", "Remove it."),
    "PARTITION BY": ForeignWords(
        "PARTITION BY is written as GROUP BY here; for a clock for each value there is ADVANCE TIME.",
        "Write GROUP BY, or ADVANCE TIME stream ... OVER field.",
    ),
    "TIMESTAMP BY": ForeignWords(
        "The time of events is named with EVENTTIME BY.", "Write EVENTTIME BY field behind the source."
    ),
    "WATERMARK": ForeignWords(
        "Watermarks are settings of an input.", "Write ADVANCE TIME stream PRESET watermark(5s); as a statement."
    ),
    "LATERAL": ForeignWords("LATERAL does not exist here.", "Remove it; arrays stay arrays.", True),
    "INTERSECT": ForeignWords(
        "INTERSECT does not exist here.", "Write SEMI JOIN with the fields that both share.", True
    ),
    "EXCEPT": ForeignWords("EXCEPT does not exist here.", "Write ANTI JOIN with the fields that both share.", True),
    "MINUS": ForeignWords("MINUS does not exist here.", "Write ANTI JOIN with the fields that both share.", True),
    "WITHIN": ForeignWords(
        "Events are joined while both live, so WITHIN is not said in the join.",
        "Give them a lifetime before: EXTEND source BY 5m or SET DURATION source TO 5m.",
    ),
    "DISCARD": ForeignWords(
        "DISCARD belongs to TIMEINTERVAL, behind its durations.", "Write GRACE BY 5m behind WINDOW BY."
    ),
    "OVER": ForeignWords("OVER has no meaning in a SELECT.", "Write WINDOW BY, or ADVANCE TIME stream ... OVER field."),
}
FOREIGN_STATEMENTS: Final = {
    "CREATE": ForeignWords(
        "Streams and queries are not created in the text.",
        "Create streams on their page; name a step with WITH name AS (...).",
    ),
    "DROP": ForeignWords(
        "Nothing is dropped in the text.", "Remove the statement; a step goes away when it is not written."
    ),
    "ALTER": ForeignWords("Nothing is altered in the text.", "Change the stream on its page."),
    "DELETE": ForeignWords(
        "Events are not deleted; a query passes them on or not.",
        "Write SELECT STREAM * FROM stream WHERE condition.",
    ),
    "UPDATE": ForeignWords(
        "Events are not updated; a query computes new ones.",
        "Write SELECT STREAM expression AS name FROM stream.",
    ),
    "MERGE": ForeignWords("MERGE does not exist here.", "Write a JOIN, or UNION ALL."),
    "USE": ForeignWords("There is one list of streams, and nothing to choose.", "Remove the statement."),
    "EXPLAIN": ForeignWords("EXPLAIN is no statement.", "Remove the word; explanations stand beside the text."),
    "VALUES": ForeignWords("Rows are not written in the text.", "Write SELECT STREAM * FROM stream."),
    "JOIN": ForeignWords("A join stands behind FROM.", "Write SELECT STREAM * FROM a JOIN b ON a.k = b.k."),
    "FROM": ForeignWords("A query begins with SELECT.", "Write SELECT STREAM * FROM stream."),
    "WHERE": ForeignWords("A query begins with SELECT.", "Write SELECT STREAM * FROM stream WHERE condition."),
    "WATERMARK": ForeignWords(
        "Watermarks are settings of an input.", "Write ADVANCE TIME stream PRESET watermark(5s);"
    ),
    "EMIT": ForeignWords("EMIT stands at the end of a SELECT.", "Write SELECT STREAM ... EMIT FINAL."),
    "STREAM": ForeignWords(
        "STREAM is followed by the name of a stream.", "Write STREAM cars, or SELECT STREAM * FROM cars."
    ),
}
SET: Final = ForeignWords(
    "Settings are not set in the text.", "Write ADVANCE TIME stream ..., or SET DURATION source TO 5m."
)
FOREIGN_JOINS: Final = {
    "RIGHT": "Write LEFT JOIN, with the sources the other way round.",
    "FULL": "Write LEFT JOIN, and UNION ALL with what an ANTI JOIN the other way round gives.",
    "CROSS": "Write JOIN without a condition.",
    "NATURAL": "Name the fields that both share: JOIN b USING (k).",
}
