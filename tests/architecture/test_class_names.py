"""A class is the only one of its name in the tree: who searches for it finds it."""

import ast
from collections import Counter

from tests.architecture.tree import name, written

BY_DJANGO = ("/migrations/", "/management/commands/")
"""There Django asks for one name: `Migration`, `Command`."""


def test_a_class_name_occurs_once() -> None:
    names = (name(path) for path in written(".py"))
    files = [each for each in names if each.startswith(("streaming/", "webapp/", "deploy/"))]
    own = [each for each in files if not any(part in each for part in BY_DJANGO)]
    found = Counter(
        node.name
        for path in written(".py")
        if name(path) in own
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    )
    assert [each for each, count in found.items() if count > 1] == []
    assert len(found) > 900
