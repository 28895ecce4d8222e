"""A thing of each kind is added as the page "To add" says, and nothing else is changed."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.toys.moment import added_to
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


def test_who_writes_what_others_call_it_is_told_its_name(tmp_path: Path) -> None:
    done = run(tmp_path, "engine", "halfway")
    assert done.returncode == 1
    assert "MIDDLE" in done.stderr


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of `streaming` with a further kind of windows."""
    copy = tmp_path_factory.mktemp("house")
    shutil.copytree(ROOT / "streaming", copy / "streaming", ignore=shutil.ignore_patterns("__pycache__"))
    assert added_to(copy) == 10
    return copy


@pytest.mark.parametrize("executor", ["reference", "engine"])
def test_a_kind_of_windows_is_ten_files_of_python(house: Path, tmp_path: Path, executor: str) -> None:
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
