"""Sizes of the project, printed with their caps: `.venv/bin/python -m tests.architecture.house_sizes`.

Lines, modules and importers are of Python outside tests; folders are all folders with files that people write. The
import chain and the cycles are those of `import_chains`.
"""

from collections import Counter
from dataclasses import dataclass

from tests.architecture.import_chains import SIDES, house, longest_chain
from tests.architecture.tree import name, written

FILES_IN_A_FOLDER = 20


@dataclass(frozen=True)
class Size:
    """A measured size, its present value, and its cap."""

    what: str
    today: int
    most: int


GENERATED = "streaming/guide/pages"
"""Pages of the guide, written by a program: one for each kind."""


def sizes() -> list[Size]:
    """Return every size that can be read from the files."""
    modules = [path for path in written(".py") if name(path).startswith(SIDES)]
    graph = house()
    importers = Counter(imported for each in graph.values() for imported in each)
    return [
        Size("lines of Python outside tests", sum(len(path.read_text().splitlines()) for path in modules), 106_000),
        Size("modules", len(modules), 900),
        Size("modules with exactly one importer", sum(count == 1 for count in importers.values()), 150),
        Size(f"folders with more than {FILES_IN_A_FOLDER} files", len(full_folders()), 0),
        Size("modules in the longest import chain", len(longest_chain(graph)), 22),
    ]


def full_folders() -> dict[str, int]:
    """Return the folders with too many files side by side, and their number."""
    files = Counter(name(path.parent) for path in written(".py", ".ts", ".tsx", ".md", ".css"))
    del files[GENERATED]
    return {folder: count for folder, count in files.most_common() if count > FILES_IN_A_FOLDER}


if __name__ == "__main__":
    for size in sizes():
        print(f"{size.today:>8,} {size.what} (at most {size.most:,})")
    for folder, count in full_folders().items():
        print(f"{count:>8} files in {folder}")
