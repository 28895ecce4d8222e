"""`manage.py createtoken`, and the client's variables in the environment of an installation."""

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from tests.conftest import ROOT
from tests.webapp.accounts.test_tokens import Program
from tests.webapp.conftest import Person


def command(**changes: Any) -> str:
    options = {"email": "alice@acme.example", "organisation": "acme", "role": "operator", "days": 7, **changes}
    printed = StringIO()
    call_command("createtoken", stdout=printed, **options)
    return printed.getvalue()


def test_the_command_prints_a_token_that_works(alice: Person) -> None:
    text = command()
    assert text == text.strip() + "\n"
    me = Program(text.strip(), Client()).get("/api/me/").json()
    assert me["organisations"][0]["permissions"] == ["operate", "propose", "push", "view"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"email": "nobody@acme.example"}, "nobody"),
        ({"organisation": "zeta"}, "nothing here"),
        ({"days": 367}, "--days"),
        ({"email": "bob@acme.example"}, "Choose viewer or less"),
        ({"network": ["here"]}, "is not a network"),
    ],
)
def test_the_command_refuses_what_the_api_refuses(
    changes: dict[str, Any], sentence: str, alice: Person, bob: Person, charlie: Person
) -> None:
    with pytest.raises(CommandError, match=sentence):
        command(**changes)


def test_a_shell_that_is_set_up_for_the_client_may_start_an_installation_whose_runners_do_not_get_the_token(
    tmp_path: Path,
) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PUNCTUAL_")}
    client = {
        "PUNCTUAL_TOKEN": "pct_0a_s",
        "PUNCTUAL_ADDRESS": "http://127.0.0.1:8000",
        "PUNCTUAL_ORGANISATION": "acme",
    }
    program = "from webapp.settings import RUNNER_ENVIRONMENT as e; print(*(n for n in e if n.startswith('PUNCTUAL_')))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**env, **client, "PUNCTUAL_DATA": str(tmp_path)},
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["PUNCTUAL_DATA"]
