"""An explanation as text for a terminal of 100 columns."""

from streaming.definition.explain.model import Explanation


def explain_text(e: Explanation) -> str:
    """`e` as lines of at most 100 characters, names and expressions of the user excepted; ends with a line feed."""
    return f"query {e.query}\n"
