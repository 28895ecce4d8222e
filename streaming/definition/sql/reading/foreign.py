"""What people write who come from other systems, each with a sentence that says how it is written here."""

from typing import Final

from streaming.definition.sql.reading.reader import Reader
from streaming.definition.sql.reading.words import clause_at

_CLAUSES: Final[dict[tuple[str, ...], tuple[str, str]]] = {
    ("ORDER", "BY"): (
        "Results leave in order of time, and ORDER BY has no meaning for a stream without end.",
        "Remove it; for the largest of each window write TOP k BY expression.",
    ),
    ("SORT", "BY"): ("Streams are not sorted.", "Remove it; for the largest of each window write TOP k BY expression."),
    ("LIMIT",): (
        "A stream has no end, and LIMIT would wait for it.",
        "Remove it; for k events of each window write TOP k BY expression.",
    ),
    ("OFFSET",): ("OFFSET counts rows, which a stream without end does not have.", "Remove it."),
    ("FETCH",): ("A stream has no end, and FETCH would wait for it.", "Remove it; write TOP k BY expression."),
    ("QUALIFY",): ("QUALIFY does not exist here.", "Write TOP k BY expression, or a step with WHERE behind this one."),
    ("CLUSTER", "BY"): ("Nobody says where rows are computed.", "Remove it."),
    ("DISTRIBUTE", "BY"): ("Nobody says where rows are computed.", "Remove it."),
    ("PARTITION", "BY"): (
        "PARTITION BY is written as GROUP BY here; for a clock for each value there is ADVANCE TIME.",
        "Write GROUP BY, or ADVANCE TIME stream ... OVER field.",
    ),
    ("TIMESTAMP", "BY"): (
        "The time of events is named with EVENTTIME BY.",
        "Write EVENTTIME BY field behind the source.",
    ),
    ("WATERMARK",): (
        "Watermarks are settings of an input.",
        "Write ADVANCE TIME stream PRESET watermark(5s); as a statement.",
    ),
    ("LATERAL",): ("LATERAL does not exist here.", "Remove it; arrays stay arrays."),
    ("INTERSECT",): ("INTERSECT does not exist here.", "Write SEMI JOIN with the fields that both share."),
    ("EXCEPT",): ("EXCEPT does not exist here.", "Write ANTI JOIN with the fields that both share."),
    ("MINUS",): ("MINUS does not exist here.", "Write ANTI JOIN with the fields that both share."),
    ("WITHIN",): (
        "Events are joined while both live, so WITHIN is not said in the join.",
        "Give them a lifetime before: EXTEND source BY 5m or SET DURATION source TO 5m.",
    ),
    ("DISCARD",): ("DISCARD belongs to TIMEINTERVAL, behind its durations.", "Write GRACE BY 5m behind WINDOW BY."),
    ("OVER",): ("OVER has no meaning in a SELECT.", "Write WINDOW BY, or ADVANCE TIME stream ... OVER field."),
}

_FIRST_WORDS: Final = frozenset(words[0] for words in _CLAUSES)


def refuse_clause(reader: Reader) -> bool:
    """Take a clause of another dialect with its fault, if one stands here."""
    if reader.word() not in _FIRST_WORDS:
        return False
    for words, (message, remedy) in _CLAUSES.items():
        if not reader.next_are(*words):
            continue
        first = reader.at
        reader.at += len(words)
        skip_clause(reader)
        reader.problem(reader.since(first), message, remedy)
        return True
    return False


def skip_clause(reader: Reader) -> None:
    """Go on to the next clause, behind what stands in parentheses."""
    while reader.at < reader.end and reader.word() != ")" and not clause_at(reader.tokens, reader.at):
        inner = reader.partners.get(reader.at, reader.end)
        reader.at = inner + 1 if inner < reader.end else reader.at + 1


_STATEMENTS: Final[dict[str, tuple[str, str]]] = {
    "CREATE": (
        "Streams and queries are not created in the text.",
        "Create streams on their page; name a step with WITH name AS (...).",
    ),
    "DROP": ("Nothing is dropped in the text.", "Remove the statement; a step goes away when it is not written."),
    "ALTER": ("Nothing is altered in the text.", "Change the stream on its page."),
    "DELETE": (
        "Events are not deleted; a query passes them on or not.",
        "Write SELECT STREAM * FROM stream WHERE condition.",
    ),
    "UPDATE": (
        "Events are not updated; a query computes new ones.",
        "Write SELECT STREAM expression AS name FROM stream.",
    ),
    "MERGE": ("MERGE does not exist here.", "Write a JOIN, or UNION ALL."),
    "USE": ("There is one list of streams, and nothing to choose.", "Remove the statement."),
    "EXPLAIN": ("EXPLAIN is no statement.", "Remove the word; explanations stand beside the text."),
    "VALUES": ("Rows are not written in the text.", "Write SELECT STREAM * FROM stream."),
    "JOIN": ("A join stands behind FROM.", "Write SELECT STREAM * FROM a JOIN b ON a.k = b.k."),
    "FROM": ("A query begins with SELECT.", "Write SELECT STREAM * FROM stream."),
    "WHERE": ("A query begins with SELECT.", "Write SELECT STREAM * FROM stream WHERE condition."),
    "WATERMARK": ("Watermarks are settings of an input.", "Write ADVANCE TIME stream PRESET watermark(5s);"),
    "EMIT": ("EMIT stands at the end of a SELECT.", "Write SELECT STREAM ... EMIT FINAL."),
    "STREAM": ("STREAM is followed by the name of a stream.", "Write STREAM cars, or SELECT STREAM * FROM cars."),
}


def refuse_statement(reader: Reader) -> bool:
    """Take a statement of another dialect with its fault, if one stands here."""
    found = _STATEMENTS.get(reader.word())
    if reader.word() == "SET" and not reader.next_are("SET", "DURATION"):
        found = ("Settings are not set in the text.", "Write ADVANCE TIME stream ..., or SET DURATION source TO 5m.")
    if found is None:
        return False
    extent = reader.here()
    reader.at = reader.end
    reader.problem(extent, *found)
    return True


def refuse_comment(reader: Reader) -> bool:
    """Take a comment of another language with its fault, up to the end of its line, if one stands here."""
    if not reader.next_are("/", "/") and reader.word() != "#":
        return False
    first = reader.at
    line_end = reader.text.find("\n", reader.here()[0])
    while reader.at < reader.end and (line_end < 0 or reader.peek().start < line_end):
        reader.take()
    remedy = "Begin them with --, or write /* ... */."
    reader.problem(reader.since(first), "Comments are written in another way here.", remedy)
    return True
