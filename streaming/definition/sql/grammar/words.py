"""Keywords, and the places at which they start a clause, derived from the tables."""

import difflib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from streaming.definition.sql.grammar.clauses import (
    CLAUSES,
    JOINS,
    NODE,
    ON,
    OPERATORS,
    SELECT,
    STATEMENTS,
    STREAM,
    TIMESTAMP,
    UNION,
    USING,
    VALUES,
)
from streaming.definition.sql.grammar.foreign import FOREIGN_CLAUSES, FOREIGN_JOINS
from streaming.definition.sql.grammar.rows import ArgumentRow, ClauseRow, KeywordRow, OperatorRow, WindowRow
from streaming.definition.sql.grammar.sequences import MATCH, MATCH_ROWS
from streaming.definition.sql.grammar.settings import SETTINGS
from streaming.definition.sql.grammar.windows import WINDOWS
from streaming.definition.tokens import RESERVED, SqlToken, TokenKind


def _firsts(rows: Iterable[KeywordRow]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.first for row in rows))


def _within(rows: Iterable[KeywordRow]) -> Iterable[str]:
    """Yield all words of rows, of their arguments and their choices; words in lower case are values and left out."""
    for row in rows:
        yield from (word for word in row.words.split() if word.isupper())
        if isinstance(row, ArgumentRow):
            yield from _within(row.choices)
        if isinstance(row, ClauseRow | OperatorRow | WindowRow):
            yield from _within(row.arguments)
        if isinstance(row, WindowRow):
            yield from _within(row.options)


BY_CLAUSE: Final = {row.first: row for row in CLAUSES}
"""The clauses of SELECT by their first words."""
CLAUSE_WORDS: Final = ("FROM", *BY_CLAUSE)
JOINING_WORDS: Final = (*_firsts(JOINS), "UNION", "USING")
STATEMENT_WORDS: Final = _firsts((*STATEMENTS, SELECT))
OPERATOR_WORDS: Final = (*_firsts(OPERATORS), "STREAM")
SETTING_WORDS: Final = _firsts(SETTINGS)
_ALWAYS: Final = frozenset({"SELECT", "FROM", "WHERE", "HAVING", "JOIN", "ON", "USING", "AS", "UNION"})
"""Words that end an expression anywhere."""
_FOREIGN_BY: Final = frozenset(words.split()[0] for words in FOREIGN_CLAUSES if words.endswith(" BY"))
_SOFT: Final = frozenset({"RETRACT", "INTO"}) | {
    words for words, (*_, ends) in FOREIGN_CLAUSES.items() if ends and not words.endswith(" BY")
}
"""Words that end an expression where an operator is possible, but are names where a value is expected."""
_JOIN_WORDS: Final = frozenset({*_within(JOINS), *FOREIGN_JOINS})
_PARTS: Final = frozenset({"K", "FRACTION", "GROUPS", "ON_COMPLETE", "COMPLETE", "RETURNS"})
"""Words that are keywords only in the middle of a clause, in addition to those of arguments."""
_ROWS: Final = (
    *(SELECT, TIMESTAMP, STREAM, NODE, ON, USING, UNION),
    *(*STATEMENTS, *JOINS, *OPERATORS, *CLAUSES, *WINDOWS, *SETTINGS, *VALUES, MATCH, *MATCH_ROWS),
)
_RESERVED: Final = frozenset(word.upper() for word in RESERVED)
KEYWORDS: Final = (
    frozenset(_within(_ROWS)) | _ALWAYS | _FOREIGN_BY | _SOFT | _JOIN_WORDS | _PARTS | _RESERVED | {"EXPRESSION"}
)
"""Every keyword, in upper case. A name in backticks is never a keyword."""
IN_BACKTICKS: Final = (
    frozenset(_firsts((*STATEMENTS, SELECT, *OPERATORS, *CLAUSES, NODE, STREAM)))
    | _ALWAYS
    | _FOREIGN_BY
    | _SOFT
    | _JOIN_WORDS
    | _RESERVED
    | {"BY", "TO", "ALL", "EXPRESSION", MATCH.words}
)
"""The keywords, in upper case, that are not read as names where a name is possible; all others are."""
BEFORE_SOURCE: Final = frozenset({"FROM", "JOIN", *(form.words.split()[-1] for form in OPERATORS)}) - {"END"}
"""Words followed by a source; without END, which more often belongs to CASE."""
BY_WORDS: Final = {row.words: row for row in (*VALUES, *WINDOWS, *SETTINGS, *_ROWS)}
_CONNECT: Final = frozenset(
    "AND OR NOT IN IS LIKE BETWEEN CASE WHEN THEN ELSE ESCAPE DIV RLIKE ILIKE REGEXP".split()  # noqa: SIM905
)
_TIGHT: Final = _CONNECT | {"END", "NULL"}


def expects_value(word: str) -> bool:
    """Return whether a value must follow this word of an expression."""
    return word in _CONNECT


def joins(tokens: Sequence[SqlToken], at: int) -> bool:
    """Return whether the words from `at` on are those of a join, such as LEFT OUTER JOIN."""
    for token in tokens[at : at + 4]:
        if token.word == "JOIN":
            return True
        if token.word not in _JOIN_WORDS:
            return False
    return False


def clause_at(tokens: Sequence[SqlToken], at: int, *, value_expected: bool = False) -> str:
    """Return the word that starts a clause at `at`, else empty; with `value_expected` only if it cannot be a name."""
    token = tokens[at]
    word = token.word
    if token.kind is not TokenKind.WORD:
        return ""
    following = tokens[at + 1] if at + 1 < len(tokens) else token
    if word in _ALWAYS or _begins(word, following) or (word in _JOIN_WORDS and joins(tokens, at)):
        return word
    return (
        word if not value_expected and (word in _SOFT or (word == "EMPTY" and following.kind is TokenKind.WORD)) else ""
    )


def _begins(word: str, following: SqlToken) -> bool:
    """Return whether `word` starts a clause, judged by the next token."""
    if word in _FOREIGN_BY:
        return following.word == "BY"
    if word in ("INSERT", "ADVANCE"):
        return following.word == ("INTO" if word == "INSERT" else "TIME")
    row = BY_CLAUSE.get(word)
    if row is None:
        return False
    _, _, second = row.words.partition(" ")
    if second:
        return following.word == second
    return following.word in row.before or following.kind.name.lower() in row.before


def misspelt_clause(tokens: Sequence[SqlToken], at: int) -> bool:
    """Return whether the word at `at`, where an operator is expected, is a misspelt start of a clause."""
    token = tokens[at]
    if token.kind is not TokenKind.WORD or token.word in _TIGHT:
        return False
    following = tokens[at + 1].word if at + 1 < len(tokens) else ""
    if following in (".", "("):
        return False
    return following == "BY" or near(token.word, (*CLAUSE_WORDS, *JOINING_WORDS)) is not None


@lru_cache(maxsize=4096)
def near(word: str, known: tuple[str, ...]) -> str | None:
    """Return the `known` word that is most similar to a misspelt one; None if none is similar."""
    matches = difflib.get_close_matches(word[:80].upper(), known, n=1, cutoff=0.7)
    return matches[0] if matches else None
