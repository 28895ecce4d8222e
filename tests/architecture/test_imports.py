"""The import contracts hold, and each of them can fail."""

import ast
import configparser
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.import_chains import house, imports, longest_chain
from tests.architecture.tree import name, written
from tests.conftest import ROOT

CONFIGURATION = ROOT / ".importlinter"
LONGEST_CHAIN = 22
"""Most modules in a chain of imports: following a value from one end to the other opens at most this many files."""

OFFENCES = {
    "streaming-layers": ("streaming/wire/offence.py", "import streaming.engine"),
    "spark-layers": ("streaming/spark/query/offence.py", "import streaming.spark.planning"),
    "reference-layers": ("streaming/reference/expressions/offence.py", "import streaming.reference.windows"),
    "definition-layers": ("streaming/definition/payload/offence.py", "import streaming.definition.checks"),
    "engine-layers": ("streaming/engine/state/offence.py", "import streaming.engine.operators"),
    "temporal-alone": ("streaming/temporal/offence.py", "import numpy"),
    "planning-without-columns": ("streaming/planning/offence.py", "import pyarrow"),
    "streaming-ships-alone": ("streaming/adapters/offence.py", "import django"),
    "pyspark-in-one-room": ("streaming/engine/state/offence.py", "import pyspark"),
    "wasmtime-in-one-room": ("streaming/engine/state/offence.py", "import wasmtime"),
    "delivery-without-surroundings": ("streaming/delivery/offence.py", "import threading"),
    "webapp-layers": ("webapp/core/offence.py", "import webapp.runs"),
    "runs-layers": ("webapp/runs/lifecycle/offence.py", "import webapp.runs.starts"),
    "webapp-and-the-cluster": ("webapp/runs/starts/offence.py", "import streaming.runtime"),
    "webapp-and-time": ("webapp/runs/starts/offence.py", "import streaming.temporal"),
    "variables-alone": ("webapp/variables/offence.py", "import django"),
    "client-ships-alone": ("webapp/client/offence.py", "import webapp.core"),
    "deploy-on-top": ("webapp/core/offence.py", "import deploy"),
}
DIVIDED = {
    *(("streaming", room) for room in ("definition", "engine", "reference", "spark")),
    ("webapp", "runs"),
}
"""Rooms with a contract for their own packages."""
MORE_OFFENCES = [
    ("streaming/engine/state/offence.py", "import streaming.reference"),
    ("streaming/engine/exchange/offence.py", "import streaming.engine.feed"),
    ("streaming/engine/stranger.py", ""),
    ("streaming/reference/offence.py", "import streaming.adapters"),
    ("streaming/planning/offence.py", "import streaming.wire"),
    ("streaming/stranger/__init__.py", ""),
    ("webapp/stranger/__init__.py", ""),
    ("webapp/runs/stranger.py", ""),
    ("webapp/runs/outputs/offence.py", "import webapp.runs.bindings"),
    ("streaming/runtime/offence.py", "import webapp.core"),
    ("streaming/transcripts/offence.py", "import streaming.guide"),
    ("webapp/client/offence.py", "import pydantic"),
]


