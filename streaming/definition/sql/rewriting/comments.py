"""The comments of nodes: those that stand before the step or the statement that makes a node, read and written.

A comment is about the node that its step or statement is named for. One about another node that is made there begins
with the name of that node: `-- fast: only what matters`.
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
    """Where comments of the nodes `ids`, of which the last has the name, stand in a text: `text[start:end]`, and more.

    `others` are the places before the insert of a statement with steps, which are about its last node as well.
    """

    ids: tuple[str, ...]
    start: int
    end: int
    indent: str
    others: tuple[tuple[int, int], ...] = ()


def read_comments(text: str) -> dict[str, str]:
    """The comment of each node that has one, lines parted by line breaks; empty for a text that cannot be read."""
    return _read(parse_sql(text))


def write_comments(text: str, comments: Comments) -> str:
    """`text` with other comments for the nodes that `comments` names; an empty one takes what is there away.

    Spaces around lines and empty lines around the whole go. Names that the text does not make are left out. What the
    text says stays the same.
    """
    script = parse_sql(text)
    known = _read(script)
    wanted = {node: plain_comment(said) for node, said in comments.items()}
    changes: list[tuple[int, int, str]] = []
    for home in _homes(script):
        asked = {node: wanted.get(node, known.get(node, "")) for node in home.ids}
        if any(asked[node] != known.get(node, "") for node in home.ids):
            changes += [(start, end, _uncommented(text[start:end])) for start, end in home.others]
            changes.append((home.start, home.end, _lead(text, home, asked)))
    for start, end, put in sorted(changes, reverse=True):
        text = text[:start] + put + text[end:]
    return text


def plain_comment(text: str) -> str:
    """A comment as it is read back: without spaces around its lines, and empty lines around the whole."""
    lines = [_UNWRITABLE.sub(" ", line).strip() for line in text.splitlines()]
    return "\n".join(lines).strip("\n")


def _read(script: Script) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for home in _homes(script):
        spans = ((home.start, home.end), *home.others)
        for line in (line for start, end in spans for line in _lines(script.text[start:end])):
            tag = _TAG.match(line)
            tagged = tag is not None and tag[1] in home.ids
            node = tag[1] if tag is not None and tagged else home.ids[-1]
            found.setdefault(node, []).append(line[tag.end() :] if tag is not None and tagged else line)
    texts = {node: "\n".join(lines).strip("\n") for node, lines in found.items()}
    return {node: said for node, said in texts.items() if said}


def _lines(gap: str) -> Iterator[str]:
    """The lines of the comments in a part of a text that holds nothing else."""
    for match in _COMMENT.finditer(gap):
        if match[1] is not None:
            yield plain_comment(match[1])
        else:
            yield from (line.strip().removeprefix("*").strip() for line in match[2].strip().splitlines())


def _homes(script: Script) -> Iterator[_CommentHome]:
    """Where comments stand, in the order of the text. None where the text makes no graph."""
    if script.graph is None:
        return
    seen: set[str] = set()
    for home in (each for paragraph in paragraphs(script)[0] for each in _of_paragraph(script, paragraph)):
        if home.ids[-1] in seen:
            continue  # a name that is made twice: a fault, and the first has the comment
        yield replace(home, ids=tuple(each for each in home.ids if each not in seen))
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
    """What stands at the home of comments once it says `comments`."""
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
    """The lines of all comments at one place: of its name first, and the others each under theirs."""
    own = comments.get(home.ids[-1], "")
    tagged = any((tag := _TAG.match(line)) and tag[1] in home.ids for line in own.splitlines())
    if own:
        yield from (f"{home.ids[-1]}: {line}".rstrip() if tagged else line for line in own.splitlines())
    for node in dict.fromkeys(home.ids[:-1]):
        said = comments.get(node, "")
        if said and node != home.ids[-1]:
            yield from (f"{node}: {line}".rstrip() for line in said.splitlines())
