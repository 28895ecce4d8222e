"""Signing in and out, whoami, and where a token may be stored and sent."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Punctual, token_of
from tests.conftest import ROOT
from tests.webapp.conftest import Person
from webapp.accounts.models import Membership
from webapp.client.address import checked_address
from webapp.client.outcomes import CommandFailure


def kept_in(home: Path) -> Path:
    return home / "punctual" / "credentials.json"


def test_sign_in_tries_the_token_keeps_it_for_its_owner_and_later_commands_use_it(
    bare: Punctual, alice: Person, live_server: Any, home: Path
) -> None:
    token = token_of(alice, "viewer")
    signed_in = bare("sign-in", "--address", live_server.url, "--token-file", "-", stdin=token + "\n")
    assert (signed_in.code, signed_in.err) == (0, "")
    assert "alice@acme.example" in signed_in.out
    assert token not in signed_in.out
    assert kept_in(home).stat().st_mode & 0o777 == 0o600
    assert kept_in(home).parent.stat().st_mode & 0o777 == 0o700
    assert bare("whoami", "--json").json == {
        "address": live_server.url,
        "email": "alice@acme.example",
        "organisation": {
            "slug": "acme",
            "name": "Acme",
            "role": "owner",
            "permissions": ["view"],
            "delete_after": None,
        },
    }


def test_sign_in_reads_the_token_from_a_file_and_the_address_from_the_environment(
    bare: Punctual, alice: Person, live_server: Any, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(token_of(alice))
    ended = bare("sign-in", "--json", "--token-file", str(file), env={"PUNCTUAL_ADDRESS": live_server.url})
    assert (ended.code, ended.json["organisation"]["slug"]) == (0, "acme")


def test_a_token_that_is_refused_is_not_kept(bare: Punctual, live_server: Any, home: Path, db: None) -> None:
    ended = bare("sign-in", "--address", live_server.url, "--token-file", "-", stdin="pct_a_b")
    assert (ended.code, ended.out) == (3, "")
    assert "is not valid" in ended.err
    assert not kept_in(home).exists()


def test_sign_in_without_a_terminal_says_how_to_give_the_token(bare: Punctual) -> None:
    ended = bare("sign-in", "--address", "http://127.0.0.1:1")
    assert (ended.code, "--token-file" in ended.err) == (2, True)


def test_sign_in_at_a_terminal_asks_and_does_not_echo_the_token(alice: Person, live_server: Any, home: Path) -> None:
    token = token_of(alice)
    command = [sys.executable, "-m", "webapp.client", "sign-in", "--address", live_server.url]
    code, shown = at_a_terminal(command, [("not shown): ", token)], {"XDG_CONFIG_HOME": str(home)})
    assert code == 0, shown
    assert "Signed in" in shown
    assert token not in shown
    assert json.loads(kept_in(home).read_text())["token"] == token


def at_a_terminal(command: Sequence[str], answers: list[tuple[str, str]], env: dict[str, str]) -> tuple[int, str]:
    """Run `command` with a terminal of its own; type each answer once its question is there."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, cwd=ROOT, env={**os.environ, **env}, start_new_session=True
    )
    os.close(slave)
    shown = ""
    waiting = list(answers)
    while True:
        try:
            read = os.read(master, 4096).decode()
        except OSError:  # the other end is closed
            break
        if not read:
            break
        shown += read
        if waiting and waiting[0][0] in shown:
            os.write(master, waiting.pop(0)[1].encode() + b"\n")
    os.close(master)
    assert waiting == [], shown
    return process.wait(), shown


def test_sign_out_removes_the_token(bare: Punctual, as_alice: dict[str, str], home: Path) -> None:
    bare("sign-in", "--token-file", "-", "--address", as_alice["PUNCTUAL_ADDRESS"], stdin=as_alice["PUNCTUAL_TOKEN"])
    assert bare("sign-out", "--json").json == {"signed_out": True}
    assert not kept_in(home).exists()
    assert bare("whoami").code == 3
    assert bare("sign-out", "--json").json == {"signed_out": False}


def test_nobody_signed_in_is_3_and_says_what_to_do(bare: Punctual) -> None:
    ended = bare("list")
    assert (ended.code, ended.out) == (3, "")
    assert "punctual sign-in" in ended.err


def test_a_failure_is_a_document_with_json(bare: Punctual) -> None:
    ended = bare("list", "--json")
    assert ended.code == 3
    assert ended.json["error"] == {
        "exit": 3,
        "code": "not_allowed",
        "message": "You are not signed in. Run `punctual sign-in`.",
        "faults": [],
    }


