"""A missing program is reported in one sentence."""

import pytest

from deploy.prepare.console import SetupError
from deploy.prepare.programs import missing, require

ALL = {"node": "v20.20.2\n", "npm": "11.0.0\n", "java": 'openjdk version "17.0.15" 2025-04-15\n'}


def machine(**programs: str | None) -> object:
    return lambda command: {**ALL, **programs}[command[0]]


def test_a_machine_with_everything_lacks_nothing() -> None:
    assert missing(machine()) == []


@pytest.mark.parametrize(
    ("programs", "sentence"),
    [
        ({"node": None}, "Node.js is missing: install Node.js 20 or newer, with npm."),
        ({"node": "v18.19.0"}, "Node.js 18 is too old: install Node.js 20 or newer, with npm."),
        ({"npm": None}, "npm is missing: install npm together with Node.js."),
        ({"java": None}, "Java is missing: install Java 17, for example openjdk-17-jre-headless."),
        (
            {"java": 'openjdk version "11.0.2"'},
            "Java 11 is too old: install Java 17, for example openjdk-17-jre-headless.",
        ),
    ],
)
def test_what_is_missing_is_named_with_what_to_install(programs: dict[str, str | None], sentence: str) -> None:
    assert missing(machine(**programs)) == [sentence]


def test_everything_missing_is_reported_at_once() -> None:
    with pytest.raises(SetupError) as raised:
        require(machine(node=None, java=None))
    assert len(str(raised.value).splitlines()) == 2


def test_this_machine_has_what_it_takes() -> None:
    assert missing() == []
