"""One function writes counts with their nouns, and dates are ISO text, so that no page has "1 rows" or "Nov. 3"."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.tree import name, tracked, written

NOUNS = (
    "rows|events|bytes|seconds|minutes|hours|days|bindings|streams|queries|files|members|tokens|invitations|accounts|"
    "faults|errors|warnings|characters|lanes|windows|groups|nodes|places|organisations|values|columns|fields|batches|"
    "versions|secrets|results|exports|ticks|cores|inputs|outputs|reports|buckets|times|levels|arguments|factors"
)
BEFORE_NOUN = re.compile(rf"\s(more )?({NOUNS})\b(?!/)")
BY = "streaming/definition/counts.py"
NO_COUNTS = {
    "streaming/planning/explain/descriptions.py": {"code(node.expression)", "facts.streams[node.stream].shape.value"},
    "streaming/temporal/ticks.py": {"value", "tick"},  # a moment outside of the calendar, millions of ticks from 1970
}
"""Values that precede a noun and aren't counts."""
ISO = re.compile(r"""\|date:"Y-m-d( H:i( e)?)?\"""")
DATES = re.compile(r"\|(date|time|naturaltime|timesince|timeuntil)\b[^}|]*")


def sentences() -> list[Path]:
    rooms = ("streaming/", "webapp/", "deploy/")
    return [path for path in written(".py") if name(path).startswith(rooms) and name(path) != BY]


def is_fixed(value: ast.expr) -> bool:
    """Return whether this is a constant of the program, whose author knows that it is not one."""
    last = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")
    of_settings = isinstance(value, ast.Attribute) and ast.unparse(value.value) == "settings"
    return last.isupper() and not of_settings


def counts(tree: ast.AST) -> Iterator[str]:
    """Yield each value of an f-string that precedes a noun in the plural."""
    for text in (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)):
        for value, after in zip(text.values, text.values[1:], strict=False):
            noun = after.value if isinstance(after, ast.Constant) else None
            if isinstance(value, ast.FormattedValue) and isinstance(noun, str) and BEFORE_NOUN.match(noun):
                yield from [] if is_fixed(value.value) else [ast.unparse(value.value)]


def endings(tree: ast.AST) -> Iterator[str]:
    """Yield each choice between a noun and its plural."""
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp) and re.search(r"[!=]= 1$", ast.unparse(node.test)):
            words = {each.value for each in (node.body, node.orelse) if isinstance(each, ast.Constant)}
            if "s" in words or {f"{each}s" for each in words} & words or re.search("'1 [a-z]+' if", ast.unparse(node)):
                yield ast.unparse(node)


@pytest.mark.parametrize("path", sentences(), ids=name)
def test_one_function_writes_counts_with_their_nouns(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert set(counts(tree)) - NO_COUNTS.get(name(path), set()) == set()
    assert list(endings(tree)) == []


def test_dates_in_mails_and_pages_are_iso() -> None:
    found = {
        name(path): [each[0] for each in DATES.finditer(path.read_text()) if not ISO.search(each[0])]
        for path in tracked()
        if path.suffix in {".html", ".txt"} and "templates" in path.parts
    }
    assert {path: wrong for path, wrong in found.items() if wrong} == {}
