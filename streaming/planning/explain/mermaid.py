"""An explanation as a Mermaid flowchart: stages are subgraphs."""

import re
from collections.abc import Iterator
from typing import Final

from streaming.planning.explain.model import ExplainedNode, ExplainedStage, Explanation

_PLAIN: Final = re.compile(r"[^A-Za-z0-9 ,]")
_MATHS: Final = re.compile(r"\$(?=\$)")
_LONGEST: Final = 80
"""The number of characters of a sentence that fit into a box."""
_MANY: Final = 60
"""With more nodes, boxes contain only names: Mermaid refuses texts of more than 50,000 characters."""


def explain_mermaid(e: Explanation) -> str:
    """Return `e` as the text of a flowchart, for any security level of Mermaid.

    Boxes have ids of our own, because a user's id could be a word of Mermaid's, such as `end`. In labels, everything
    except ASCII letters, digits, blanks and commas is an entity, so user text cannot end a label, start a directive or
    a comment, act as Markdown, or become HTML.
    """
    ids = {node.id: f"n{number}" for number, node in enumerate(e.nodes)}
    short = len(e.nodes) > _MANY
    lines = ["flowchart LR"]
    for stage in e.stages:
        lines.append(f'  subgraph s{stage.number}["{_title(stage)}"]')
        lines += [f"    {ids[node.id]}{_box(node, short)}" for node in e.nodes if node.stage == stage.number]
        lines.append("  end")
    lines += [f"  {ids[port.node]} --> {ids[node.id]}" for node in e.nodes for port in node.reads]
    lines += _marks(e, ids)
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Return `text` escaped so that Mermaid shows it unchanged in any label."""
    apart = _MATHS.sub("$\u200b", text)  # two adjacent dollar signs start a formula, even as entities
    return _PLAIN.sub(lambda match: f"#{ord(match.group())};", apart)


def _title(stage: ExplainedStage) -> str:
    if stage.kind != "keyed":
        return escape(f"{stage.number} {stage.kind}")
    return escape(f"{stage.number} operators, {'; '.join(part.text.replace('`', '') for part in stage.parts)}")


def _box(node: ExplainedNode, short: bool) -> str:
    opening, closing = {"input": ("([", "])"), "output": ("([", "])")}.get(node.kind, ("[", "]"))
    return f'{opening}"{"<br/>".join(escape(line) for line in _lines(node, short))}"{closing}'


def _lines(node: ExplainedNode, short: bool) -> Iterator[str]:
    yield f"{node.id} ({node.kind})"
    if short:
        return
    yield _shorten(node.does)
    if node.slices is not None:
        yield _shorten(node.slices.text.partition(";")[0])
    if node.hold.at_most is None:
        yield "CTI delayed without a bound"
    elif node.hold.at_most != 0:
        yield f"CTI {node.hold.text}"
    if any(kept.bounded_by == "nothing" for kept in node.state):
        yield "unbounded state"


def _shorten(text: str) -> str:
    """Return `text`, cut after a word if it is too long."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(' ')[0] or text[:_LONGEST]} ..."


def _marks(e: Explanation, ids: dict[str, str]) -> Iterator[str]:
    """Yield the colour of nodes that delay CTIs without a bound."""
    endless = [ids[node.id] for node in e.nodes if node.hold.at_most is None]
    if endless:
        yield "  classDef endless stroke:#b45309,stroke-width:3px"
        yield f"  class {','.join(endless)} endless"
