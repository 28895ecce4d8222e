"""The words of the language, and which of them begin a clause where."""

import difflib
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from streaming.definition.tokens import SqlToken, TokenKind

BY_CLAUSES: Final = frozenset({"WINDOW", "GROUP", "GRACE", "EVENTTIME"})
"""Words that begin a clause with BY behind them."""
FOREIGN_BY: Final = frozenset({"ORDER", "PARTITION", "SORT", "CLUSTER", "DISTRIBUTE", "TIMESTAMP"})
"""The same of other dialects."""
_ALWAYS: Final = frozenset({"SELECT", "FROM", "WHERE", "HAVING", "JOIN", "ON", "USING", "AS", "UNION"})
"""Words that end an expression wherever they stand in it."""
_SOFT: Final = frozenset(
    {"RETRACT", "INTO", "LIMIT", "OFFSET", "FETCH", "QUALIFY", "INTERSECT", "EXCEPT", "MINUS", "LATERAL"}
)
"""Words that end an expression where an operator could stand, and are names where a value is due."""
_JOIN_WORDS: Final = frozenset(
    {"INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS", "NATURAL", "ANTI", "SEMI", "ASOF", "JOIN"}
)
CLAUSES: Final = ("FROM", "WHERE", "WINDOW", "GROUP", "HAVING", "EVENTTIME", "EMIT", "EMPTY", "RETRACT", "GRACE", "TOP")
JOINING: Final = ("JOIN", "INNER", "LEFT", "ANTI", "SEMI", "ASOF", "UNION", "USING")
STATEMENTS: Final = ("QUERY", "WITH", "INSERT", "SELECT", "ADVANCE")
OPERATORS: Final = ("CLIP", "SHIFT", "EXTEND", "SET", "POINT", "TO", "ORDER", "STREAM")
WINDOWS: Final = ("HOP", "TUMBLE", "SESSION", "SNAPSHOT", "COUNT", "TIMEINTERVAL")
SETTINGS: Final = (*("PRESET", "EVERY", "DELAY", "BASIS", "FINAL", "IMPORT", "LATE", "OVER", "IDLE", "MAX", "FUTURE"),)
"""What begins a setting of ADVANCE TIME."""
_OTHERS: Final = frozenset(
    [
        "BY",
        "INTO",
        "TIME",
        "NODE",
        "ALL",
        "INTERVALS",
        "EDGES",
        "END",
        "AT",
        "DURATION",
        "SKIP",
        "DEFAULT",
        "GAP",
        "GROUPS",
        "COMPLETE",
        "ON_COMPLETE",
        "RUNNING",
        "UNIT",
        "ZONE",
        "ALIGN",
        "DISCARD",
        "K",
        "FRACTION",
        "FILTER",
        "EXPRESSION",
        "LIFETIME",
        "POINT_AT_END",
        "LATEST_INPUT",
        "AFTER",
        "AHEAD",
        "DROP",
        "ADJUST",
        "KEEP",
        "LAST",
        "LEAVE_OPEN",
        "CLOSE_AT_CTI",
        "LEAVE_OUT",
        "ACCEPT",
        "HOLD",
        "DISTINCT",
        "AND",
        "OR",
        "NOT",
        "IN",
        "IS",
        "NULL",
        "LIKE",
        "BETWEEN",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
        "TRUE",
        "FALSE",
        "CAST",
        "ESCAPE",
    ]
)
KEYWORDS: Final = (
    frozenset((*CLAUSES, *JOINING, *STATEMENTS, *OPERATORS, *WINDOWS, *SETTINGS))
    | BY_CLAUSES
    | FOREIGN_BY
    | _ALWAYS
    | _SOFT
    | _JOIN_WORDS
    | _OTHERS
)
"""Every word that means something somewhere, in upper case. A name in backticks is never one of them."""
_CONNECT: Final = frozenset(
    [
        "AND",
        "OR",
        "NOT",
        "IN",
        "IS",
        "LIKE",
        "BETWEEN",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
        "ESCAPE",
        "DIV",
        "RLIKE",
        "ILIKE",
        "REGEXP",
    ]
)
_TIGHT: Final = _CONNECT | {"END", "NULL"}


def expects_value(word: str) -> bool:
    """Whether a value is due behind this word of an expression."""
    return word in _CONNECT


def joins(tokens: Sequence[SqlToken], at: int) -> bool:
    """Whether the words from `at` on are those of a join, such as LEFT OUTER JOIN."""
    for token in tokens[at : at + 4]:
        if token.word == "JOIN":
            return True
        if token.word not in _JOIN_WORDS:
            return False
    return False


def clause_at(tokens: Sequence[SqlToken], at: int, *, value_due: bool = False) -> str:
    """The word that begins a clause at `at`, else empty; with `value_due` only where it can be nothing else."""
    token = tokens[at]
    word = token.word
    if token.kind is not TokenKind.WORD:
        return ""
    following = tokens[at + 1] if at + 1 < len(tokens) else token
    if word in _ALWAYS or _two_words(word, following, tokens, at):
        return word
    return word if not value_due and (word in _SOFT or (word == "EMPTY" and following.kind is TokenKind.WORD)) else ""


def _two_words(word: str, following: SqlToken, tokens: Sequence[SqlToken], at: int) -> bool:
    """Whether `word` begins a clause because of what stands behind it."""
    if word in BY_CLAUSES or word in FOREIGN_BY:
        return following.word == "BY"
    if word == "TOP":
        return following.kind is TokenKind.NUMBER
    if word == "EMIT":
        return following.kind is TokenKind.WORD
    if word == "EMPTY":
        return following.word in ("SKIP", "DEFAULT")
    if word in ("INSERT", "ADVANCE"):
        return following.word == ("INTO" if word == "INSERT" else "TIME")
    return word in _JOIN_WORDS and joins(tokens, at)


def misspelt_clause(tokens: Sequence[SqlToken], at: int) -> bool:
    """Whether the word at `at`, which stands where an operator is due, is meant to begin a clause."""
    token = tokens[at]
    if token.kind is not TokenKind.WORD or token.word in _TIGHT:
        return False
    following = tokens[at + 1].word if at + 1 < len(tokens) else ""
    if following in (".", "("):
        return False
    return following == "BY" or near(token.word, (*CLAUSES, *JOINING)) is not None


@lru_cache(maxsize=4096)
def near(word: str, known: tuple[str, ...]) -> str | None:
    """The one of the `known` words that a misspelt one is nearest to, if any is near."""
    found = difflib.get_close_matches(word[:80].upper(), known, n=1, cutoff=0.7)
    return found[0] if found else None
