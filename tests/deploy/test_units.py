"""systemd units and Compose files: each starts `punctual-serve` with words that it knows and settings that exist."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.serve.command_line import command_line
from tests.conftest import ROOT
from webapp.variables.table import FILE, KNOWN, VARIABLES

UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
COMPOSE = ROOT / "deploy" / "compose"
PROGRAM = "/opt/punctual/bin/punctual-serve"
OF_OTHERS = {"XDG_CACHE_HOME"}
ROLES = {"web", "worker", "beat", "runner", "migrate"}


def settings_of(unit: str, key: str) -> list[str]:
    return re.findall(rf"^{key}=(.*)$", unit, re.MULTILINE)


def role_of(words: list[str]) -> str:
    options, more = command_line().parse_known_args(words)
    assert options.role == "runner" or not more
    return str(options.role)


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_has_a_command_and_settings_that_exist(path: Path) -> None:
    unit = path.read_text()
    [command] = settings_of(unit, "ExecStart")
    program, *words = shlex.split(command)
    assert program == PROGRAM
    assert path.stem.removesuffix("@") == f"punctual-{role_of(words)}"
    names = [pair.partition("=")[0] for line in settings_of(unit, "Environment") for pair in shlex.split(line)]
    assert set(names) - OF_OTHERS <= KNOWN
    credentials = {line.partition(":")[0] for line in settings_of(unit, "LoadCredential")}
    assert credentials == set(re.findall(r"%d/([\w-]+)", unit)), "each secret is loaded and used"
    assert settings_of(unit, "UMask") == ["0077"]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_systemd_reads_a_unit_without_a_complaint(path: Path, tmp_path: Path) -> None:
    """Its program is another here, because systemd looks for it on this machine."""
    analyzer = shutil.which("systemd-analyze")
    assert analyzer, "systemd-analyze is missing: install systemd"
    copied = tmp_path / path.name.replace("@", "@x")
    text = path.read_text().replace(PROGRAM, "/bin/true")
    copied.write_text(text.replace("User=punctual\nGroup=punctual\n", "User=root\nGroup=root\n"))
    done = subprocess.run([analyzer, "verify", "--man=no", str(copied)], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_there_is_a_unit_for_each_process() -> None:
    assert {path.stem.removeprefix("punctual-").removesuffix("@") for path in UNITS} == ROLES


def services() -> Iterator[tuple[str, dict[str, Any]]]:
    for file in ("compose.yaml", "compose.runner.yaml"):
        yield from yaml.safe_load((COMPOSE / file).read_text())["services"].items()


OURS = [(name, service) for name, service in services() if name in ROLES]


@pytest.mark.parametrize(("name", "service"), OURS, ids=[name for name, _ in OURS])
def test_a_service_has_a_command_and_settings_that_exist(name: str, service: dict[str, Any]) -> None:
    assert role_of(service["command"]) == name
    assert set(service["environment"]) - OF_OTHERS <= KNOWN
    used = {Path(value).name for key, value in service["environment"].items() if key.endswith(FILE)}
    assert used == set(service["secrets"]), "each secret is mounted and used"
    assert not [key for key in service["environment"] if key in VARIABLES and VARIABLES[key].secret], "only in files"
    assert (service["read_only"], service["cap_drop"], service["stop_grace_period"]) == (True, ["ALL"], "35s")


@pytest.mark.parametrize(("name", "service"), OURS, ids=[name for name, _ in OURS])
def test_a_health_check_is_a_command_that_exists(name: str, service: dict[str, Any]) -> None:
    if "healthcheck" not in service:
        assert name in {"beat", "migrate"}
        return
    _, program, *words = service["healthcheck"]["test"]
    assert program == "punctual-serve"
    assert command_line().parse_args(words).process == name


def test_the_compose_files_define_all_secrets_and_volumes_that_they_use() -> None:
    files = [yaml.safe_load((COMPOSE / file).read_text()) for file in ("compose.yaml", "compose.runner.yaml")]
    secrets = {name for file in files for name in file["secrets"]}
    volumes = {name for file in files for name in file.get("volumes", ())}
    every = [service for _, service in services()]
    assert {secret for service in every for secret in service.get("secrets", ())} == secrets
    assert {volume.partition(":")[0] for service in every for volume in service.get("volumes", ())} == volumes
    assert {name for name, _ in OURS} == ROLES
    waits = {needed for service in every for needed in service.get("depends_on", ())}
    assert waits <= {name for name, _ in services()}
