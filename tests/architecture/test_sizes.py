"""Caps that keep files and functions readable."""

import ast
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.house_sizes import full_folders
from tests.architecture.tree import name, written
from tests.conftest import ROOT

FILE_LINES = 400
FUNCTION_LINES = 60
ARGUMENTS = 6
README_LINES = 100
README_CHARACTERS = 8_000


def functions(source: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    taken = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return len([one for one in taken if one.arg not in ("self", "cls")])


def lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def test_no_file_is_longer_than_the_cap() -> None:
    long = [name(path) for path in written(".py", ".ts", ".tsx") if len(path.read_text().splitlines()) > FILE_LINES]
    assert long == []


def test_no_python_function_is_longer_than_the_cap() -> None:
    long = [
        f"{name(path)}:{function.lineno} {function.name}: {lines(function)} lines"
        for path in written(".py")
        for function in functions(path.read_text())
        if lines(function) > FUNCTION_LINES
    ]
    assert long == []


def test_no_python_function_takes_more_arguments_than_the_cap() -> None:
    many = [
        f"{name(path)}:{function.lineno} {function.name}: {arguments(function)} arguments"
        for path in written(".py")
        if not name(path).startswith("tests/")
        for function in functions(path.read_text())
        if arguments(function) > ARGUMENTS
    ]
    assert many == []


def typescript_functions(files: list[Path]) -> list[dict[str, str | int]]:
    script = ROOT / "tests" / "architecture" / "functions.mjs"
    command = ["node", str(script), *map(str, files)]
    done = subprocess.run(command, cwd=ROOT / "frontend", check=True, capture_output=True, text=True)
    found: list[dict[str, str | int]] = json.loads(done.stdout)
    return found


def test_no_typescript_function_is_longer_or_takes_more_than_the_cap() -> None:
    over = [
        f"{function['file']}:{function['line']}: {function['lines']} lines, {function['arguments']} arguments"
        for function in typescript_functions(written(".ts", ".tsx"))
        if int(function["lines"]) > FUNCTION_LINES or int(function["arguments"]) > ARGUMENTS
    ]
    assert over == []


def test_the_measure_of_typescript_functions_sees_each_kind(tmp_path: Path) -> None:
    source = tmp_path / "kinds.tsx"
    source.write_text(
        "export function a(x: number, y: number) {\n  return x + y\n}\n"
        "export const b = (x: number) => x\n"
        "export class C {\n  d(): void {\n\n  }\n}\n"
    )
    found = [(one["lines"], one["arguments"]) for one in typescript_functions([source])]
    assert found == [(3, 2), (1, 1), (3, 0)]


def of_one_page(room: Path) -> bool:
    """Return whether the README fits on one page. The root README may be longer; decisions belong in DECISIONS.md."""
    path = room / "README.md"
    if not path.exists():
        return False
    text = path.read_text()
    return len(text.splitlines()) <= README_LINES and (room == ROOT or len(text) <= README_CHARACTERS)


def test_each_room_has_a_readme_of_one_page() -> None:
    packages = [path.parent for side in ("streaming", "webapp") for path in (ROOT / side).glob("*/__init__.py")]
    rooms = [*packages, ROOT, *(ROOT / part for part in ("streaming", "webapp", "frontend", "deploy", "tests"))]
    assert [str(room.relative_to(ROOT)) for room in rooms if not of_one_page(room)] == []


def test_no_folder_has_too_many_files_side_by_side() -> None:
    assert full_folders() == {}
