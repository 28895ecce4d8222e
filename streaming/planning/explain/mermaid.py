"""An explanation as a Mermaid flowchart: stages are subgraphs."""

import re
from collections.abc import Iterator
from typing import Final

from streaming.planning.explain.model import ExplainedNode, ExplainedStage, Explanation

_PLAIN: Final = re.compile(r"[^A-Za-z0-9 ,]")
_MATHS: Final = re.compile(r"\$(?=\$)")
_LONGEST: Final = 80
"""Characters of a sentence that fit into a box."""
_MANY: Final = 60
"""Nodes beyond which boxes hold names alone: Mermaid refuses texts of more than 50,000 characters."""


def explain_mermaid(e: Explanation) -> str:
    """`e` as the text of a flowchart, for any security level of Mermaid.

    Boxes have ids of our own, for a user's could be a word of Mermaid's, such as `end`. In labels everything but ASCII
    letters, digits, blanks and commas is an entity: nothing that a user wrote ends a label, begins a directive or a
    comment, is Markdown, or becomes HTML.
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


def escaped(text: str) -> str:
    """`text` so that Mermaid shows it as it is, wherever a label may stand."""
    apart = _MATHS.sub("$\u200b", text)  # two dollars side by side begin a formula, as entities too
    return _PLAIN.sub(lambda found: f"#{ord(found.group())};", apart)


def _title(stage: ExplainedStage) -> str:
    if stage.kind != "keyed":
        return escaped(f"{stage.number} {stage.kind}")
    return escaped(f"{stage.number} operators, {'; '.join(part.text.replace('`', '') for part in stage.parts)}")


def _box(node: ExplainedNode, short: bool) -> str:
    opening, closing = {"input": ("([", "])"), "output": ("([", "])")}.get(node.kind, ("[", "]"))
    return f'{opening}"{"<br/>".join(escaped(line) for line in _lines(node, short))}"{closing}'


def _lines(node: ExplainedNode, short: bool) -> Iterator[str]:
    yield f"{node.id} ({node.kind})"
    if short:
        return
    yield _shortened(node.does)
    if node.slices is not None:
        yield _shortened(node.slices.text.partition(";")[0])
    if node.hold.at_most is None:
        yield "CTI held without a bound"
    elif node.hold.at_most != 0:
        yield f"CTI {node.hold.text}"
    if any(kept.bounded_by == "nothing" for kept in node.state):
        yield "unbounded state"


def _shortened(text: str) -> str:
    """`text`, cut behind a word where it is too long."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(' ')[0] or text[:_LONGEST]} ..."


def _marks(e: Explanation, ids: dict[str, str]) -> Iterator[str]:
    """Colour for what holds CTIs back without a bound."""
    endless = [ids[node.id] for node in e.nodes if node.hold.at_most is None]
    if endless:
        yield "  classDef endless stroke:#b45309,stroke-width:3px"
        yield f"  class {','.join(endless)} endless"
