"""Where an adapter may read and write: inside one folder, symbolic links resolved."""

from pathlib import Path

from streaming.adapters.contract import AdapterError


def inside(root: Path, path: str) -> Path:
    """The real path of `path` (relative to `root`, or absolute inside it); it need not exist.

    Raises `AdapterError` when it leads outside `root`, be it by `..`, an absolute path or a symbolic link.
    """
    if "\x00" in path:
        raise AdapterError("The path holds a null character; write it without.")
    folder = root.resolve()
    try:
        real = (folder / path).resolve()
        within = real == folder or folder in real.parents
        if within:
            real.exists()  # refuses what the checks of a path leave open: lengths, characters
    except (OSError, ValueError, RuntimeError):  # RuntimeError: a link to itself
        raise AdapterError("This machine can have no such path; write a shorter or simpler one.") from None
    if not within:
        raise AdapterError(f"'{path}' is outside the folder of this organisation; choose a path inside it.")
    return real
