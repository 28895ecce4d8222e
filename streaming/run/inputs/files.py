"""The files of an input, and the form of their rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from streaming.adapters.contract import AdapterError
from streaming.adapters.file.found import FileFormat, FoundFile, find_files, format_of
from streaming.adapters.file.options import FileOptions
from streaming.run.errors import InputUnreadable

ROOT = Path("/")
"""Files of a run may be anywhere that its user may read."""


@dataclass(frozen=True)
class InputFiles:
    """The files of one input in arrival order: by time of modification, then path. All have one `form`."""

    path: Path
    files: Sequence[FoundFile]
    form: FileFormat

    @property
    def options(self) -> FileOptions:
        """Return the options of the file adapter for these files."""
        return FileOptions(path=str(self.path.resolve()))


def input_files(name: str, path: Path) -> InputFiles:
    """Return the files at `path` for the input `name`. Raises `InputUnreadable`."""
    options = FileOptions(path=str(path.resolve()))
    try:
        files = find_files(ROOT, options)
        forms = {format_of(file.path, options) for file in files}
    except (AdapterError, OSError) as error:
        raise InputUnreadable(f"--input {name}={path}: {error}") from None
    if not files:
        raise InputUnreadable(f"--input {name}={path}: the folder holds no files; choose a folder with files.")
    if len(forms) > 1:
        raise InputUnreadable(
            f"--input {name}={path}: the folder holds {', '.join(sorted(forms))}; keep one form in it."
        )
    return InputFiles(path, files, forms.pop())