def lint(folder: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", "import sys; from importlinter.cli import lint_imports_command as run; run()"]
    env = {"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin", "COLUMNS": "200"}
    options = ["--config", str(CONFIGURATION), "--no-cache", "--no-logo"]
    return subprocess.run([*command, *options], cwd=folder, env=env, check=False, capture_output=True, text=True)


def contracts() -> dict[str, str]:
    parser = configparser.ConfigParser()
    parser.read(CONFIGURATION)
    prefix = "importlinter:contract:"
    return {part.removeprefix(prefix): parser[part]["name"] for part in parser.sections() if part.startswith(prefix)}


@pytest.fixture(scope="module")
def skeleton(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the packages of the project, and those within DIVIDED rooms, without their content."""
    folder = tmp_path_factory.mktemp("house")
    for side in ("streaming", "webapp", "deploy"):
        for entry in sorted((ROOT / side).rglob("*.py")):
            beside = entry.relative_to(ROOT)
            room = len(beside.parts) == 2 or (len(beside.parts) == 3 and entry.name == "__init__.py")
            within = len(beside.parts) == 3 or (len(beside.parts) == 4 and entry.name == "__init__.py")
            if room or (beside.parts[:2] in DIVIDED and within):
                (folder / beside).parent.mkdir(parents=True, exist_ok=True)
                (folder / beside).touch()
    return folder


def test_the_contracts_hold() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout


def test_the_contracts_hold_for_empty_rooms(skeleton: Path) -> None:
    done = lint(skeleton)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_contract_has_an_offence_against_it() -> None:
    assert set(OFFENCES) == set(contracts())


@pytest.mark.parametrize("contract", sorted(OFFENCES))
def test_a_contract_sees_an_offence(contract: str, skeleton: Path, tmp_path: Path) -> None:
    done = lint_with_offence(skeleton, tmp_path, *OFFENCES[contract])
    assert f"{contracts()[contract]} BROKEN" in " ".join(done.stdout.split())


@pytest.mark.parametrize(("file", "line"), MORE_OFFENCES)
def test_the_layers_are_exhaustive_and_neighbours_independent(
    file: str, line: str, skeleton: Path, tmp_path: Path
) -> None:
    assert lint_with_offence(skeleton, tmp_path, file, line).returncode == 1


def rooms_against_the_way() -> list[tuple[str, str]]:
    """Yield each package with one that it may not import: of the layer above, or a neighbour in its own layer."""
    parser = configparser.ConfigParser()
    parser.read(CONFIGURATION)
    found: list[tuple[str, str]] = []
    for part in parser.sections():
        if parser[part].get("type") == "layers":
            house = parser[part]["containers"].strip()
            layers = [
                [f"{house}.{each.strip(' ()')}" for each in line.split("|")]
                for line in parser[part]["layers"].split("\n")
                if line
            ]
            for above, layer in zip([[], *layers], layers, strict=False):
                others = {room: [*above, *(each for each in layer if each != room)] for room in layer}
                found += [(room, barred[0]) for room, barred in others.items() if barred]
    return found


@pytest.fixture(scope="module")
def what_rooms_may_not(skeleton: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the report on a project in which every package imports one that it may not."""
    house = shutil.copytree(skeleton, tmp_path_factory.mktemp("rooms") / "house")
    for room, barred in rooms_against_the_way():
        folder = house / room.replace(".", "/")
        file = folder / "offence.py" if folder.is_dir() else folder.with_suffix(".py")
        file.write_text(f"import {barred}\n")
    return lint(house).stdout


@pytest.mark.parametrize(("room", "barred"), rooms_against_the_way())
def test_a_room_sees_an_offence_against_it(room: str, barred: str, what_rooms_may_not: str) -> None:
    offender = f"{room}.offence" if (ROOT / room.replace(".", "/")).is_dir() else room
    assert f"{room} is not allowed to import {barred}:" in what_rooms_may_not
    assert f"{offender} -> {barred} (l.1)" in what_rooms_may_not


def test_no_chain_of_imports_is_longer_than_the_cap() -> None:
    chain = longest_chain(house())
    assert len(chain) <= LONGEST_CHAIN, "\n".join(chain)


def test_a_chain_is_what_runs_when_a_module_is_imported(tmp_path: Path) -> None:
    texts = {
        "a": "from b import name",
        "b": "def late() -> None:\n    import a\ntry:\n    import c.d\nexcept ImportError:\n    pass",
        "c.d": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a",
        "e": "from c import d",
    }
    for module, text in texts.items():
        (tmp_path / module).write_text(text)
    graph = imports({module: tmp_path / module for module in texts})
    assert graph == {"a": {"b"}, "b": {"c.d"}, "c.d": set(), "e": {"c.d"}}
    assert longest_chain(graph) == ["a", "b", "c.d"]


def lint_with_offence(skeleton: Path, tmp_path: Path, file: str, line: str) -> "subprocess.CompletedProcess[str]":
    house = shutil.copytree(skeleton, tmp_path / "house")
    (house / file).parent.mkdir(exist_ok=True)
    (house / file).write_text(f"{line}\n")
    return lint(house)


def imported(source: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("room", ["streaming/temporal", "deploy/prepare", "deploy/up"])
def test_these_rooms_import_nothing_but_the_standard_library_and_their_own(room: str) -> None:
    own = {"streaming/temporal": ("streaming.temporal",)}.get(room, ("deploy", "webapp.variables"))
    strangers = [
        f"{name(path)}: {module}"
        for path in written(".py")
        if name(path).startswith(f"{room}/")
        for module in imported(path.read_text())
        if module.split(".")[0] not in sys.stdlib_module_names and not module.startswith(own)
    ]
    assert strangers == []


def test_features_of_the_browser_part_never_import_each_other() -> None:
    features = ROOT / "frontend" / "src" / "features"
    names = sorted(path.name for path in features.iterdir() if path.is_dir())
    offences = [
        f"{name(path)} -> {other}"
        for path in written(".ts", ".tsx")
        if path.is_relative_to(features)
        for other in names
        if other != path.relative_to(features).parts[0]
        and any(f"{start}{other}{end}" in path.read_text() for start in ("features/", "../") for end in ("/", "'", '"'))
    ]
    assert offences == []
