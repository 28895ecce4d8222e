"""What `make up` installs is enough to run: nothing leans on a package that only the tests bring."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from importlib.abc import MetaPathFinder

class OnlyForTests(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(f"{{name}} is installed for the tests alone", name=name)

sys.meta_path.insert(0, OnlyForTests())
import kombu.transport.redis, uvicorn, webapp.asgi, webapp.celery, streaming.runtime.__main__
"""


def installed_for(extra: str) -> set[str]:
    """The distributions that `punctual[extra]` brings, all the way down."""
    found: set[str] = set()
    waiting = [("punctual", frozenset({extra}))]
    while waiting:
        name, extras = waiting.pop()
        try:
            texts = requires(name) or []
        except PackageNotFoundError:
            continue
        for requirement in map(Requirement, texts):
            wanted = any(
                requirement.marker is None or requirement.marker.evaluate({"extra": each}) for each in {*extras, ""}
            )
            if wanted and canonicalize_name(requirement.name) not in found:
                found.add(canonicalize_name(requirement.name))
                waiting.append((requirement.name, frozenset(requirement.extras)))
    return found


def test_the_programs_of_an_installation_import_nothing_that_only_tests_bring() -> None:
    brought = {*installed_for("spark"), "punctual", "pip", "setuptools"}
    absent = {
        module
        for module, distributions in packages_distributions().items()
        if brought.isdisjoint(map(canonicalize_name, distributions))
    }
    assert "pytest" in absent
    assert "django" not in absent
    program = PROGRAM.format(absent=sorted(absent))
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
