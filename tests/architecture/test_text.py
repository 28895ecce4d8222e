"""Texts that no file of the project may contain, and that every module must contain."""

import ast
import re
import subprocess

import yaml

from tests.architecture.tree import name, tracked, written
from tests.conftest import ROOT

REGISTRIES = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("repo", "maven"),
        ("repo1", "maven"),
        ("maven", "apache", "org"),
        ("central", "sonatype"),
        ("crates", "io"),
        ("proxy", "golang", "org"),
        ("deb", "debian", "org"),
    )
)
UNFINISHED = re.compile("|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")))
SKIPPED = re.compile(
    "|".join((r"mark\.sk" + r"ip", r"mark\.xf" + "ail", r"pytest\.sk" + r"ip\(", r"\b(it|test|describe)\.sk" + "ip"))
)
PAUSED = re.compile(r"\bsle" + r"ep\(|waitForTime" + r"out|wait_for_time" + "out")
LOST_NAMES = {"utils", "helpers", "manager", "misc", "common"}


def matching(pattern: re.Pattern[str], files: list[str]) -> list[str]:
    return [one for one in files if pattern.search((ROOT / one).read_text())]


def test_no_link_is_tracked() -> None:
    """A checkout of a tracked link `.venv` replaces the folder with that name, and everything in it."""
    listed = subprocess.run(["git", "ls-files", "--stage"], cwd=ROOT, check=True, capture_output=True, text=True)
    assert [line for line in listed.stdout.splitlines() if line.startswith("120000")] == []


def test_no_file_names_a_package_registry() -> None:
    pattern = re.compile("|".join(map(re.escape, REGISTRIES)).encode())
    assert [name(path) for path in tracked() if pattern.search(path.read_bytes())] == []


def test_the_browser_lock_names_no_addresses() -> None:
    text = (ROOT / "frontend" / "package-lock.json").read_text()
    assert '"resolved"' not in text
    assert '"integrity"' in text


def test_the_python_lock_names_no_addresses() -> None:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9._-]+==\S+( ; .*)?", line)] == []


def test_nothing_is_left_unfinished() -> None:
    assert matching(UNFINISHED, [name(path) for path in written(".py", ".ts", ".tsx")]) == []


def test_no_test_is_passed_over() -> None:
    assert matching(SKIPPED, [name(path) for path in written(".py", ".ts", ".tsx")]) == []


def test_no_test_waits_for_time_to_pass() -> None:
    tests = [name(path) for path in written(".py") if name(path).startswith("tests/")]
    tests += [name(path) for path in written(".ts", ".tsx") if ".test." in path.name]
    assert matching(PAUSED, tests) == []


def test_every_module_has_a_docstring() -> None:
    silent = [
        name(path)
        for path in written(".py")
        if name(path).startswith(("streaming/", "webapp/", "deploy/"))
        and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []


def test_no_module_has_a_vague_name() -> None:
    assert [name(path) for path in written(".py", ".ts", ".tsx") if path.stem in LOST_NAMES] == []


def test_each_transcript_is_named_like_a_fact_and_once() -> None:
    names = []
    for path in sorted((ROOT / "tests" / "transcripts").rglob("*.yaml")):
        documents = [one for one in yaml.safe_load_all(path.read_text()) if one is not None]
        cases = [case for one in documents for case in (one if isinstance(one, list) else [one])]
        names += [case.get("name") for case in cases]
    assert names
    assert [one for one in names if not isinstance(one, str) or not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)+", one)] == []
    assert sorted({one for one in names if names.count(one) > 1}) == []
