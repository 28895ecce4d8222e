"""The build of the wheel: it also contains the built pages of the browser application, which git does not hold."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.errors import FileError

FRONTEND = Path("frontend")
INSIDE = Path("webapp", "frontend")
"""The folder of the pages in the wheel (`webapp.settings.FRONTEND`)."""


class BuildWithPages(build_py):
    """Copies the packages, then the pages; a wheel without pages is an error, because nobody could open it."""

    def run(self) -> None:
        """Build; an editable installation reads the pages where they are built."""
        super().run()
        if self.editable_mode:
            return
        built = FRONTEND / "dist"
        if not (built / "index.html").exists():
            raise FileError(
                f"{built} has no built pages: run `python3.11 -m deploy.prepare` in the project's folder, then again."
            )
        inside = Path(self.build_lib) / INSIDE
        shutil.copytree(built, inside / "dist", dirs_exist_ok=True, ignore=shutil.ignore_patterns(".punctual-built"))
        shutil.copy2(FRONTEND / "openapi.json", inside / "openapi.json")


setup(cmdclass={"build_py": BuildWithPages})
