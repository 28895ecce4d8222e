"""The virtual environment and the Python packages in it."""

import sys
from pathlib import Path

from deploy.prepare import stamps
from deploy.prepare.console import run_step
from deploy.prepare.places import LOCK, ROOT, VENV, VENV_PYTHON

RUNNING = frozenset({"web", "runner", "demo"})
TESTING = RUNNING | {"test"}
STAMP = VENV / "punctual-installed"


def install(extras: frozenset[str], log: Path) -> None:
    """Install Punctual with `extras` at the versions of the lock file, unless both are unchanged."""
    locked = stamps.digest([LOCK, ROOT / "pyproject.toml", ROOT / "setup.py"], ROOT)
    if any(stamps.is_current(STAMP, stamp_value(locked, had)) for had in (TESTING, RUNNING) if had >= extras):
        return
    if not VENV_PYTHON.exists():
        run_step("Making the virtual environment .venv", [sys.executable, "-m", "venv", str(VENV)], log, cwd=ROOT)
    STAMP.unlink(missing_ok=True)
    wanted = f".[{','.join(sorted(extras))}]"
    pip = [str(VENV_PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"]
    title = f"Installing Python packages ({', '.join(sorted(extras))}): two to five minutes the first time"
    run_step(title, [*pip, "--constraint", str(LOCK), "--editable", wanted], log, cwd=ROOT)
    stamps.write(STAMP, stamp_value(locked, extras))


def stamp_value(locked: str, extras: frozenset[str]) -> str:
    """Return the stamp of an environment with `extras` at the lock's digest."""
    return f"{locked} {' '.join(sorted(extras))}"
