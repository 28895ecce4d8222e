"""Secret options: their text forms, and the secrets of an options model."""

from typing import Annotated, Any

import pytest
from pydantic import Field, ValidationError

from streaming.adapters.registry import adapter_kind, kinds, read_options, secrets_among
from streaming.adapters.secret_options import MOST_CHARACTERS, SecretText, secret_names
from streaming.definition.strict import Strict

PLANTED = "planted-2f9a"


class Connection(Strict):
    """A connection with two secrets."""

    url: str
    token: Annotated[SecretText | None, Field(title="Token")] = None
    password: SecretText


class Nested(Strict):
    """Secrets in a list."""

    passwords: list[SecretText]


class Deep(Strict):
    """A secret in a model of its own."""

    inner: Connection


def test_a_secret_shows_nothing_of_itself() -> None:
    made = Connection.model_validate({"url": "u", "token": PLANTED, "password": PLANTED})
    shown = f"{made!r} {made} {made.model_dump(mode='json')} {made.model_dump_json()}"
    assert PLANTED not in shown
    assert made.password.get_secret_value() == PLANTED


def test_the_schema_of_a_secret_asks_for_a_password_field() -> None:
    schema = Connection.model_json_schema()["properties"]
    assert (schema["password"]["writeOnly"], schema["password"]["format"]) == (True, "password")
    assert schema["token"]["anyOf"][0]["writeOnly"] is True


def test_the_secrets_of_a_model_include_optional_ones() -> None:
    assert secret_names(Connection) == {"token", "password"}


@pytest.mark.parametrize("model", [Nested, Deep])
def test_a_secret_inside_another_option_is_refused(model: type[Strict]) -> None:
    with pytest.raises(TypeError, match=f"{model.__name__}.*option of its own"):
        secret_names(model)


@pytest.mark.parametrize("value", ["", "x" * (MOST_CHARACTERS + 1), 7, [PLANTED], {"sealed": PLANTED}])
def test_an_invalid_secret_is_not_repeated_in_the_error(value: Any) -> None:
    with pytest.raises(ValidationError) as raised:
        Connection.model_validate({"url": "u", "password": value})
    assert PLANTED not in str(raised.value)
    assert "input_value" not in str(raised.value)


def test_the_token_of_a_download_is_a_secret_that_is_sent_only_to_its_address() -> None:
    assert adapter_kind("download").secrets == {"token"}
    assert adapter_kind("download").addresses == {"url"}
    assert [kind.kind for kind in kinds() if kind.secrets and not kind.addresses] == []
    assert PLANTED not in repr(read_options("download", {"url": "https://a.example/x.csv", "token": PLANTED}))


def test_for_an_unknown_kind_sealed_options_are_secret() -> None:
    assert secrets_among("gone", {"a": {"sealed": "x"}, "b": {"sealed": True}, "c": "text"}) == {"a"}
