"""Completion, tested in the shells of this machine; bash is always there."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.client.conftest import Punctual
from webapp.client.arguments import parser
from webapp.client.completion import SHELLS, tree_of

INSTALLED = [shell for shell in SHELLS if shutil.which(shell)]
"""The input of each shell, and exactly what it must offer."""
ASKED = [
    ("punctual r", {"results", "run"}),
    ("punctual si", {"sign-in", "sign-out"}),
    ("punctual run ", {"start", "stop", "status", "logs"}),
    ("punctual --json run st", {"start", "stop", "status"}),
    ("punctual --organisation run li", {"list"}),
    ("punctual list ", {"streams", "queries", "bindings", "runs"}),
    ("punctual explain --format ", {"text", "json", "mermaid"}),
    ("punctual results export --format ", {"csv", "json_lines", "parquet", "arrow", "xlsx"}),
    ("punctual tail --fr", {"--from-start"}),
    ("punctual run logs --f", {"--follow"}),
    ("punctual apply --", None),
    ("punctual validate sp", {"speeding one.sql", "speeding.sql"}),
    ("punctual whoami --token-file sp", {"speeding one.sql", "speeding.sql"}),
    ("punctual whoami --address ", set()),
    ("punctual tail ", set()),
]

BASH = r"""
source "$SCRIPT"
COMP_LINE="$LINE"
read -r -a COMP_WORDS <<< "$LINE"
[[ "$LINE" == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_punctual
printf '%s\n' "${COMPREPLY[@]}"
"""
ZSH = r"""
compdef() { true }
_describe() { local name="${@[-1]}"; print -rl -- "${(@P)name}" }
compadd() { [[ "$1" == "--" ]] && shift; print -rl -- "$@" }
_files() { print -rl -- *(N) }
source "$SCRIPT"
words=(${(z)LINE})
[[ "$LINE" == *" " ]] && words+=("")
CURRENT=$#words
_punctual
"""
"""The zsh of a terminal cannot be queried from outside: its additions are printed, and common prefixes count."""
FISH = 'source "$SCRIPT"; complete --do-complete "$LINE"'


def offered(shell: str, line: str, script: Path, folder: Path) -> set[str]:
    env = {**os.environ, "SCRIPT": str(script), "LINE": line, "HOME": str(folder.parent)}
    program = {"bash": BASH, "zsh": ZSH, "fish": FISH}[shell]
    flags = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    command = [shell, *flags, "-c", program]
    done = subprocess.run(command, cwd=folder, env=env, check=False, capture_output=True, text=True, timeout=60)
    assert done.stderr == "", done.stderr
    words = {re.split(r"[\t:]", each)[0] for each in done.stdout.splitlines()}
    begun = "" if line.endswith(" ") else line.rsplit(maxsplit=1)[-1]
    return {word for word in words if word and (shell != "zsh" or word.startswith(begun))}


@pytest.mark.parametrize(("line", "words"), ASKED)
@pytest.mark.parametrize("shell", INSTALLED)
def test_a_shell_offers_what_fits(
    shell: str, line: str, words: set[str] | None, bare: Punctual, tmp_path: Path
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    for name in ("speeding.sql", "speeding one.sql", "other.sql"):
        (folder / name).touch()
    script = tmp_path / f"completion.{shell}"
    script.write_text(bare("completion", shell).out)
    found = offered(shell, line, script, folder)
    if words is None:
        assert found >= {"--yes", "--prune", "--json", "--help"}
        assert all(each.startswith("-") for each in found)
    else:
        assert found == words


def test_the_shells_that_are_tried_are_those_that_are_here() -> None:
    assert "bash" in INSTALLED


@pytest.mark.parametrize("shell", INSTALLED)
def test_a_shell_reads_the_script_without_a_complaint(shell: str, bare: Punctual) -> None:
    done = subprocess.run(
        [shell, "-n"], input=bare("completion", shell).out, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", list(SHELLS))
def test_every_command_and_option_is_in_the_script(shell: str, bare: Punctual) -> None:
    script = bare("completion", shell).out
    tree = tree_of(parser())
    assert len(tree.levels) > 15
    for level in tree.levels:
        for word in [*level.commands, *level.choices]:
            assert word in script
        for option in level.options:
            assert (option.lstrip("-") if shell == "fish" else option) in script


def test_an_option_takes_a_value_in_every_position_or_in_none() -> None:
    """The scripts skip the word after such an option before they know the command."""
    tree = tree_of(parser())
    seen: dict[str, bool] = {}
    for level in tree.levels:
        for option in level.options:
            valued = (level.at, option) in tree.values
            assert seen.setdefault(option, valued) == valued


def test_the_script_is_a_document_with_json(bare: Punctual) -> None:
    document = bare("completion", "bash", "--json").json
    assert document == {"shell": "bash", "script": bare("completion", "bash").out}
