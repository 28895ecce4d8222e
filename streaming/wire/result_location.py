"""Where an organisation's results lie: in its own folder, or on an object store, decided once and written down there.

What may be long and lasts goes to the location: results, quarantine, commits, restart points, savepoints. What one
machine alone asks and changes stays in the folder: marks of deliveries and readers, refused requests, locks.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

from streaming.wire.folders import REMOTE, folder_at, is_remote
from streaming.wire.results import write_atomically
from streaming.wire.storage import BlobFolder

NOTE: Final = "results_at"
"""The file in an organisation's folder that holds the location; where it is missing, results lie in the folder."""
RESULTS: Final = "results"
OPTIONS: Final = frozenset({"endpoint_override", "scheme", "region"})
"""What a location may say behind its `?`."""


def location_fault(location: str) -> str | None:
    """What is wrong with a location on which all results of an installation are to lie, None where nothing is."""
    parts = urlsplit(location)
    if not is_remote(location) or not parts.netloc:
        return f"it must begin with {REMOTE} and the name of a bucket"
    if "@" in parts.netloc or ":" in parts.netloc:
        return "it must not hold a key: they belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    try:
        options: Mapping[str, list[str]] = parse_qs(parts.query, strict_parsing=True) if parts.query else {}
    except ValueError:
        return "behind its ? must stand name=value, parted by &"
    if unknown := sorted(options.keys() - OPTIONS):
        return f"it knows no {unknown[0]}; behind its ? may stand {', '.join(sorted(OPTIONS))}"
    return None


def settle_location(own: Path, installation: str | None, organisation: str) -> None:
    """Write down where results of the organisation in the folder `own` are to lie, unless that is decided already.

    One that has results in its folder keeps them there: they would not be found any more. Raises `OSError`.
    """
    if installation is None or (own / NOTE).exists() or (own / RESULTS).exists():
        return
    parts = urlsplit(installation)
    mine = parts._replace(path=f"{parts.path.rstrip('/')}/{organisation}").geturl()
    write_atomically(own / NOTE, mine.encode())


def noted_location(own: Path) -> str | None:
    """The location, None where results lie in the folder `own` itself. Raises `OSError`."""
    try:
        return (own / NOTE).read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None


def forget_remote_results(own: Path) -> None:
    """Delete what the organisation in the folder `own` has on an object store, for good. Raises `OSError`."""
    location = noted_location(own)
    if location is not None:
        above, _, name = urlsplit(location).path.rpartition("/")
        folder_at(urlsplit(location)._replace(path=above).geturl()).clear(name)


def result_folder(own: Path) -> BlobFolder:
    """The folder in which `results/<binding>`, restart points and savepoints lie. Raises `OSError`."""
    return folder_at(noted_location(own) or str(own))
