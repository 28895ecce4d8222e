"""The wheel contains everything that the code reads, and runs without the source tree."""

import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest

from tests.architecture.tree import name, tracked
from tests.conftest import ROOT
from tests.e2e.installation import OF_THE_USER, described, printed_until_ready
from tests.ports import free_port
from webapp.runs.demo import SLUG

ROOMS = ("streaming/", "webapp/", "deploy/")
FOR_PEOPLE = {"README.md", "DECISIONS.md"}
OF_THE_REPOSITORY = (".xml", ".service", ".toml", "compose.yaml", "compose.runner.yaml")
"""Files below `deploy` that only the project's folder needs."""
BUILT = ROOT / "frontend" / "dist"
NOT_BUILT = "the pages aren't built: run make prepare-tests"


def expected() -> set[str]:
    """Return the files of the tree that code reads, by their names in the wheel."""
    files = {name(path) for path in tracked() if name(path).startswith(ROOMS) and path.name not in FOR_PEOPLE}
    files -= {file for file in files if file.startswith("deploy/") and file.endswith(OF_THE_REPOSITORY)}
    pages = [path for path in BUILT.rglob("*") if path.is_file() and path.name != ".punctual-built"]
    return (
        files | {f"webapp/frontend/dist/{path.relative_to(BUILT)}" for path in pages} | {"webapp/frontend/openapi.json"}
    )


def environment(**settings: str) -> dict[str, str]:
    """Return this environment without the project: no settings, no path of modules."""
    dropped = (*OF_THE_USER, "PYTHONPATH", "VIRTUAL_ENV")
    return {**{key: value for key, value in os.environ.items() if not key.startswith(dropped)}, **settings}


def done(command: Sequence[str], cwd: Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    ended = subprocess.run(command, cwd=cwd, env=environment(**settings), check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout[-3_000:] + ended.stderr[-3_000:]
    return ended


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tracked files and the built pages, outside of git, as an archive of the sources has them."""
    folder = tmp_path_factory.mktemp("sources")
    for path in tracked():
        beside = folder / name(path)
        if name(path).startswith((*ROOMS, "frontend/openapi.json", "pyproject.toml", "setup.py", "README.md")):
            beside.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, beside)
    assert (BUILT / "index.html").exists(), NOT_BUILT
    shutil.copytree(BUILT, folder / "frontend" / "dist")
    return folder


@pytest.fixture(scope="module")
def wheel(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    done([sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(out), "."], tree)
    [built] = out.glob("*.whl")
    return built


@pytest.mark.thorough
def test_the_wheel_has_the_files_of_the_tree_and_no_others(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        files = {file for file in archive.namelist() if ".dist-info/" not in file}
    assert sorted(expected() - files) == [], "missing"
    assert sorted(files - expected()) == [], "unexpected"


@pytest.mark.thorough
def test_a_wheel_without_pages_is_refused(tree: Path, tmp_path: Path) -> None:
    bare = shutil.copytree(tree, tmp_path / "bare", ignore=shutil.ignore_patterns("dist", "build", "*.egg-info"))
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(tmp_path), "."]
    ended = subprocess.run(command, cwd=bare, env=environment(), check=False, capture_output=True, text=True)
    assert ended.returncode != 0
    assert "has no built pages" in ended.stdout + ended.stderr


@pytest.mark.thorough
def test_the_version_is_the_git_tag_and_a_fixed_one_outside_of_git(tree: Path, wheel: Path, tmp_path: Path) -> None:
    assert wheel.name.startswith("punctual-0.1.0-")
    repository = shutil.copytree(tree, tmp_path / "repository", ignore=shutil.ignore_patterns("build", "*.egg-info"))
    (repository / ".gitignore").write_text("build/\n*.egg-info/\n")
    author = [
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@example.org",
        "-c",
        "tag.gpgSign=false",
        "-c",
        "commit.gpgSign=false",
    ]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Release"], ["tag", "v7.8.9"]):
        done(["git", *author, *words], repository)
    done([sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(tmp_path), "."], repository)
    [built] = tmp_path.glob("*.whl")
    assert built.name.startswith("punctual-7.8.9-")
    with zipfile.ZipFile(built) as ours, zipfile.ZipFile(wheel) as other:
        names = [{file for file in each.namelist() if ".dist-info/" not in file} for each in (ours, other)]
    assert names[0] == names[1]


@pytest.mark.thorough
def test_an_empty_environment_with_the_wheel_checks_and_shows_the_demo(wheel: Path, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    done([sys.executable, "-m", "venv", str(venv)], tmp_path)
    constraint = ["--constraint", str(ROOT / "requirements.lock")]
    done([str(venv / "bin" / "pip"), "install", "--quiet", *constraint, f"{wheel}[web,runner,demo]"], tmp_path)
    place = done([str(venv / "bin" / "python"), "-c", "import webapp; print(webapp.__file__)"], tmp_path).stdout
    assert place.startswith(str(venv)), "not the source tree"
    data, port = tmp_path / "data", free_port()
    env = environment(PUNCTUAL_DATA=str(data), PORT=str(port), PUNCTUAL_EMBEDDED="1", PUNCTUAL_STANDBY_RUNNERS="0")
    serve = str(venv / "bin" / "punctual-serve")
    check = subprocess.run([serve, "check"], cwd=tmp_path, env=env, check=False, capture_output=True, text=True)
    assert (check.returncode, "ok      built pages" in check.stdout) == (1, True), check.stdout + check.stderr
    assert "PROBLEM migrations" in check.stdout
    demo = subprocess.Popen(
        [serve, "demo"], cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        address = described(r"open (http://\S+)", tuple(printed_until_ready(demo)))
        with httpx.Client(base_url=address, timeout=60) as pages:
            assert "<title>" in pages.get("").text
            assert pages.get("api/openapi.json").json()["info"]["title"] == "Punctual"
            assert pages.get("guide/join").status_code == 200
            assert pages.get("readyz").text == "ok\n"
        assert list(data.glob("*/carriers")), f"the demo {SLUG} runs"
    finally:
        demo.send_signal(signal.SIGTERM)
        rest = demo.communicate(timeout=120)[0]
    assert demo.returncode == 0, rest
