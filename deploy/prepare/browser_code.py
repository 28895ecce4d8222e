"""The packages and the build of the part that runs in the browser."""

from collections.abc import Iterator
from pathlib import Path

from deploy.prepare import stamps
from deploy.prepare.console import run_step
from deploy.prepare.places import FRONTEND, ROOT, VENV_PYTHON

GUIDE = ROOT / "streaming" / "guide" / "pages"
"""The pages of the guide, which are built into those of the application."""
NOT_SOURCE = frozenset({"node_modules", "dist", "coverage"})


def install(log: Path) -> None:
    """Install the packages of package-lock.json, unless it is unchanged.

    `npm ci` isn't used: it refuses a lock without the programs of other platforms, and npm leaves those out if the
    registry does not serve them. `--no-save` leaves the lock unchanged.
    """
    stamp = FRONTEND / "node_modules" / ".punctual-installed"
    locked = stamps.digest([FRONTEND / "package.json", FRONTEND / "package-lock.json"], FRONTEND)
    if not stamps.is_current(stamp, locked):
        command = ["npm", "install", "--no-save", "--no-audit", "--no-fund"]
        run_step("Installing the browser part's packages: about a minute the first time", command, log, cwd=FRONTEND)
        stamps.write(stamp, locked)


def build(log: Path) -> None:
    """Build `frontend/dist`, each file together with its brotli and gzip forms, unless no source changed.

    The page itself is not compressed, because each answer writes a nonce into it.
    """
    stamp = FRONTEND / "dist" / ".punctual-built"
    source = stamps.digest((*source_files(FRONTEND), *source_files(GUIDE)), ROOT)
    if not stamps.is_current(stamp, source):
        run_step("Building the pages", ["npm", "run", "build"], log, cwd=FRONTEND)
        compress = [str(VENV_PYTHON), "-m", "whitenoise.compress", "--quiet", str(FRONTEND / "dist"), "html"]
        run_step("Compressing them", compress, log, cwd=FRONTEND)
        stamps.write(stamp, source)


def source_files(folder: Path) -> Iterator[Path]:
    """Yield the files below `folder` that a build may read, without what was installed or built."""
    for entry in folder.iterdir():
        if entry.name in NOT_SOURCE or entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from source_files(entry)
        else:
            yield entry