def test_a_kept_token_that_others_may_read_is_not_used(bare: Punctual, as_alice: dict[str, str], home: Path) -> None:
    bare("sign-in", "--token-file", "-", "--address", as_alice["PUNCTUAL_ADDRESS"], stdin=as_alice["PUNCTUAL_TOKEN"])
    kept_in(home).chmod(0o644)
    ended = bare("whoami")
    assert (ended.code, "chmod 600" in ended.err) == (3, True)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"address": "x", "tokens": 1}'])
def test_a_damaged_file_is_reported(content: str, bare: Punctual, home: Path) -> None:
    kept_in(home).parent.mkdir()
    kept_in(home).write_text(content)
    kept_in(home).chmod(0o600)
    ended = bare("whoami")
    assert (ended.code, "is damaged" in ended.err) == (3, True)


def test_the_kept_token_is_not_sent_to_another_address(bare: Punctual, as_alice: dict[str, str]) -> None:
    bare("sign-in", "--token-file", "-", "--address", as_alice["PUNCTUAL_ADDRESS"], stdin=as_alice["PUNCTUAL_TOKEN"])
    ended = bare("whoami", "--address", "https://elsewhere.example")
    assert (ended.code, "no token for https://elsewhere.example" in ended.err) == (3, True)


def test_an_organisation_that_is_not_the_tokens_is_4(punctual: Punctual, alice: Person, charlie: Person) -> None:
    Membership.objects.create(organisation=charlie.organisation, user=alice.user, role="owner")
    assert punctual("whoami", "--organisation", "zeta").code == 4
    assert punctual("list", env={"PUNCTUAL_ORGANISATION": "zeta"}).code == 4


def test_options_stand_before_and_after_the_command(punctual: Punctual) -> None:
    assert punctual("--json", "whoami").json == punctual("whoami", "--json").json


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("http://punctual.example", "plain http"),
        ("http://10.0.0.1:8000", "plain http"),
        ("http://localhost.example", "plain http"),
        ("http://127.0.0.1.example", "plain http"),
        ("127.0.0.1:8000", "scheme"),
        ("ftp://127.0.0.1", "scheme"),
        ("https://", "scheme"),
        ("https://user:word@punctual.example", "no name, password"),
        ("https://punctual.example?next=1", "no name, password"),
        ("https://punctual.example:99999", "cannot be read"),
    ],
)
def test_an_address_that_a_token_must_not_go_to_is_refused_before_anything_is_sent(
    address: str, sentence: str, bare: Punctual
) -> None:
    ended = bare("whoami", "--address", address, env={"PUNCTUAL_TOKEN": "pct_a_b"})
    assert (ended.code, sentence in ended.err) == (2, True)


@pytest.mark.parametrize(
    "address", ["http://localhost:8000/", "http://127.9.9.9", "http://[::1]:80", "https://a.example"]
)
def test_these_addresses_may_be_used(address: str) -> None:
    assert checked_address(address, insecure_http=False) == address.rstrip("/")


def test_plain_http_to_another_machine_needs_an_option() -> None:
    assert checked_address("http://punctual.example", insecure_http=True) == "http://punctual.example"
    with pytest.raises(CommandFailure):
        checked_address("http://punctual.example", insecure_http=False)


@pytest.mark.parametrize(
    "argv",
    [
        ["list", "--token", "pct_0a_secret"],
        ["list", "--token=pct_0a_secret"],
        ["list", "pct_0a_secret"],
        ["list", "--token-file", "pct_0a_secret"],
        ["whoami", "pct_0a_secret"],
        ["validate", "pct_0a_secret", "--token-file", "pct_0a_secret"],
        ["list", "--address", "https://pct_0a_secret@punctual.example"],
    ],
)
def test_a_token_typed_in_a_wrong_place_is_not_repeated(argv: list[str], bare: Punctual) -> None:
    ended = bare(*argv)
    assert ended.code in {2, 3, 4}
    assert "secret" not in ended.out + ended.err


@pytest.mark.parametrize("token", ["two words", "pct_\u00e9", "", "x" * 2000, "pct_a\x1b[2J"])
def test_what_is_no_token_is_3_and_not_repeated(token: str, bare: Punctual) -> None:
    ended = bare("whoami", "--address", "http://127.0.0.1:1", "--token-file", "-", stdin=token)
    assert (ended.code, "isn't a token" in ended.err) == (3, True)
    assert not token or token not in ended.err
