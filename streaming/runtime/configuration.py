"""What a runner is told on its standard input: a command line and an environment can be read by others."""

import os
import sys
from typing import TextIO

from pydantic import Field, SecretStr, ValidationError

from streaming.definition.strict import Strict
from streaming.wire.outgoing import NOTHING, OutgoingPolicy
from streaming.wire.sealed import Keyring


class NotConfigured(Exception):
    """The configuration cannot be read; the message says what is expected, and nothing of what was there."""


class Configuration(Strict):
    """The address of Redis (redis://, rediss:// or unix://), and the keys of the organisation, newest first.

    `outgoing` is how far adapters may reach.
    """

    redis: SecretStr
    keys: list[SecretStr] = Field(default_factory=list)
    outgoing: OutgoingPolicy = NOTHING

    def keyring(self) -> Keyring:
        """What opens the organisation's secrets."""
        return Keyring([key.get_secret_value() for key in self.keys])


def read_configuration(stream: TextIO) -> Configuration:
    """The configuration that `stream` holds to its end, as one JSON object. Raises `NotConfigured`."""
    try:
        if not stream.isatty():
            return Configuration.model_validate_json(stream.read())
    except ValidationError:
        pass  # told below without the cause, which could show what was read
    raise NotConfigured(
        'Write the configuration as JSON to the standard input: {"redis": "redis://127.0.0.1:6379/0", "keys": []}.'
    )


def close_standard_input() -> None:
    """Let no process that is started from now on inherit the pipe."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
