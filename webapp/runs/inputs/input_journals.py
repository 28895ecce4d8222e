"""Where a runner has noted what the inputs of a binding have read, so that it can be read again as it was."""

from pathlib import Path
from typing import Final

from streaming.wire.binding_homes import carrier_of
from streaming.wire.kept import concealed_spec, journals_place
from streaming.wire.messages import RunSpec
from webapp.runs.kept_folders import own_folder

NOTHING_READ: Final = "The binding {name} has read nothing that is known of yet."
WAIT: Final = "Start it, and try again in ten seconds: how far it has read is noted so often."


def journals_folder(spec: RunSpec) -> str:
    """Return the folder with a folder for each input of `spec`; it need not be there.

    Those of carriers on an object store are not, and a run that no runner has carried yet has none.
    """
    carrier, name = carrier_of(own_folder(), spec.binding)
    return str(carrier / journals_place(concealed_spec(spec), name))


def journal_of(folder: str, name: str) -> Path | None:
    """Return the journal of the input `name`, None where there is none."""
    found = Path(folder, name)
    return found if found.is_dir() else None


def journal_here(folder: str, name: str) -> str | None:
    """Return where the input `name` journals, if its carrier is on this disk: one that has journaled nothing, too."""
    return str(Path(folder, name)) if Path(folder).parent.parent.is_dir() else None
