"""Reading and writing of the comments of nodes, which come before the step or statement that creates the node.

A comment belongs to the node that its step or statement is named for. A comment for another node of that step or
statement starts with the name of that node: `-- fast: only what matters`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.rewriting.pieces import Paragraph, paragraphs
from streaming.definition.sql.script import Script

_COMMENT: Final = re.compile(r"--([^\n\r]*)|/\*(.*?)\*/", re.DOTALL)
_TAG: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]{0,62}):(?: |$)")
_UNWRITABLE: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")

Comments = Mapping[str, str]


@dataclass(frozen=True)
class _CommentHome:
    """The place of comments of the nodes `ids` in a text, `text[start:end]`; the last node has the name.

    `others` are places before the INSERT of a statement with steps; comments there also belong to its last node.
    """

    ids: tuple[str, ...]
    start: int
    end: int
    indent: str
    others: tuple[tuple[int, int], ...] = ()


def read_comments(text: str) -> dict[str, str]:
    """Return the comment of each node that has one, with line breaks; empty for an unreadable text."""
    return _read(parse_sql(text))


def write_comments(text: str, comments: Comments) -> str:
    """Return `text` with new comments for the nodes in `comments`; an empty comment removes the old one.

    Spaces around lines and empty lines around the comment are removed. Names of unknown nodes are ignored. The
    meaning of the text stays the same.
    """
    script = parse_sql(text)
    old = _read(script)
    wanted = {node: plain_comment(comment) for node, comment in comments.items()}
    changes: list[tuple[int, int, str]] = []
    for home in _homes(script):
        new = {node: wanted.get(node, old.get(node, "")) for node in home.ids}
        if any(new[node] != old.get(node, "") for node in home.ids):
            changes += [(start, end, _uncommented(text[start:end])) for start, end in home.others]
            changes.append((home.start, home.end, _lead(text, home, new)))
    for start, end, put in sorted(changes, reverse=True):
        text = text[:start] + put + text[end:]
    return text


def plain_comment(text: str) -> str:
    """Return a comment as it will be read back: without spaces around its lines and without empty lines around it."""
    lines = [_UNWRITABLE.sub(" ", line).strip() for line in text.splitlines()]
    return "\n".join(lines).strip("\n")


def _read(script: Script) -> dict[str, str]:
    lines_of: dict[str, list[str]] = {}
    for home in _homes(script):
        spans = ((home.start, home.end), *home.others)
        for line in (line for start, end in spans for line in _lines(script.text[start:end])):
            tag = _TAG.match(line)
            tagged = tag is not None and tag[1] in home.ids
            node = tag[1] if tag is not None and tagged else home.ids[-1]
            lines_of.setdefault(node, []).append(line[tag.end() :] if tag is not None and tagged else line)
    texts = {node: "\n".join(lines).strip("\n") for node, lines in lines_of.items()}
    return {node: comment for node, comment in texts.items() if comment}


def _lines(gap: str) -> Iterator[str]:
    """Yield the lines of the comments in a part of a text that contains nothing else."""
    for match in _COMMENT.finditer(gap):
        if match[1] is not None:
            yield plain_comment(match[1])
        else:
            yield from (line.strip().removeprefix("*").strip() for line in match[2].strip().splitlines())


def _homes(script: Script) -> Iterator[_CommentHome]:
    """Yield the places of comments, in the order of the text; none if the text has no valid graph."""
    if script.graph is None:
        return
    seen: set[str] = set()
    for home in (each for paragraph in paragraphs(script)[0] for each in _of_paragraph(script, paragraph)):
        # a duplicate name is an error; the first node of that name keeps the comment
        if ids := tuple(each for each in home.ids if each not in seen):
            yield replace(home, ids=ids)
        seen |= {*home.ids}


def _of_paragraph(script: Script, paragraph: Paragraph) -> Iterator[_CommentHome]:
    start = paragraph.statement.span.start
    before = (start - len(paragraph.lead), start)
    if not paragraph.statement.steps:
        for piece in paragraph.pieces:
            if piece.ids:
                yield _CommentHome(piece.ids, *before, "")
        return
    at = start + len(paragraph.opening)
    insert: tuple[tuple[str, ...], tuple[int, int]] | None = None
    steps: list[_CommentHome] = []
    for index, piece in enumerate(paragraph.pieces):
        lead = (at, at + len(piece.lead))
        if piece.is_step:
            comma = 1 if index + 1 < len(paragraph.pieces) and paragraph.pieces[index + 1].is_step else 0
            steps.append(_CommentHome(piece.ids, *lead, "  "))
            at = lead[1] + len(piece.text) + len(piece.trail) + comma + len(piece.tail)
        else:
            gap = script.text.rindex(piece.text, 0, paragraph.statement.span.end)
            insert = (piece.ids, (gap - len(piece.lead), gap))
    if insert is not None:
        ids, lead = insert
        yield _CommentHome(ids, *before, "", (lead,))
    yield from (home for home in steps if home.ids)


def _lead(text: str, home: _CommentHome, comments: Comments) -> str:
    """Return the new text for the place of comments."""
    gap = text[home.start : home.end]
    first = _COMMENT.search(gap)
    head = gap[: first.start()] if first else gap
    blank = head.rstrip(" \t")
    if home.start and not blank.endswith("\n"):
        blank = head + ("" if head.endswith("\n") else "\n")
    lines = [f"{home.indent}--{f' {line}' if line else ''}" for line in _written(home, comments)]
    return blank + "".join(f"{line}\n" for line in lines) + home.indent


def _uncommented(gap: str) -> str:
    return "\n" if _COMMENT.search(gap) else gap


def _written(home: _CommentHome, comments: Comments) -> Iterator[str]:
    """Yield the lines of all comments at one place: first those of the named node, then those of each other node."""
    own = comments.get(home.ids[-1], "")
    tagged = any((tag := _TAG.match(line)) and tag[1] in home.ids for line in own.splitlines())
    if own:
        yield from (f"{home.ids[-1]}: {line}".rstrip() if tagged else line for line in own.splitlines())
    for node in dict.fromkeys(home.ids[:-1]):
        comment = comments.get(node, "")
        if comment and node != home.ids[-1]:
            yield from (f"{node}: {line}".rstrip() for line in comment.splitlines())
