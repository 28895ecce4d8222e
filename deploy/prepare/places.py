"""Paths in the project's folder."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
FRONTEND = ROOT / "frontend"
LOCK = ROOT / "requirements.lock"
IN_SOURCE_TREE = (ROOT / "pyproject.toml").exists()
"""This is the project's folder, not an installed wheel."""
DATA = ROOT / "var" if IN_SOURCE_TREE else Path.home() / ".local" / "share" / "punctual"
"""The folder of an installation on one's own machine, if PUNCTUAL_DATA names no other one."""
PUNCTUAL = ".venv/bin/punctual" if IN_SOURCE_TREE else "punctual"
"""The command line client, as a person calls it from the project's folder."""
