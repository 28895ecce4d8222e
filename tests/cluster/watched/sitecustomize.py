"""Python runs this when it starts: it notes which process writes below PUNCTUAL_WATCHED, or begins to run operators.

Each note is a JSON line: `pid`, `executor` (Spark's id of that whose process it is, null in a driver's), `what` (a path
below the folder, or the name of a module).
"""

import json
import os
import sys
from typing import Any

_MODULES = {"streaming.spark.stage.stage", "streaming.spark.source.feed"}
_FOLDER = os.environ.get("PUNCTUAL_WATCHED", "")
_NOTES = os.environ.get("PUNCTUAL_NOTES", "")
_ID = "--executor-id"


def _executor() -> str | None:
    import psutil

    for process in psutil.Process().parents():
        words = process.cmdline()
        if _ID in words:
            return words[words.index(_ID) + 1]
    return None


def _note(what: str) -> None:
    line = json.dumps({"pid": os.getpid(), "executor": _executor(), "what": what}).encode() + b"\n"
    file = os.open(_NOTES, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, line)
    os.close(file)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "os.rename" and str(arguments[1]).startswith(_FOLDER):
        _note(os.path.relpath(arguments[1], _FOLDER))
    elif event == "import" and arguments[0] in _MODULES:
        _note(arguments[0])


if _FOLDER and _NOTES:
    sys.addaudithook(_hook)
