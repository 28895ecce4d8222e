"""Functions of regular expressions."""

from typing import Final

from streaming.definition.expressions import signatures as rules
from streaming.definition.expressions.signatures import entry
from streaming.definition.payload.types import BOOLEAN, LONG, STRING
from streaming.functions import regular_expressions

PATTERNS: Final = (
    entry(
        "regexp_like(string, pattern) -> boolean",
        "True if the regular expression matches a part of the text; ^ and $ anchor it. A pattern is a literal in the "
        "syntax of RE2: without look-around and references to groups, so the time is linear. Write a backslash twice: "
        "'\\\\d+'. All functions of patterns are null if the size of the pattern times the bytes to search, those "
        "after each match, is more than 268,435,456.",
        rules.with_constants(regular_expressions.check_pattern, (1,), STRING, STRING, result=BOOLEAN),
        2,
    ),
    entry(
        "regexp_extract(string, pattern[, group])",
        "The first match of the pattern, or the part of it that `group`, a literal number, matches; null without a "
        "match, or if the group takes no part in it.",
        rules.with_constants(regular_expressions.check_group, (1, 2), STRING, STRING, LONG, result=STRING),
        2,
        3,
    ),
    entry(
        "regexp_replace(string, pattern[, replacement])",
        "The text with all matches replaced, or removed. In the literal replacement $1 or ${name} is a group, $0 the "
        "match, $$ a dollar.",
        rules.with_constants(regular_expressions.check_replacement, (1, 2), STRING, STRING, STRING, result=STRING),
        2,
        3,
    ),
    entry(
        "regexp_count(string, pattern) -> long",
        "The number of matches: each starts where the one before ends, or one code point later if that is empty.",
        rules.with_constants(regular_expressions.check_pattern, (1,), STRING, STRING, result=LONG),
        2,
    ),
)
