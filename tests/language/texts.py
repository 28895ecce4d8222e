"""The texts and names of the project that people read, each with its place."""

import ast
import io
import json
import os
import subprocess
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.architecture.tree import name, written
from tests.conftest import ROOT

BROWSER_TEXTS: Final = Path(__file__).with_name("browser_texts.mjs")
DIRECTIVES: Final = ("noqa", "type:", "nosec", "pragma", "!", "fmt:", "ruff:")
"""Comments that start so are read by tools."""


@dataclass(frozen=True)
class Text:
    """A text of a `kind`: docstring, comment, string, markdown, interface, test name or subject.

    Names have the kinds class, function and variable.
    """

    path: str
    line: int
    kind: str
    text: str


def texts_of(paths: Iterable[Path]) -> list[Text]:
    """Return the texts of the Python, TypeScript and Markdown files among `paths`."""
    chosen = list(paths)
    found = [text for path in chosen if path.suffix == ".py" for text in python_texts(name(path), path.read_text())]
    found += [text for path in chosen if path.suffix == ".md" for text in markdown_texts(name(path), path.read_text())]
    return found + browser_texts([path for path in chosen if path.suffix in {".ts", ".tsx"}])


def all_paths() -> list[Path]:
    """Return the files of the project that people write."""
    return written(".py", ".md", ".ts", ".tsx")


def markdown_texts(path: str, content: str) -> Iterator[Text]:
    """Yield each line of a Markdown file outside code blocks."""
    in_code = False
    for number, line in enumerate(content.splitlines(), 1):
        in_code ^= line.lstrip().startswith("```")
        if not in_code and line.strip():
            yield Text(path, number, "markdown", line)


def python_texts(path: str, content: str) -> Iterator[Text]:
    """Yield docstrings, comments, prose strings and names of a Python file."""
    tree = ast.parse(content)
    docstrings = {id(each): None for each in _docstrings(tree)}
    pieces = {id(each) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for each in node.values}
    is_test = path.startswith("tests/")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in docstrings:
                yield Text(path, node.lineno, "docstring", node.value)
            elif not is_test and (" " in node.value.strip() or id(node) in pieces):
                yield Text(path, node.lineno, "string", node.value)
        yield from _names(path, node)
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        comment = token.string.lstrip("# ")
        if token.type == tokenize.COMMENT and not comment.startswith(DIRECTIVES):
            yield Text(path, token.start[0], "comment", comment.partition("# noqa")[0])


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the docstrings of modules, classes and functions, and the texts below constants and fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for each in node.body:
                if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                    yield each.value


def _names(path: str, node: ast.AST) -> Iterator[Text]:
    if isinstance(node, ast.ClassDef):
        yield Text(path, node.lineno, "class", node.name)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield Text(path, node.lineno, "function", node.name)
        if node.name.startswith("test_"):
            yield Text(path, node.lineno, "test name", node.name.removeprefix("test_").replace("_", " "))
    elif isinstance(node, ast.arg):
        yield Text(path, node.lineno, "variable", node.arg)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield Text(path, node.lineno, "variable", node.id)


def browser_texts(paths: list[Path]) -> list[Text]:
    """Return comments, prose strings, JSX texts and names of TypeScript files, read by TypeScript itself."""
    if not paths:
        return []
    command = ["node", str(BROWSER_TEXTS), *map(str, paths)]
    listed = subprocess.run(command, cwd=ROOT / "frontend", check=True, capture_output=True, text=True)
    found = [Text(**each) for each in json.loads(listed.stdout)]
    return [Text(os.path.relpath(each.path, ROOT), each.line, each.kind, each.text) for each in found]
