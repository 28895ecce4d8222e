"""Where in a text the cursor stands: the word under it, the statement around it, and the branch it is part of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from streaming.definition.sql.reading.lex import Kind, Token, lex

_QUOTES: Final = re.compile(
    r"(?P<line>--[^\n\r]*)|(?P<block>/\*)|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:[^`]|``)*`|(?P<open>['\"`])",
    re.DOTALL,
)
_BLOCK: Final = re.compile(r"/\*|\*/")
_LINE_END: Final = re.compile(r"[\n\r]|\Z")
_WORD: Final = re.compile(r"\w*")
_BODY_STARTS: Final = frozenset({"SELECT", "STREAM", "CLIP", "SHIFT", "EXTEND", "SET", "POINT", "TO", "ORDER", "WITH"})
_BEFORE_BODY: Final = frozenset({"AS", "FROM", "JOIN", "CLIP", "SHIFT", "EXTEND", "DURATION", "INTERVALS", "EDGES"})


@dataclass(frozen=True)
class Spot:
    """The word `text[start:end]` under the cursor, empty between words, and what stands around it.

    `before` and `after` are the tokens of the branch (one SELECT or operator, or what stands outside of all) before
    and behind the word; a group in parentheses that does not hold the cursor is one token, `()`. `depth` says how many
    parentheses of expressions and lists are open at the cursor. `statement` is all that stands before the word in its
    statement, `tokens` all of the text.
    """

    start: int
    end: int
    before: tuple[Token, ...]
    after: tuple[Token, ...]
    depth: int
    statement: tuple[Token, ...]
    tokens: tuple[Token, ...]


def spot_at(text: str, at: int) -> Spot | None:
    """The spot of the cursor before character `at`; None in a quoted text, a comment, or a number."""
    at = min(max(at, 0), len(text))
    if _quoted(text, at):
        return None
    start = at
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    found = _WORD.match(text, start)
    end = max(at, found.end() if found else at)
    if text[start : start + 1].isdigit():
        return None
    tokens = lex(text).tokens
    first = max(
        (index + 1 for index, token in enumerate(tokens) if token.word == ";" and token.end <= start), default=0
    )
    here = first
    while here < len(tokens) and tokens[here].end <= start and tokens[here].kind is not Kind.END:
        here += 1
    before, depth = _branch_before(tokens[first:here], following=tokens[here].word if here < len(tokens) else "")
    behind = here
    while behind < len(tokens) and tokens[behind].start < end:
        behind += 1
    return Spot(start, end, before, _branch_after(tokens[behind:], depth), depth, tokens[first:here], tokens)


def _quoted(text: str, at: int) -> bool:
    """Whether the cursor stands inside a quoted text, a name in backticks, or a comment."""
    place = 0
    while (found := _QUOTES.search(text, place)) and found.start() < at:
        closed = True
        place = found.end()
        if found.group("block"):
            place, closed = _block_end(text, place)
        elif found.group("open"):
            line = _LINE_END.search(text, place)
            place, closed = line.start() if line else len(text), False
        elif found.group("line"):
            closed = False
        if at < place or (at == place and not closed):
            return True
    return False


def _block_end(text: str, place: int) -> tuple[int, bool]:
    """Behind the end of a comment, comments inside it included; and whether it has an end."""
    open_comments = 1
    while open_comments:
        found = _BLOCK.search(text, place)
        if found is None:
            return len(text), False
        open_comments += 1 if found.group() == "/*" else -1
        place = found.end()
    return place, True


@dataclass
class _Frame:
    """A body that is being read: its tokens so far, and where in them parentheses are open."""

    tokens: list[Token]
    opened: list[int]


def _branch_before(tokens: Sequence[Token], following: str) -> tuple[tuple[Token, ...], int]:
    frames = [_Frame([], [])]
    for index, token in enumerate(tokens):
        frame = frames[-1]
        if token.word == "(":
            inner = tokens[index + 1].word if index + 1 < len(tokens) else following
            if inner in _BODY_STARTS or (index + 1 == len(tokens) and _before_body(frame.tokens)):
                frames.append(_Frame([], []))
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


def _before_body(tokens: Sequence[Token]) -> bool:
    """Whether a query in parentheses may follow, though nothing of it is written yet."""
    words = [token.word for token in tokens]
    if not words or "CAST" in words[-4:]:
        return False
    return words[-1] in _BEFORE_BODY or (words[-1] == "BY" and "CLIP" in words)


def _joins_branches(tokens: Sequence[Token], token: Token) -> bool:
    return token.word == "UNION" or (bool(tokens) and tokens[-1].word == "UNION")


def _close(frames: list[_Frame], token: Token) -> None:
    frame = frames[-1]
    if frame.opened:
        start = frame.opened.pop()
        del frame.tokens[start:]
    elif len(frames) > 1:
        frames.pop()
    frames[-1].tokens.append(Token(Kind.SYMBOL, "()", "()", token.start, token.end))


def _branch_after(tokens: Sequence[Token], depth: int) -> tuple[Token, ...]:
    """The tokens to the end of the branch, groups as one token each, without the rest of the `depth` open ones."""
    found: list[Token] = []
    inner = 0
    for token in tokens:
        if token.word == "(":
            inner += 1
        elif token.word == ")" and inner:
            inner -= 1
            if not inner and not depth:
                found.append(Token(Kind.SYMBOL, "()", "()", token.start, token.end))
        elif token.word == ")":
            if not depth:
                break
            depth -= 1
        elif token.word in (";", "UNION") or token.kind is Kind.END:
            break
        elif not inner and not depth:
            found.append(token)
    return tuple(found)
