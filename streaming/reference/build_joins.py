"""From nodes that bring streams together, or hold lifetimes until they are decided, to their operators."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from streaming.reference.flow import Operator
from streaming.reference.plan import Plan

JOINS: Final[Mapping[type[Any], Callable[[Any, Plan], Operator]]] = {}
