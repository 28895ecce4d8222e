"""Secrets among the options of an adapter: their forms, and opening a sealed one.

A text         in a request, and in the memory of the process that uses it; nowhere else {"sealed": T}  as stored and as
it travels: T is a Fernet token under a key of the organisation {"sealed": true}  the placeholder: in pages, exports and
a runner's control log

`streaming.adapters.registry.secrets_among` decides which options are secrets; callers here pass them as `names`.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

_KEY: Final = "sealed"
PLACEHOLDER: Final[Mapping[str, bool]] = {_KEY: True}


class SealBroken(Exception):
    """The available keys can't open a sealed value; the message contains no part of it."""

    def __init__(self) -> None:
        super().__init__("The keys of this installation can't open a secret. Enter it again.")


class Keyring:
    """The keys of one organisation, newest first, each 32 bytes as URL-safe base64. Its `repr` shows none of them."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = MultiFernet([Fernet(key) for key in keys]) if keys else None

    def open(self, token: str) -> str:
        """Return the text inside `token`. Raises `SealBroken`."""
        try:
            if self._keys is not None:
                return self._keys.decrypt(token).decode()
        except (InvalidToken, ValueError):  # ValueError: not a token, or no text inside
            pass  # raised below, without the cause: a traceback would show the token
        raise SealBroken


def sealed(token: str) -> dict[str, str]:
    """Return the stored form of a secret."""
    return {_KEY: token}


def token_of(value: Any) -> str | None:
    """Return the token of a sealed value, None for everything else."""
    if isinstance(value, Mapping) and value.keys() == {_KEY} and isinstance(value[_KEY], str):
        return str(value[_KEY])
    return None


def is_placeholder(value: Any) -> bool:
    """Return whether `value` is the placeholder of a secret."""
    return isinstance(value, Mapping) and value.keys() == {_KEY} and value[_KEY] is True


def concealed(options: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return `options` with the placeholder in place of every secret that is set."""
    return {
        name: dict(PLACEHOLDER) if name in names and value is not None else value for name, value in options.items()
    }


def opened(options: Mapping[str, Any], names: Collection[str], keys: Keyring) -> dict[str, Any]:
    """Return `options` with the text of every sealed secret; placeholders stay. Raises `SealBroken`."""
    found = dict(options)
    for name in names:
        token = token_of(found.get(name))
        if token is not None:
            found[name] = keys.open(token)
    return found
