"""The secrets of a run, asked of its runner by each process that builds the run's adapters.

The control log holds placeholders, so that no secret, sealed or not, is in a checkpoint, and keys may change while a
run goes on. Planner and workers are started by Spark, which hands on the environment alone: it holds the path of a
socket in a folder that nobody but the runner's user may enter, and no secret.
"""

import json
import os
import socket
from collections.abc import Mapping
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.wire.sealed import is_placeholder

ADDRESS_VARIABLE: Final = "PUNCTUAL_RUNNER_SECRETS"
_ANSWER_S: Final = 10.0


def revealed(run: str, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The `options` of input `name` of `run` with its secrets in place of their placeholders.

    Raises `AdapterError`, external when the runner cannot be asked, user when the secret has to be given again.
    """
    if not any(is_placeholder(value) for value in options.values()):
        return dict(options)
    answer = _ask({"run": run, "input": name})
    if "refused" in answer:
        raise AdapterError(answer["refused"], domain=answer["domain"])
    return {**options, **answer["secrets"]}


def _ask(question: Mapping[str, str]) -> dict[str, Any]:
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(_ANSWER_S)
            line.connect(os.environ[ADDRESS_VARIABLE])
            line.sendall(json.dumps(question).encode() + b"\n")
            with line.makefile("rb") as reader:
                answer: dict[str, Any] = json.loads(reader.read())
    except (OSError, KeyError, ValueError):
        raise AdapterError(
            "The runner could not be asked for the secrets of this connection. It is tried again.", domain="external"
        ) from None
    return answer
