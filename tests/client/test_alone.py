"""The client needs httpx, rich and the standard library, its frames more, and the wheel of it alone works."""

import ast
import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from deploy.client.wheel import build_wheel
from tests.conftest import ROOT

CLIENT = ROOT / "webapp" / "client"
FRAMES = {"pandas", "polars", "pyarrow"}
"""Packages that only a call of a frame imports: each module imports where they are absent."""
PROTOCOL = {"anyio", "jsonschema", "mcp", "mcp_types", "uvicorn"}
"""Packages that the extra `mcp` installs, for one module that only `punctual mcp` imports."""
PLUGIN = "library/pytest_plugin.py"
"""The module that only pytest imports."""


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level <= len(path.relative_to(CLIENT).parts), path
            if node.level == 0:
                yield node.module or ""


def test_no_module_imports_anything_but_httpx_rich_and_the_standard_library() -> None:
    allowed = {*sys.stdlib_module_names, "httpx", "rich"}
    strangers = {name for path in CLIENT.rglob("*.py") for name in imported(path) if name.split(".")[0] not in allowed}
    assert {name.split(".")[0] for name in strangers} == {*FRAMES, *PROTOCOL, "pytest"}
    ours = [path for path in CLIENT.rglob("*.py") if {name.split(".")[0] for name in imported(path)} & PROTOCOL]
    assert ours == [CLIENT / "assistant" / "protocol.py"]
    assert [path for path in CLIENT.rglob("*.py") if "pytest" in imported(path)] == [CLIENT / PLUGIN]
    assert set(imported(CLIENT / "library" / "frames.py")) & FRAMES == FRAMES


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def test_the_wheel_asks_for_httpx_and_rich_and_names_no_host(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    metadata = next(text for name, text in texts.items() if name.endswith("METADATA"))
    required = [Requirement(line.partition(":")[2]) for line in metadata.splitlines() if "Requires-Dist" in line]
    assert {each.name for each in required if each.marker is None} == {"httpx", "rich"}
    assert {each.name for each in required if each.marker is not None} == {*FRAMES, "mcp", "pytest"}
    assert {name.partition("/")[0] for name in texts} == {"punctual_client", wheel.name.split("-py3")[0] + ".dist-info"}
    assert {name for name in texts if name.startswith("punctual_client/")} == {
        f"punctual_client/{path.relative_to(CLIENT)}" for path in [*CLIENT.rglob("*.py"), CLIENT / "py.typed"]
    }
    assert "Home-page" not in metadata


def test_the_same_sources_give_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    assert build_wheel(tmp_path).read_bytes() == wheel.read_bytes()


def test_the_wheel_asks_for_what_the_project_asks_for() -> None:
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    alone = tomllib.loads((ROOT / "deploy" / "client" / "pyproject.toml").read_text())["project"]
    assert set(alone["dependencies"]) <= set(ours["dependencies"])
    assert ours["scripts"]["punctual"].replace("webapp.client", "punctual_client") == alone["scripts"]["punctual"]


def importable() -> set[str]:
    """Return the top-level names that httpx and rich bring along."""
    wanted, found = ["httpx", "rich"], set()
    while wanted:
        name = canonicalize_name(wanted.pop())
        if name not in found:
            found.add(name)
            needed = [Requirement(text) for text in distribution(name).requires or []]
            wanted += [each.name for each in needed if each.marker is None or each.marker.evaluate({"extra": ""})]
    return {
        top for top, names in packages_distributions().items() if found & {canonicalize_name(each) for each in names}
    }


BLOCKING = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in allowed:
            raise ImportError(f"{name} is not there")

allowed = {*sys.stdlib_module_names, "punctual_client", "sitecustomize", *sys.argv[2].split(",")}
for name in list(sys.modules):
    if name.partition(".")[0] not in allowed:
        del sys.modules[name]
sys.meta_path.insert(0, Blocker())
sys.path.insert(0, sys.argv[1])
try:
    import django
except ImportError:
    pass
else:
    sys.exit("nothing is blocked")
import pkgutil
import punctual_client
for module in pkgutil.walk_packages(punctual_client.__path__, "punctual_client."):
    if module.name.removeprefix("punctual_client.") not in {"__main__", "library.pytest_plugin", "assistant.protocol"}:
        __import__(module.name)
from punctual_client.main import main
sys.exit(main(sys.argv[3:]))
"""


def test_every_module_of_the_wheel_imports_where_nothing_else_can_be_imported(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    names = ",".join(importable())
    assert {"httpx", "rich"} <= set(names.split(","))
    assert "django" not in names
    command = [sys.executable, "-c", BLOCKING, str(tmp_path), names]
    for argv, code, words in (
        (["--help"], 0, "exit codes:"),
        (["--version"], 0, "punctual "),
        (["mcp", "--help"], 0, "--http PORT"),
        (["whoami", "--address", "http://127.0.0.1:1", "--token-file", "/dev/null"], 3, "isn't a token"),
    ):
        done = subprocess.run([*command, *argv], cwd=tmp_path, check=False, capture_output=True, text=True)
        assert (done.returncode, words in done.stdout + done.stderr) == (code, True), done.stderr


def test_pytest_finds_the_plugin_of_the_wheel_and_runs_nothing_unless_asked(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    (tmp_path / "test_plain.py").write_text("def test_plain(): pass\n")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path / "site")}
    outcomes = []
    for words in ([], ["--punctual-scenarios"]):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:django", "-p", "no:cacheprovider", *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, check=False, capture_output=True, text=True)
        outcomes.append((done.returncode, done.stdout))
    assert outcomes[0][0] == 0, outcomes
    assert "1 passed" in outcomes[0][1]
    assert outcomes[1][0] == 2, outcomes
    assert "You are not signed in. Run `punctual sign-in`." in outcomes[1][1]


PUSHED = """
import punctual_client
from punctual_client.library.frames import rows_of
import pandas
frame = pandas.DataFrame({"at": pandas.to_datetime(["2026-01-01T00:00:00Z"]), "n": [1], "x": [float("nan")]})
[row] = rows_of(frame)
print(row["at"].isoformat(), row["n"], row["x"], punctual_client.__version__)
"""


ASSISTANT = """
from punctual_client.assistant.protocol import server_of
print(server_of(None).name)
"""


@pytest.mark.thorough
def test_the_wheel_installs_into_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / "bin" / "python"
    for command in (
        [python, "-m", "pip", "install", "--quiet", f"{wheel}[mcp,pandas]"],
        [tmp_path / "empty" / "bin" / "punctual", "--version"],
    ):
        done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    done = subprocess.run([python, "-c", PUSHED], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.stdout.strip() == "2026-01-01T00:00:00+00:00 1 None 0.1.0", done.stderr
    done = subprocess.run([python, "-c", ASSISTANT], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.stdout.strip() == "punctual", done.stderr
