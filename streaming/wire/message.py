"""The base of messages that one process writes and another reads, on Redis, a socket or a disk.

Processes of two releases work side by side during an upgrade. So a reader ignores fields that it doesn't know, and
every field that came after a release has a default. Definitions by users stay `Strict` also inside a message: one with
an unknown field means something else to its writer, so the reader refuses the whole message.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict

RELEASE: Final = "0.1.0"
"""The release of this program. Each process writes it next to its messages (`keys.releases`, `RELEASE_FILE`), not into
them: readers of release 0.1.0 refuse unknown fields.
"""
RELEASE_FILE: Final = "release"
"""In the folder of a carrier: the release of the program that opened it last."""
Made = TypeVar("Made")


class Message(BaseModel):
    """Frozen; unknown fields are ignored. The text of a validation error doesn't show the input."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    def to_json(self) -> str:
        """Return the message without fields that have their defaults.

        An older reader takes a new optional field, of this message or of a definition in it, only where it is used.
        """
        return self.model_dump_json(exclude_defaults=True)


def make_dataclass(kind: Callable[..., Made], content: Mapping[str, Any]) -> Made:
    """Return the dataclass `kind` with the fields of `content` that it has: a later release may have written more.

    Raises `TypeError` if a field is missing.
    """
    try:
        return kind(**content)
    except TypeError:
        names = {each.name for each in fields(kind)}  # type: ignore[arg-type]
        return kind(**{name: value for name, value in content.items() if name in names})


def is_newer(release: str | None) -> bool:
    """Return whether `release` is later than this program's; False for None."""
    return release is not None and _order(release) > _order(RELEASE)


def _order(release: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in release.split("."))
