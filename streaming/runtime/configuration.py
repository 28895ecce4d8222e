"""The configuration that a runner reads from standard input: other users can read command lines and environments."""

import os
import sys
from typing import TextIO

from pydantic import Field, SecretStr, ValidationError

from streaming.wire.message import Message
from streaming.wire.outgoing import NOTHING, OutgoingPolicy
from streaming.wire.sealed import Keyring


class NotConfigured(Exception):
    """The configuration is unreadable; the message describes the expected form and contains no part of the input."""


class Configuration(Message):
    """The address of Redis (redis://, rediss:// or unix://), and the keys of the organisation, newest first.

    `outgoing` limits the connections of adapters.
    """

    redis: SecretStr
    keys: list[SecretStr] = Field(default_factory=list)
    outgoing: OutgoingPolicy = NOTHING

    def keyring(self) -> Keyring:
        """Return the keyring that opens the organisation's secrets."""
        return Keyring([key.get_secret_value() for key in self.keys])


def read_configuration(stream: TextIO) -> Configuration:
    """Read the configuration, one JSON object, from `stream` to its end. Raises `NotConfigured`."""
    try:
        if not stream.isatty():
            return Configuration.model_validate_json(stream.read())
    except ValidationError:
        pass  # raised below without the cause, which could show the input
    raise NotConfigured(
        'Write the configuration as JSON to the standard input: {"redis": "redis://127.0.0.1:6379/0", "keys": []}.'
    )


def close_standard_input() -> None:
    """Replace standard input by an empty one, so that child processes don't inherit the pipe."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
