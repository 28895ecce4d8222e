"""A text in the pieces that stay or go as one: the steps of a WITH and the INSERT behind them, with what is around."""

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
    """A step, or an INSERT without the steps before it, that makes the nodes `ids`.

    `lead` stands before it, `trail` behind it up to the comma, `tail` behind the comma on the same line.
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
        """All comments in it and around it."""
        return [each for part in (self.lead, self.text, self.trail, self.tail) for each in comments(part)]


@dataclass(frozen=True)
class Paragraph:
    """A statement: `lead` stands before it, `tail` behind it on the same line; `opening` is WITH as it is written."""

    statement: Statement
    lead: str
    text: str
    tail: str
    opening: str
    pieces: tuple[TextPiece, ...]


def paragraphs(script: Script) -> tuple[tuple[Paragraph, ...], str]:
    """The statements of a text in order, and what stands behind the last one."""
    lexed = lex(script.text)
    text = script.text
    starts = [each.span.start for each in script.statements]
    ends = [0, *(each.span.end for each in script.statements)]
    gaps = [text[end:start] for end, start in zip(ends, [*starts, len(text)], strict=True)]
    splits = [0, *(_rest_of_line(gap) for gap in gaps[1:])]
    found: list[Paragraph] = []
    number = 0
    for index, statement in enumerate(script.statements):
        pieces = tuple(_pieces(lexed, text, statement, (index, number)))
        number += len(pieces)
        lead = gaps[index][splits[index] :]
        tail = gaps[index + 1][: splits[index + 1]]
        opening = text[statement.span.start : statement.span.start + 4]
        found.append(Paragraph(statement, lead, _within(text, statement), tail, opening, pieces))
    return tuple(found), gaps[-1][splits[-1] :]


def comments(text: str) -> list[str]:
    """The comments of a part of a text, each without the spaces around it."""
    ends = [0, *(token.end for token in lex(text).tokens)]
    between = [text[end : token.start] for end, token in zip(ends, lex(text).tokens, strict=False)]
    return [each.strip() for each in between if each.strip()]


def _within(text: str, statement: Statement) -> str:
    return text[statement.span.start : statement.span.end]


def _rest_of_line(gap: str) -> int:
    """Where the comments end that stand behind something on its line; 0 where there are none."""
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
        behind = text[comma + 1 : after]
        yield TextPiece(
            number, paragraph, True, ids, text[begin : span.start], text[span.start : span.end], trail, behind
        )
        number, begin = number + 1, after
    if statement.kind == "insert":
        split = _rest_of_line(text[last:insert])
        made = sum(len(ids) for _, ids in statement.steps)
        rest = text[insert : statement.span.end]
        yield TextPiece(number, paragraph, False, statement.nodes[made:], text[last + split : insert], rest)


def _token_at(lexed: LexedText, place: int) -> int:
    """The index of the first token that does not begin before `place`."""
    return bisect_left(lexed.tokens, place, key=lambda token: token.start)


def _bounds(lexed: LexedText, statement: Statement, insert: int) -> Iterator[tuple[int, int]]:
    """For each step where the comma behind it stands, and where what belongs to the next one begins."""
    text = lexed.text
    spans: Sequence[int] = [span.end for span, _ in statement.steps]
    starts = [span.start for span, _ in statement.steps[1:]]
    for end, start in zip(spans, starts, strict=False):
        comma = lexed.tokens[_token_at(lexed, end)].start
        yield comma, comma + 1 + _rest_of_line(text[comma + 1 : start])
    is_last = statement.kind == "steps"
    split = min(insert, statement.span.end) if is_last else spans[-1] + _rest_of_line(text[spans[-1] : insert])
    yield split, split
