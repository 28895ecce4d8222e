"""What a query will do, before it runs: its graph, stages, slices, where CTIs are held back, what is remembered.

`explain` gives it as a model (JSON), `explain_text` for a terminal, `explain_mermaid` as a flowchart.
"""

from streaming.planning.explain.explanation import explain
from streaming.planning.explain.mermaid import explain_mermaid
from streaming.planning.explain.model import Explanation
from streaming.planning.explain.text import explain_text
from streaming.planning.soundness import Unsound

__all__ = ["Explanation", "Unsound", "explain", "explain_mermaid", "explain_text"]
