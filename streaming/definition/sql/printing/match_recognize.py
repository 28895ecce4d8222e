"""MATCH_RECOGNIZE as text, its clauses in the order of the grammar."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from streaming.definition.sequences.node import MatchRecognizeNode, SkipToFirst, SkipToLast
from streaming.definition.sequences.pattern_text import PatternTextError, parse_pattern
from streaming.definition.sql.grammar.sequences import EMIT_MATCHES, GRACE_OF_ROWS, MOST_ROWS, REACH, WITHIN
from streaming.definition.sql.printing.arguments import print_arguments
from streaming.definition.sql.printing.expressions import is_whole
from streaming.definition.sql.printing.words import name, names, quoted
from streaming.definition.sql.reading.match_recognize import STOPS
from streaming.definition.sql.reading.reader import Reader
from streaming.definition.sql.reading.slices import cut, take_expression
from streaming.definition.tokens import lex

_ROWS: Final = {
    "all": "ALL ROWS PER MATCH",
    "all_omit_empty": "ALL ROWS PER MATCH OMIT EMPTY MATCHES",
    "all_with_unmatched": "ALL ROWS PER MATCH WITH UNMATCHED ROWS",
}


def match_clauses(node: MatchRecognizeNode) -> Iterator[str]:
    """Yield the clauses of `node`, in the order of the grammar."""
    if node.group_by:
        yield f"PARTITION BY {names(node.group_by)}"
    if node.order_by:
        orders = (f"{_expression(each.of)}{' DESC' if each.descending else ''}" for each in node.order_by)
        yield f"ORDER BY EVENTTIME, {', '.join(orders)}"
    if node.measures:
        yield "MEASURES " + ", ".join(f"{_expression(each.of)} AS {name(each.name)}" for each in node.measures)
    if node.rows != "one":
        yield _ROWS[node.rows]
    if after := _after_match(node):
        yield f"AFTER MATCH SKIP {after}"
    yield f"PATTERN {_pattern(node.pattern)}"
    yield from print_arguments(node, (WITHIN, REACH))
    if node.subsets:
        yield "SUBSET " + ", ".join(f"{name(each.name)} = ({names(each.of)})" for each in node.subsets)
    if node.define:
        yield "DEFINE " + ", ".join(f"{name(each.name)} AS {_expression(each.of)}" for each in node.define)
    yield from print_arguments(node, (GRACE_OF_ROWS,))
    if node.lifetime == "span":
        yield "LIFETIME SPAN"
    yield from print_arguments(node, (EMIT_MATCHES, MOST_ROWS))


def _after_match(node: MatchRecognizeNode) -> str:
    match node.after_match:
        case SkipToFirst(first=variable):
            return f"TO FIRST {name(variable)}"
        case SkipToLast(last=variable):
            return f"TO LAST {name(variable)}"
        case "next_row":
            return "TO NEXT ROW"
        case _:
            return ""


def _pattern(text: str) -> str:
    """Return the pattern in parentheses, quoted if it cannot be read as a part of a text."""
    try:
        parse_pattern(text)
    except PatternTextError:
        return quoted(text)
    return quoted(text) if "--" in text or "/*" in text else f"({text})"


@lru_cache(maxsize=4096)
def _expression(text: str) -> str:
    """Return the expression unchanged if the reader cuts it out there, else as `EXPRESSION '...'`."""
    return text if is_whole(text) and _round_trips(text) else f"EXPRESSION {quoted(text)}"


def _round_trips(text: str) -> bool:
    reader = Reader(lex(text + " ;"))
    reader.end -= 1
    part = take_expression(reader, STOPS)
    last = reader.tokens[part.last - 1].word if part else ""
    return bool(part) and cut(reader, part).text == text and not reader.problems and last not in ("ASC", "DESC")
