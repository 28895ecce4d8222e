"""The location of an organisation's results: its own folder or an object store, decided once and recorded there.

Large, lasting data goes to the location: results, quarantine, commits, restart points, savepoints. Data that only one
machine reads and changes stays in the folder: marks of deliveries and readers, refused requests, locks.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

from streaming.storage.blobs import BlobFolder
from streaming.storage.folders import REMOTE, folder_at, is_remote
from streaming.storage.results import write_atomically

NOTE: Final = "results_at"
"""The file in an organisation's folder with the location; without it, results are in the folder."""
RESULTS: Final = "results"
OPTIONS: Final = frozenset({"endpoint_override", "scheme", "region"})
"""The options that a location may have after its `?`."""


def location_fault(location: str) -> str | None:
    """Return what is wrong with a location for all results of an installation, None if it is valid."""
    parts = urlsplit(location)
    if not is_remote(location) or not parts.netloc:
        return f"it must start with {REMOTE} and the name of a bucket"
    if "@" in parts.netloc or ":" in parts.netloc:
        return "it must not contain a key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead"
    try:
        options: Mapping[str, list[str]] = parse_qs(parts.query, strict_parsing=True) if parts.query else {}
    except ValueError:
        return "after its ? it needs name=value pairs, separated by &"
    if unknown := sorted(options.keys() - OPTIONS):
        return f"the option {unknown[0]} doesn't exist; use {', '.join(sorted(OPTIONS))}"
    return None


def settle_location(own: Path, installation: str | None, organisation: str) -> None:
    """Record the location for results of the organisation in the folder `own`, unless that is decided already.

    An organisation with results in its folder keeps them there, or nobody would find them again. Raises `OSError`.
    """
    if installation is None or (own / NOTE).exists() or (own / RESULTS).exists():
        return
    parts = urlsplit(installation)
    mine = parts._replace(path=f"{parts.path.rstrip('/')}/{organisation}").geturl()
    write_atomically(own / NOTE, mine.encode())


def noted_location(own: Path) -> str | None:
    """Return the recorded location, None where results are in the folder `own` itself. Raises `OSError`."""
    try:
        return (own / NOTE).read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None


def forget_remote_results(own: Path) -> None:
    """Delete permanently all data that the organisation in `own` has on an object store. Raises `OSError`."""
    location = noted_location(own)
    if location is not None:
        above, _, name = urlsplit(location).path.rpartition("/")
        folder_at(urlsplit(location)._replace(path=above).geturl()).clear(name)


def result_folder(own: Path) -> BlobFolder:
    """Return the folder with `results/<binding>`, restart points and savepoints. Raises `OSError`."""
    return folder_at(noted_location(own) or str(own))
