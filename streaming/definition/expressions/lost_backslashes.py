"""Backslashes that a quoted text loses, but a regular expression needs: `'\\d'` is the text `d`."""

import re
from collections.abc import Sequence
from typing import Final

from streaming.definition.expressions.problems import bad_expression
from streaming.definition.tokens import SqlToken, TokenKind

_OF_PATTERNS: Final = frozenset(
    {"regexp_like", "regexp_extract", "regexp_replace", "regexp_count", "rlike", "regexp"},
)
_LOST: Final = re.compile(r"""(?:[^\\]|\\[\\'"ntr])*(\\[^\\'"ntr])""", re.DOTALL)


def check_backslashes(function: str, text: str, tokens: Sequence[SqlToken]) -> None:
    """Check the arguments of `function`, which are `tokens` of `text`. Raises `ExpressionError`."""
    for token in tokens if function in _OF_PATTERNS else ():
        lost = _LOST.match(text, token.start, token.end)
        if token.kind is TokenKind.STRING and lost:
            message = f"The text loses the backslash of {lost[1]}"
            raise bad_expression(message, f"write it twice: \\{lost[1]}", token.start)
