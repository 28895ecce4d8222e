"""The variables of an installation: one table, from which they are read and their page is printed."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.tree import name, written
from tests.conftest import ROOT
from webapp.variables.page import lines
from webapp.variables.reading import Environment
from webapp.variables.table import FILE, KNOWN, SECRETS, VARIABLES, Kind

READERS = ("webapp/variables/", "webapp/environment.py", "webapp/settings.py", "webapp/client/")
"""The table and its readers; `environment` gets the values that were read; the client has variables of its own."""
OF_THE_PROCESS = {
    "webapp/settings.py",
    "webapp/asgi.py",
    "webapp/celery.py",
    "webapp/core/limited/server.py",
    "webapp/client/library/client.py",
    "webapp/client/main.py",
    "deploy/backup/commands.py",
    "deploy/backup/databases.py",
    "deploy/serve/__main__.py",
    "deploy/serve/servers.py",
    "deploy/serve/logs.py",
    "deploy/serve/demo.py",
    "deploy/installation/__main__.py",
    "deploy/up/__main__.py",
    "deploy/prepare/debian.py",
    "deploy/client/wheel.py",
}
"""The modules of webapp and deploy that use the environment of their process, to pass it on or to read it."""


def of_rooms(*rooms: str) -> list[Path]:
    return [path for path in written(".py") if name(path).startswith(rooms)]


def names_read(tree: ast.AST) -> Iterator[str]:
    """Yield each constant that is used as the key of a mapping: in brackets, with `get`, `pop` or `getenv`, or `in`."""
    for node in ast.walk(tree):
        keys: list[ast.expr] = []
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            keys = [node.slice]
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            keys = node.args[:1] if called in {"get", "pop", "getenv", "setdefault"} else []
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            keys = [node.left]
        yield from (str(key.value) for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str))


def test_the_page_is_what_the_table_says() -> None:
    page = (ROOT / "deploy" / "CONFIGURATION.md").read_text().splitlines()
    assert page == list(lines()), "print it again: python -m webapp.variables.page >deploy/CONFIGURATION.md"


def test_no_module_but_the_reader_reads_a_variable() -> None:
    found = {
        name(path): sorted(read)
        for path in of_rooms("streaming/", "webapp/", "deploy/")
        if not name(path).startswith(READERS)
        and (read := {key for key in names_read(ast.parse(path.read_text())) if key in KNOWN and key != "PORT"})
    }
    assert found == {}


def test_few_modules_use_the_environment_of_their_process() -> None:
    using = {name(path) for path in of_rooms("webapp/", "deploy/") if "os.environ" in path.read_text()}
    assert using <= OF_THE_PROCESS
    assert not [path for path in of_rooms("webapp/", "deploy/", "streaming/") if "getenv" in path.read_text()]


@pytest.mark.parametrize(
    "text", ['os.environ["PUNCTUAL_DATA"]', 'os.environ.get("PUNCTUAL_DATA")', '"PUNCTUAL_DATA" in e']
)
def test_the_search_for_readers_sees_each_way(text: str) -> None:
    assert list(names_read(ast.parse(text))) == ["PUNCTUAL_DATA"]


def test_each_variable_has_a_meaning_a_role_and_a_default_of_its_kind() -> None:
    assert [each.name for each in VARIABLES.values() if not each.meaning.endswith(".") or not each.roles] == []
    defaults = {each.name: each.default for each in VARIABLES.values() if each.default}
    assert Environment(defaults).problems == []
    assert [each.name for each in VARIABLES.values() if (each.kind is Kind.CHOICE) != bool(each.choices)] == []


@pytest.mark.parametrize("variable", [each.name for each in VARIABLES.values() if each.secret])
def test_every_secret_can_be_in_a_file_and_reaches_no_runner(variable: str, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("planted\n")
    read = Environment({variable + FILE: str(file), "PATH": "/bin"})
    assert (read.text(variable), read.problems, read.is_set(variable)) == ("planted", [], True)
    assert read.handed_on == {"PATH": "/bin"}
    assert {variable, variable + FILE} <= SECRETS


def test_a_secret_that_is_set_twice_or_unreadable_or_empty_is_a_problem(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    both = {"DATABASE_URL": "postgresql://planted", "DATABASE_URL_FILE": str(empty)}
    others = {"REDIS_URL_FILE": str(tmp_path / "absent"), "PUNCTUAL_SECRET_KEY_FILE": str(empty)}
    twice, absent, nothing = Environment({**both, **others}).problems
    assert twice == "DATABASE_URL and DATABASE_URL_FILE are both set: unset one of them."
    assert "REDIS_URL_FILE: " in absent
    assert "No such file" in absent
    assert nothing.endswith("is empty. Write the value of PUNCTUAL_SECRET_KEY into it.")
    assert "planted" not in "".join((twice, absent, nothing))


def test_all_problems_are_found_at_once_and_each_reads_as_its_default() -> None:
    wrong = {"PUNCTUAL_POOLS": "-1", "PUNCTUAL_DEBUG": "yes", "PUNCTUAL_SIGN_UP": "all", "PUNCTUAL_NONE": "1"}
    read = Environment(wrong)
    assert [problem.split(" ")[0] for problem in read.problems] == [
        "PUNCTUAL_NONE",
        "PUNCTUAL_DEBUG",
        "PUNCTUAL_SIGN_UP",
        "PUNCTUAL_POOLS",
    ]
    assert (read.number("PUNCTUAL_POOLS"), read.switch("PUNCTUAL_DEBUG"), read.text("PUNCTUAL_SIGN_UP")) == (
        0,
        False,
        "",
    )
    assert Environment({"PUNCTUAL_TOKEN": "of the client"}).problems == []
