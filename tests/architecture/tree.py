"""The project's own files, as git knows them."""

import subprocess
from functools import cache
from pathlib import Path

from tests.conftest import ROOT

GENERATED = ("/generated/", "/migrations/")


@cache
def tracked() -> tuple[Path, ...]:
    """Return every file that is tracked, or would be after `git add`."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return tuple(path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file())


def written(*suffixes: str) -> list[Path]:
    """Return the tracked files with one of `suffixes` that people write: no generated code, no migrations."""
    return [
        path
        for path in tracked()
        if path.suffix in suffixes and not any(part in f"/{name(path)}" for part in GENERATED)
    ]


def name(path: Path) -> str:
    """Return the path as a reader names it."""
    return str(path.relative_to(ROOT))
