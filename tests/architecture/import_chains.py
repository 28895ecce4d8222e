"""The longest chain of modules in which each imports the next.

    .venv/bin/python -m tests.architecture.import_chains

prints it. Who follows a value from one end to the other opens so many files at most. Imports inside of functions, which
put off what is heavy, and those for type checkers alone do not count.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from tests.architecture.tree import name, written

SIDES = ("streaming/", "webapp/", "deploy/")


def module_of(path: Path) -> str:
    """Return the name of a module: `streaming/run/__init__.py` is `streaming.run`."""
    return name(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def statements(body: Sequence[ast.AST]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Return the imports that run when a module is imported."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        elif not (isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")):
            yield from statements(list(ast.iter_child_nodes(node)))


def imports(known: Mapping[str, Path]) -> dict[str, set[str]]:
    """Return by module the modules of `known` that it imports; for a package, only its own content."""
    found: dict[str, set[str]] = {}
    for module, path in known.items():
        named: set[str] = set()
        for node in statements(ast.parse(path.read_text()).body):
            if isinstance(node, ast.Import):
                named.update(alias.name for alias in node.names)
            elif node.module is not None:
                inside = {f"{node.module}.{alias.name}" for alias in node.names}
                named.update(inside & known.keys() or {node.module})
        found[module] = {each for each in named if each in known and each != module}
    return found


def house() -> dict[str, set[str]]:
    """Return by module of the project the modules that it imports."""
    return imports({module_of(path): path for path in written(".py") if name(path).startswith(SIDES)})


def longest_chain(graph: Mapping[str, set[str]]) -> list[str]:
    """Return the longest chain, starting at a module that nobody in it imports. Raises RecursionError for a circle."""

    @cache
    def below(module: str) -> tuple[str, ...]:
        return (module, *max(map(below, sorted(graph[module])), key=len, default=()))

    return list(max(map(below, sorted(graph)), key=len))


if __name__ == "__main__":
    chain = longest_chain(house())
    print(f"{len(chain)} modules:")
    print("\n".join(f"{depth:>4} {module}" for depth, module in enumerate(chain, 1)))
