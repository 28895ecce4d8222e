"""Building the wheel: `webapp/client` under its own name, built with the installed setuptools."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from deploy.prepare.console import SetupError, run_step
from deploy.prepare.places import ROOT

PACKAGE = "punctual_client"
SOURCE = ROOT / "webapp" / "client"
HERE = Path(__file__).resolve().parent
SAME_DATE = "315532800"
"""1980-01-01, the date of every file in the archive: the same sources give the same wheel."""


def lay_out(folder: Path) -> None:
    """Copy the package, its README and its pyproject.toml into the empty `folder`."""
    for source in sorted(SOURCE.rglob("*.py")):
        copied = folder / PACKAGE / source.relative_to(SOURCE)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copied)
    shutil.copyfile(SOURCE / "py.typed", folder / PACKAGE / "py.typed")
    shutil.copyfile(SOURCE / "README.md", folder / "README.md")
    shutil.copyfile(HERE / "pyproject.toml", folder / "pyproject.toml")


def build_wheel(folder: Path) -> Path:
    """Build the wheel into `folder`, which is created, and return it. Raises `SetupError` with the end of pip's output.

    Nothing is downloaded: the build uses the setuptools of this environment.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="punctual-client-") as temporary:
        sources, built = Path(temporary) / "sources", Path(temporary) / "built"
        sources.mkdir()
        lay_out(sources)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "--no-index"]
        command = [*pip, "--no-build-isolation", "--wheel-dir", str(built), str(sources)]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": SAME_DATE}
        run_step("Building the client", command, Path(temporary) / "log", cwd=ROOT, env=environment)
        wheels = sorted(built.glob("*.whl"))
        if len(wheels) != 1:
            raise SetupError(f"pip built {len(wheels)} wheels instead of one: check the files in {SOURCE}.")
        return Path(shutil.move(wheels[0], folder / wheels[0].name))
