"""A toy of each kind can be added with only the steps of ADDING.md."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.toys.moment import LINES, added_to
from tests.architecture.tree import name, written
from tests.conftest import ROOT

QUERY = "SELECT k, {name}(v) AS m FROM rows GROUP BY k WINDOW BY TUMBLE 10s"
ROWS = [(1, "a", 5), (2, "a", 1), (3, "a", 9), (4, "b", 7), (12, "a", 2), (13, "b", None), (14, "b", 4)]


def run(folder: Path, executor: str, name: str = "middle") -> "subprocess.CompletedProcess[str]":
    rows = (json.dumps({"start": start * 1_000_000, "payload": {"k": k, "v": v}}) for start, k, v in ROWS)
    (folder / "rows.jsonl").write_text("\n".join(rows))
    (folder / "query.sql").write_text(QUERY.format(name=name))
    places = ["--query", "query.sql", "--input", "rows=rows.jsonl", "--output", f"{executor}.jsonl"]
    command = [sys.executable, "-m", "tests.architecture.toys.aggregate", *places, "--executor", executor]
    env = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, cwd=folder, env=env, check=False, capture_output=True, text=True)


@pytest.mark.parametrize("executor", ["reference", "engine"])
def test_an_aggregate_is_an_entry_a_function_and_a_kernel(tmp_path: Path, executor: str) -> None:
    done = run(tmp_path, executor)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / f"{executor}.jsonl").read_text().splitlines()]
    wanted: dict[tuple[int, str], list[int]] = {}
    for start, k, v in ROWS:
        wanted.setdefault((start // 10, k), []).extend([] if v is None else [v])
    found = {(row["start"] // 10_000_000, row["payload"]["k"]): row["payload"]["m"] for row in rows}
    assert found == {key: sorted(values)[len(values) // 2] for key, values in wanted.items()}


def test_a_foreign_name_gets_an_error_with_our_name(tmp_path: Path) -> None:
    done = run(tmp_path, "engine", "halfway")
    assert done.returncode == 1
    assert "MIDDLE" in done.stderr


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of `streaming` with a further kind of windows."""
    copy = tmp_path_factory.mktemp("house")
    shutil.copytree(ROOT / "streaming", copy / "streaming", ignore=shutil.ignore_patterns("__pycache__"))
    assert added_to(copy) == 5
    return copy


@pytest.mark.parametrize("executor", ["reference", "engine"])
def test_a_kind_of_windows_is_lines_in_five_files(house: Path, tmp_path: Path, executor: str) -> None:
    rows = (json.dumps({"start": start, "payload": {"k": k, "v": v}}) for start, k, v in [*ROWS, *ROWS[:4]])
    (tmp_path / "rows.jsonl").write_text("\n".join(rows))
    (tmp_path / "query.sql").write_text("SELECT k, count() AS n FROM rows GROUP BY k WINDOW BY MOMENT")
    places = ["--query", "query.sql", "--input", "rows=rows.jsonl", "--output", "found.jsonl", "--executor", executor]
    env = {"PYTHONPATH": str(house), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-m", "streaming.run", *places]
    done = subprocess.run(command, cwd=tmp_path, env=env, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines()]
    given = {(row["start"], row["payload"]["k"], row["payload"]["n"]) for row in found}
    assert given == {(start, k, 2 if number < 4 else 1) for number, (start, k, _) in enumerate(ROWS)}


def listed(kind: str) -> list[str]:
    """Return the files that the page lists for a kind of windows, one a number."""
    _, _, behind = (ROOT / "ADDING.md").read_text().partition("## A kind of windows")
    section, _, _ = behind.partition("\n## ")
    return [path.replace("<kind>", kind) for path in re.findall(r"^\d\. `([^`]+)`:", section, re.MULTILINE)]


def naming(kind: str) -> set[str]:
    """Return the files, except tests, that name a kind of windows: by one of its classes, or as the kind."""
    classes = rf"\b{kind.title()}(Window|Panes|PaneRule|Assigner)\b"
    pattern = re.compile(rf'{classes}|\bkind"?(=|: ?)"?{kind}\b|Literal\["{kind}"\]|case "{kind}"')
    files = (path for path in written(".py", ".ts", ".tsx", ".yaml") if ".test." not in path.name)
    return {name(path) for path in files if not name(path).startswith("tests/") and pattern.search(path.read_text())}


@pytest.mark.parametrize(
    ("kind", "special"),
    [
        ("snapshot", {"streaming/engine/operators/analytic/values.py"}),  # its frames are panes
        ("count", set()),
        (
            "session",
            {f"streaming/definition/{each}.py" for each in ("checks/window_sizes", "checks/lengths", "release")},
        ),
    ],
)
def test_a_kind_of_windows_is_named_in_the_files_that_the_page_lists_and_in_no_others(
    kind: str, special: set[str]
) -> None:
    tests = {"tests/reference/batch/window_kinds.py", f"tests/transcripts/windows/{kind}.yaml"}
    assert len(listed(kind)) <= 10
    assert naming(kind) == (set(listed(kind)) - tests) | special
    assert all((ROOT / path).exists() for path in listed(kind))
    assert LINES.keys() == {path for path in listed(kind) if path.startswith("streaming/") and path.endswith(".py")}


def test_the_browser_has_no_list_of_the_kinds_of_windows_but_the_generated_one() -> None:
    files = [path for path in written(".ts", ".tsx") if ".test." not in path.name]
    assert len(files) > 100
    assert [name(path) for path in files if "time_interval" in path.read_text()] == []
