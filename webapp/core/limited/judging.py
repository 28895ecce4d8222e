"""Validation of large bodies in a limited process first: a body with thousands of errors costs far more than a valid
one, and would delay everybody in the web process.
"""

import importlib
import json
from dataclasses import dataclass, field
from typing import Final

from pydantic import BaseModel, ValidationError

from streaming.definition.faults import Fault
from webapp.core.errors import faults_of
from webapp.core.limited.jobs import MIB, Limits, limited

LIMITS: Final = Limits(cpu_s=5, wall_s=15, memory_bytes=512 * MIB, output_bytes=4 * MIB, file_bytes=0)


@dataclass(frozen=True)
class BodyVerdict:
    """The errors of a body; empty: valid. `unreadable`: it is nested too deeply for JSON."""

    faults: list[Fault] = field(default_factory=list)
    unreadable: bool = False


@limited("Reading this body", "Send less at once.", LIMITS)
def judged(module: str, name: str, content: bytes) -> BodyVerdict:
    """Return the errors that the model `name` of `module` finds in the JSON text `content`."""
    model: type[BaseModel] = getattr(importlib.import_module(module), name)
    return judge(model, content)


def judge(model: type[BaseModel], content: bytes) -> BodyVerdict:
    """Return the errors that `model` finds in `content`, in this process."""
    try:
        model.model_validate_json(content)
    except ValidationError as error:
        if error.error_count() == 1 and "recursion limit" in error.errors(include_url=False)[0]["msg"]:
            return BodyVerdict(unreadable=True)
        return BodyVerdict(faults_of(error, _decoded(content)))
    return BodyVerdict()


def _decoded(content: bytes) -> object:
    """Return the value of a refused body, to locate errors in it; None if it isn't JSON."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
