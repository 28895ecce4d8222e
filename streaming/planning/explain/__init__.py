"""Explanation of a query before it runs: its graph, stages, slices, delays of CTIs, and state.

`explain` returns it as a model (JSON), `explain_text` as text for a terminal, `explain_mermaid` as a flowchart.
"""

from streaming.planning.explain.explanation import explain
from streaming.planning.explain.mermaid import explain_mermaid
from streaming.planning.explain.model import Explanation
from streaming.planning.explain.text import explain_text
from streaming.planning.validity import InvalidDefinition

__all__ = ["Explanation", "InvalidDefinition", "explain", "explain_mermaid", "explain_text"]
