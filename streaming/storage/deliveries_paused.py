"""The pause of all deliveries of a restored installation, recorded as a file in its data folder.

The original installation may still be alive, and would deliver the same rows.
"""

from pathlib import Path
from typing import Final

FILE: Final = "deliveries_paused"
PAUSED: Final = (
    "This installation was restored from a backup, and deliveries are paused so that no row arrives twice. Your "
    "administrator resumes them (manage.py resumedeliveries) once the original installation has ended."
)


def pause_deliveries(root: Path) -> None:
    """Pause all deliveries of the installation in `root`. Raises `OSError`."""
    (root / FILE).touch(mode=0o600)


def resume_deliveries(root: Path) -> bool:
    """Resume all deliveries; return whether they were paused. Raises `OSError`."""
    paused = are_paused(root)
    (root / FILE).unlink(missing_ok=True)
    return paused


def are_paused(root: Path) -> bool:
    """Return whether all deliveries of the installation in `root` are paused."""
    return (root / FILE).exists()
