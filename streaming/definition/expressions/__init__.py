"""Scalar expressions: a documented subset of Spark SQL, parsed, typed and allow-listed; never evaluated here.

`parse` reads text into the small tree of `tree.py`, `typed` checks it against a schema and puts every type and every
implicit widening into it. The reference gives the tree its meaning row by row; the engine compiles it to columns.
"""

from streaming.definition.expressions.parse import MAX_CHARACTERS, MAX_DEPTH, parse
from streaming.definition.expressions.problems import ExpressionError, ExpressionFault
from streaming.definition.expressions.tree import Expression
from streaming.definition.expressions.typed import TypedExpression, typed

__all__ = [
    "MAX_CHARACTERS",
    "MAX_DEPTH",
    "Expression",
    "ExpressionError",
    "ExpressionFault",
    "TypedExpression",
    "parse",
    "typed",
]
