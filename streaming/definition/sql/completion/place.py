"""The place of the cursor in a text: the word under it, its statement, and its branch."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from streaming.definition.sql.grammar.words import BEFORE_SOURCE, OPERATOR_WORDS
from streaming.definition.tokens import LexedText, SqlToken, TokenKind, lex

_WORD: Final = re.compile(r"\w*")
_BODY_STARTS: Final = frozenset({"SELECT", "WITH", *OPERATOR_WORDS})


@dataclass(frozen=True)
class CursorSpot:
    """The word `text[start:end]` under the cursor, empty between words, and the tokens around it.

    `before` and `after` are the tokens of the branch before and after the word. A branch is one SELECT or operator, or
    the tokens outside all of these. A group in parentheses without the cursor is one token, `()`. `depth` is the number
    of open parentheses of expressions and lists at the cursor. `statement` are the tokens before the word in its
    statement, `tokens` those of the whole text.
    """

    start: int
    end: int
    before: tuple[SqlToken, ...]
    after: tuple[SqlToken, ...]
    depth: int
    statement: tuple[SqlToken, ...]
    tokens: tuple[SqlToken, ...]


def spot_at(text: str, at: int) -> CursorSpot | None:
    """Return the spot of the cursor before character `at`; None in a quoted text, a comment, or a number."""
    at = min(max(at, 0), len(text))
    lexed = lex(text)
    if _is_quoted(lexed, at):
        return None
    start = at
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    word = _WORD.match(text, start)
    end = max(at, word.end() if word else at)
    if text[start : start + 1].isdigit():
        return None
    tokens = lexed.tokens
    first = max(
        (index + 1 for index, token in enumerate(tokens) if token.word == ";" and token.end <= start), default=0
    )
    here = first
    while here < len(tokens) and tokens[here].end <= start and tokens[here].kind is not TokenKind.END:
        here += 1
    before, depth = _branch_before(tokens[first:here], following=tokens[here].word if here < len(tokens) else "")
    rest = here
    while rest < len(tokens) and tokens[rest].start < end:
        rest += 1
    return CursorSpot(start, end, before, _branch_after(tokens[rest:], depth), depth, tokens[first:here], tokens)


def _is_quoted(lexed: LexedText, at: int) -> bool:
    """Return whether the cursor is inside a quoted text, a name in backticks, or a comment."""
    if any(each.opening[0] < at <= each.end for each in lexed.unclosed):
        return True
    here = bisect_left(lexed.tokens, at, key=lambda token: token.end)
    token = lexed.tokens[min(here, len(lexed.tokens) - 1)]
    if token.start < at < token.end:
        return token.kind in (TokenKind.STRING, TokenKind.QUOTED)
    is_line = lexed.text.startswith
    return any(first < at < end or (at == end and is_line("--", first)) for first, end in lexed.comments_before(here))


@dataclass
class _OpenBody:
    """A body that is being read: its tokens so far, and the indices of open parentheses."""

    tokens: list[SqlToken]
    opened: list[int]


def _branch_before(tokens: Sequence[SqlToken], following: str) -> tuple[tuple[SqlToken, ...], int]:
    frames = [_OpenBody([], [])]
    for index, token in enumerate(tokens):
        frame = frames[-1]
        if token.word == "(":
            inner = tokens[index + 1].word if index + 1 < len(tokens) else following
            if inner in _BODY_STARTS or (index + 1 == len(tokens) and _before_body(frame.tokens)):
                frames.append(_OpenBody([], []))
                continue
            frame.opened.append(len(frame.tokens))
            frame.tokens.append(token)
        elif token.word == ")":
            _close(frames, token)
        elif token.word in ("UNION", "ALL") and not frame.opened and _joins_branches(frame.tokens, token):
            frame.tokens.clear() if token.word == "ALL" else frame.tokens.append(token)
        else:
            frame.tokens.append(token)
    return tuple(frames[-1].tokens), len(frames[-1].opened)


def _before_body(tokens: Sequence[SqlToken]) -> bool:
    """Return whether a query in parentheses may follow, although nothing of it is written yet."""
    words = [token.word for token in tokens]
    if not words or "CAST" in words[-4:]:
        return False
    return words[-1] in BEFORE_SOURCE | {"AS"} or (words[-1] == "BY" and "CLIP" in words)


def _joins_branches(tokens: Sequence[SqlToken], token: SqlToken) -> bool:
    return token.word == "UNION" or (bool(tokens) and tokens[-1].word == "UNION")


def _close(frames: list[_OpenBody], token: SqlToken) -> None:
    frame = frames[-1]
    if frame.opened:
        start = frame.opened.pop()
        del frame.tokens[start:]
    elif len(frames) > 1:
        frames.pop()
    frames[-1].tokens.append(SqlToken(TokenKind.SYMBOL, "()", "()", token.start, token.end))


def _branch_after(tokens: Sequence[SqlToken], depth: int) -> tuple[SqlToken, ...]:
    """Return the tokens to the end of the branch, each group as one token, without the rest of `depth` open groups."""
    branch: list[SqlToken] = []
    inner = 0
    for token in tokens:
        if token.word == "(":
            inner += 1
        elif token.word == ")" and inner:
            inner -= 1
            if not inner and not depth:
                branch.append(SqlToken(TokenKind.SYMBOL, "()", "()", token.start, token.end))
        elif token.word == ")":
            if not depth:
                break
            depth -= 1
        elif token.word in (";", "UNION") or token.kind is TokenKind.END:
            break
        elif not inner and not depth:
            branch.append(token)
    return tuple(branch)
