"""Pieces of a text that are kept or replaced as a whole: the steps of a WITH and the INSERT, with the text around."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from streaming.definition.sql.script import Script, Statement
from streaming.definition.tokens import LexedText, lex

_REST_OF_LINE: Final = re.compile(r"[ \t]*(?:/\*[^\n\r]*?\*/[ \t]*)*(?:--[^\n\r]*)?(?=\r?\n|\r|\Z)")


@dataclass(frozen=True)
class TextPiece:
    """A step, or an INSERT without the steps before it, that creates the nodes `ids`.

    `lead` is the text before it, `trail` that after it up to the comma, `tail` that after the comma on the same line.
    """

    number: int
    paragraph: int
    is_step: bool
    ids: tuple[str, ...]
    lead: str
    text: str
    trail: str = ""
    tail: str = ""

    @property
    def comments(self) -> list[str]:
        """Return all comments in it and around it."""
        return [each for part in (self.lead, self.text, self.trail, self.tail) for each in comments(part)]


@dataclass(frozen=True)
class Paragraph:
    """A statement: `lead` is before it, `tail` after it on the same line; `opening` is WITH as written."""

    statement: Statement
    lead: str
    text: str
    tail: str
    opening: str
    pieces: tuple[TextPiece, ...]


def paragraphs(script: Script) -> tuple[tuple[Paragraph, ...], str]:
    """Return the statements of a text in order, and the text after the last one."""
    lexed = lex(script.text)
    text = script.text
    starts = [each.span.start for each in script.statements]
    ends = [0, *(each.span.end for each in script.statements)]
    gaps = [text[end:start] for end, start in zip(ends, [*starts, len(text)], strict=True)]
    splits = [0, *(_rest_of_line(gap) for gap in gaps[1:])]
    parts: list[Paragraph] = []
    number = 0
    for index, statement in enumerate(script.statements):
        pieces = tuple(_pieces(lexed, text, statement, (index, number)))
        number += len(pieces)
        lead = gaps[index][splits[index] :]
        tail = gaps[index + 1][: splits[index + 1]]
        opening = text[statement.span.start : statement.span.start + 4]
        parts.append(Paragraph(statement, lead, _within(text, statement), tail, opening, pieces))
    return tuple(parts), gaps[-1][splits[-1] :]


def comments(text: str) -> list[str]:
    """Return the comments of a part of a text, each without the spaces around it."""
    ends = [0, *(token.end for token in lex(text).tokens)]
    between = [text[end : token.start] for end, token in zip(ends, lex(text).tokens, strict=False)]
    return [each.strip() for each in between if each.strip()]


def _within(text: str, statement: Statement) -> str:
    return text[statement.span.start : statement.span.end]


def _rest_of_line(gap: str) -> int:
    """Return the end of the comments at the end of a line; 0 without any."""
    match = _REST_OF_LINE.match(gap)
    return match.end() if match and match.group().strip() else 0


def _pieces(lexed: LexedText, text: str, statement: Statement, at: tuple[int, int]) -> Iterator[TextPiece]:
    paragraph, number = at
    if statement.kind not in ("steps", "insert"):
        return
    if not statement.steps:
        yield TextPiece(number, paragraph, False, statement.nodes, "", _within(text, statement))
        return
    last = statement.steps[-1][0].end
    insert = lexed.tokens[_token_at(lexed, last)].start
    bounds = list(_bounds(lexed, statement, insert))
    begin = statement.span.start + 4
    for (span, ids), (comma, after) in zip(statement.steps, bounds, strict=True):
        trail = text[span.end : comma]
        rest_of_line = text[comma + 1 : after]
        yield TextPiece(
            number, paragraph, True, ids, text[begin : span.start], text[span.start : span.end], trail, rest_of_line
        )
        number, begin = number + 1, after
    if statement.kind == "insert":
        split = _rest_of_line(text[last:insert])
        made = sum(len(ids) for _, ids in statement.steps)
        rest = text[insert : statement.span.end]
        yield TextPiece(number, paragraph, False, statement.nodes[made:], text[last + split : insert], rest)


def _token_at(lexed: LexedText, place: int) -> int:
    """Return the index of the first token that does not start before `place`."""
    return bisect_left(lexed.tokens, place, key=lambda token: token.start)


def _bounds(lexed: LexedText, statement: Statement, insert: int) -> Iterator[tuple[int, int]]:
    """Yield, for each step, the place of the comma after it and the start of the text of the next one."""
    text = lexed.text
    spans: Sequence[int] = [span.end for span, _ in statement.steps]
    starts = [span.start for span, _ in statement.steps[1:]]
    for end, start in zip(spans, starts, strict=False):
        comma = lexed.tokens[_token_at(lexed, end)].start
        yield comma, comma + 1 + _rest_of_line(text[comma + 1 : start])
    is_last = statement.kind == "steps"
    split = min(insert, statement.span.end) if is_last else spans[-1] + _rest_of_line(text[spans[-1] : insert])
    yield split, split
