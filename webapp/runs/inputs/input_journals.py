"""The journals of a binding's inputs, in which a runner notes what they read so that it can read the same again."""

from pathlib import Path
from typing import Final

from streaming.resume.restart_points import concealed_spec, journals_place
from streaming.wire.binding_homes import carrier_of
from streaming.wire.messages import RunSpec
from webapp.runs.kept_folders import own_folder

NOTHING_READ: Final = "The binding {name} has no record of rows read yet."
WAIT: Final = "Start it, and try again in ten seconds: its position is recorded that often."


def journals_folder(spec: RunSpec) -> str:
    """Return the folder with a folder for each input of `spec`; it may not exist.

    It does not exist for carriers on an object store, nor for a run that no runner has carried yet.
    """
    carrier, name = carrier_of(own_folder(), spec.binding)
    return str(carrier / journals_place(concealed_spec(spec), name))


def journal_of(folder: str, name: str) -> Path | None:
    """Return the journal of the input `name`, None without one."""
    found = Path(folder, name)
    return found if found.is_dir() else None


def journal_here(folder: str, name: str) -> str | None:
    """Return the journal's path of the input `name`, even before its first entry, if its carrier is on this disk."""
    return str(Path(folder, name)) if Path(folder).parent.parent.is_dir() else None
