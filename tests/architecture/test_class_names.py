"""A class is found by its name."""

import ast
from collections import defaultdict
from functools import cache

from tests.architecture.tree import name, written

SIDES = ("streaming/", "webapp/", "deploy/")
DJANGO = frozenset({"Command", "Meta"})
"""Names that Django requires: commands, and a model's description of itself."""
RIDDLES = frozenset(
    [
        "Told",
        "Came",
        "Heard",
        "Said",
        "Kept",
        "Seen",
        "Wanted",
        "Given",
        "Taken",
        "Held",
        "Known",
        "Fed",
        "Released",
        "Refused",
        "Removed",
        "Stored",
        "Loaded",
        "Planned",
        "Place",
        "Places",
        "Source",
        "Sources",
        "Server",
        "Thing",
        "Item",
        "Data",
        "Info",
        "Value",
        "Values",
        "Manager",
        "Helper",
        "Util",
        "Utils",
        "Base",
        "Handler",
    ]
)
"""Bare participles and words that fit everything: none of them describes an object."""


@cache
def classes() -> dict[str, list[str]]:
    """Return by name the files that contain a class of that name."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in written(".py"):
        if name(path).startswith(SIDES):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef) and node.name not in DJANGO:
                    found[node.name].append(name(path))
    return found


def test_a_class_name_occurs_once() -> None:
    assert {each: files for each, files in classes().items() if len(files) > 1} == {}


def test_no_class_has_a_vague_name() -> None:
    assert {each: files for each, files in classes().items() if each.lstrip("_") in RIDDLES} == {}
