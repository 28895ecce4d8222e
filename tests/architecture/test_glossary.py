"""The names that people see are those of GLOSSARY.md."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests.architecture.tree import name, written
from tests.conftest import ROOT

ROW = re.compile(r"^\| (?P<word>[^|]+) \|[^|]+\|[^|]*\| ?(?P<never>[^|]*)\|$")


def never() -> dict[str, str]:
    """Return the words that the glossary forbids, each with the word to use."""
    found = {}
    for line in (ROOT / "GLOSSARY.md").read_text().splitlines():
        row = ROW.match(line)
        if row is None or row["word"] in ("word", "---"):
            continue
        for other in row["never"].split(","):
            if other.strip() and "(" not in other:
                found[other.strip()] = row["word"]
    return found


def parts(text: str) -> set[str]:
    """Return the words of a name in snake, camel or path form."""
    return {part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)}


def fields(schema: Any) -> Iterator[str]:
    """Yield every property of the API's file."""
    if isinstance(schema, dict):
        properties = schema.get("properties")
        yield from properties if isinstance(properties, dict) else ()
        schema = list(schema.values())
    for each in schema if isinstance(schema, list) else ():
        yield from fields(each)


@cache
def names() -> set[tuple[str, str]]:
    """Return the names with their places: fields, schemas and paths of the API, classes, pages."""
    api = json.loads((ROOT / "frontend" / "openapi.json").read_text())
    found = {("field", each) for each in fields(api["components"])}
    found |= {("schema", each) for each in api["components"]["schemas"]}
    found |= {("path", re.sub(r"\{.*?\}", "", each)) for each in api["paths"]}
    found |= {("page", path.stem) for path in written(".tsx")}
    for path in written(".py"):
        if name(path).startswith(("streaming/", "webapp/", "deploy/")):
            classes = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef))
            found |= {(name(path), each.name) for each in classes}
    return found


def test_the_glossary_forbids_something() -> None:
    assert never()["watermark"] == "CTI"


@pytest.mark.parametrize("word", sorted(never()))
def test_one_word_for_one_thing(word: str) -> None:
    assert [each for each in names() if word in parts(each[1])] == [], f"write {never()[word]!r}"
