"""Sealed secrets: their forms, and that no part of one is readable without its key."""

import traceback

import pytest
from cryptography.fernet import Fernet

from streaming.wire.sealed import PLACEHOLDER, Keyring, SealBroken, concealed, is_placeholder, opened, sealed, token_of

NEW, OLD = Fernet.generate_key().decode(), Fernet.generate_key().decode()
PLANTED = "planted-71c3"


def seal(text: str, key: str) -> dict[str, str]:
    return sealed(Fernet(key).encrypt(text.encode()).decode())


def test_every_key_of_a_ring_opens_secrets() -> None:
    ring = Keyring([NEW, OLD])
    for key in (NEW, OLD):
        assert opened({"token": seal(PLANTED, key), "url": "u"}, {"token"}, ring) == {"token": PLANTED, "url": "u"}


@pytest.mark.parametrize(
    "token",
    ["", "no token", "schlüssel", Fernet(NEW).encrypt(b"\xff").decode()],
    ids=["nothing", "a text", "letters that are not ASCII", "a token of no text"],
)
def test_an_invalid_token_does_not_open(token: str) -> None:
    with pytest.raises(SealBroken):
        Keyring([NEW]).open(token)


@pytest.mark.parametrize("keys", [[], [NEW]])
def test_without_its_key_a_secret_does_not_open_and_the_error_contains_no_part_of_it(keys: list[str]) -> None:
    value = seal(PLANTED, OLD)
    with pytest.raises(SealBroken) as raised:
        opened({"token": value}, {"token"}, Keyring(keys))
    trace = "".join(traceback.format_exception(raised.value))
    assert value["sealed"] not in trace
    assert raised.value.__context__ is None


def test_a_changed_token_does_not_open() -> None:
    token = seal(PLANTED, NEW)["sealed"]
    with pytest.raises(SealBroken):
        Keyring([NEW]).open(token[:-6] + ("AAAA==" if token[-6:] != "AAAA==" else "BBBB=="))


def test_the_text_of_a_ring_contains_no_key() -> None:
    assert NEW not in f"{Keyring([NEW])!r} {Keyring([NEW])}"


def test_concealed_options_have_placeholders_for_set_secrets() -> None:
    options = {"token": seal(PLANTED, NEW), "password": PLANTED, "none": None, "url": "u"}
    without = concealed(options, {"token", "password", "none", "absent"})
    assert without == {"token": PLACEHOLDER, "password": PLACEHOLDER, "none": None, "url": "u"}


@pytest.mark.parametrize("value", [None, "text", 1, {"sealed": False}, {"sealed": 1}, {"sealed": True, "more": 1}, {}])
def test_other_values_are_neither_placeholder_nor_sealed(value: object) -> None:
    assert not is_placeholder(value)
    assert token_of(value) is None
