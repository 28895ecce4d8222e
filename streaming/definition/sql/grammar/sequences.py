"""The words of MATCH_RECOGNIZE."""

from typing import Final

from streaming.definition.sql.grammar.rows import ArgumentKind, ArgumentRow, KeywordRow, choice, length

MATCH: Final = KeywordRow(
    "MATCH_RECOGNIZE",
    "(PARTITION BY field MEASURES A.x AS x PATTERN (A B+) WITHIN 1h DEFINE A AS condition)",
    "Searches the rows of each group, in order, for a pattern.",
)
PARTITION: Final = KeywordRow("PARTITION BY", "field, ...", "One search for each group.")
ORDER: Final = KeywordRow("ORDER BY", "EVENTTIME, expression [DESC], ...", "The order of rows with equal starts.")
MEASURES: Final = KeywordRow("MEASURES", "expression AS name, ...", "The fields of each match.")
PER_MATCH: Final = (
    KeywordRow("ONE ROW PER MATCH", help="One row for each match."),
    KeywordRow("ALL ROWS PER MATCH", help="All rows of each match, and empty matches."),
    KeywordRow("ALL ROWS PER MATCH OMIT EMPTY MATCHES", help="All rows of each match."),
    KeywordRow("ALL ROWS PER MATCH WITH UNMATCHED ROWS", help="All rows, matched or not."),
    KeywordRow("ALL ROWS PER MATCH SHOW EMPTY MATCHES"),
)
"""Of several with the same meaning, the first is printed."""
AFTER_MATCH: Final = (
    KeywordRow("AFTER MATCH SKIP PAST LAST ROW", help="Continue after the match."),
    KeywordRow("AFTER MATCH SKIP TO NEXT ROW", help="Continue at the row after the first."),
    KeywordRow("AFTER MATCH SKIP TO FIRST", "variable", "Continue at the first row of the variable."),
    KeywordRow("AFTER MATCH SKIP TO LAST", "variable", "Continue at the last row of the variable."),
)
PATTERN_OF: Final = KeywordRow("PATTERN", "(A B+? (C | D){2,4} ABSENT E FOR 15m)", "The variables, in order.")
WITHIN: Final = length("WITHIN", "within", "The duration after WITHIN", text="A match is shorter than that.")
REACH: Final = length("REACH", "reach", "The duration after REACH", text="How far PREV and NEXT see.")
SUBSET: Final = KeywordRow("SUBSET", "name = (variable, ...), ...", "Names for several variables.")
DEFINE: Final = KeywordRow("DEFINE", "variable AS condition, ...", "The rows that a variable takes.")
GRACE_OF_ROWS: Final = length("GRACE BY", "grace", "The grace")
LIFETIME: Final = KeywordRow("LIFETIME SPAN", help="A match lives from its first row to its last.")
EMIT_MATCHES: Final = choice(
    *("EMIT", "emit", "EMIT mode", "Sets when rows appear."),
    ("FINAL", "When no later row can change them."),
    ("RUNNING", "At the end of each micro-batch; rows that no longer hold are retracted."),
)
MOST_ROWS: Final = ArgumentRow(
    words="MAX ROWS", field="max_rows", takes=ArgumentKind.WHOLE, what="The number after MAX ROWS"
)
MATCH_ROWS: Final = (
    *(PARTITION, ORDER, MEASURES, *PER_MATCH[:1], PER_MATCH[1], PER_MATCH[2], PER_MATCH[3], *AFTER_MATCH),
    *(PATTERN_OF, WITHIN, REACH, SUBSET, DEFINE, GRACE_OF_ROWS, LIFETIME, EMIT_MATCHES, MOST_ROWS),
)
"""Its clauses, in the order in which they are printed."""
MATCH_WORDS: Final = tuple(dict.fromkeys(row.first for row in MATCH_ROWS))
"""The first words of its clauses."""
