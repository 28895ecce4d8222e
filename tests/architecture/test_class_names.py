"""A class of `streaming` is the only one of its name there: who searches for it finds it."""

import ast
from collections import Counter

from tests.architecture.tree import name, written


def test_a_class_name_occurs_once() -> None:
    files = [path for path in written(".py") if name(path).startswith("streaming/")]
    bodies = [ast.parse(path.read_text()).body for path in files]
    found = Counter(node.name for body in bodies for node in body if isinstance(node, ast.ClassDef))
    assert [each for each, count in found.items() if count > 1] == []
    assert len(found) > 400
