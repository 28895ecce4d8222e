"""What is downloaded: the whole file for a run, enough of it for a preview."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.download.options import DownloadOptions
from streaming.adapters.download.snapshot import DownloadNote, first_lines, keep, limited, note, too_large, unpacked
from streaming.adapters.file.found import FileFormat, format_of
from streaming.adapters.file.options import FileOptions
from streaming.adapters.network.fetching import FetchedFile, Reach, fetched
from streaming.adapters.network.urls import read_url
from streaming.temporal.ticks import Tick, format_instant

DOWNLOAD_S: Final = 300.0
PREVIEW_S: Final = 20.0
PREVIEW_BYTES: Final = 4 << 20
PREVIEW_PARQUET_BYTES: Final = 64 << 20
_SUFFIXES: Final[dict[FileFormat, str]] = {"csv": ".csv", "json_lines": ".jsonl", "parquet": ".parquet"}


class DownloadSource:
    """The file at the address of `options`, asked for within `reach`. Raises `AdapterError` for odd options."""

    def __init__(self, options: DownloadOptions, reach: Reach) -> None:
        self._url = read_url(options.url)
        if self._url.scheme == "http" and options.token is not None:
            raise AdapterError("A token is not sent without TLS, where anybody could read it. Write https://.")
        self._options = options
        self._reach = reach
        self.format = _format(self._url.file_name, options)
        self.file = f"snapshot{_SUFFIXES[self.format]}"

    @property
    def shown(self) -> str:
        """The address without its query."""
        return self._url.shown

    @property
    def digest(self) -> str:
        """A digest of the options that decide which rows there are; another token may read the same file."""
        own = {"token", "chunk_rows", "most_bytes"}
        ctis = {"cti_column", "cti_strict"} if self._options.cti_column is None else set()
        text = self._options.model_dump_json(exclude=own | ctis)  # those who read none mean what they meant before
        return hashlib.sha256(text.encode()).hexdigest()

    def download(self, folder: Path, now: Tick) -> DownloadNote:
        """Put the whole file and the note into `folder`. Raises `AdapterError`, `OSError`."""
        most = self._options.most_bytes
        with self._asked(DOWNLOAD_S) as found:
            if found.length is not None and found.length > most:
                raise too_large(self.shown, most)
            size = keep(
                folder / self.file, limited(self._plain(limited(found.chunks, most, self.shown)), most, self.shown)
            )
        snapshot = DownloadNote(
            file=self.file, shown=self.shown, options=self.digest, downloaded_at=format_instant(now), size=size
        )
        note(folder, snapshot)
        return snapshot

    def glance(self, folder: Path) -> bool:
        """Put the first lines, or a Parquet file of at most 64 MiB, into `folder`; whether there is something to show.

        Raises `AdapterError`, `OSError`.
        """
        most = self._options.most_bytes
        with self._asked(PREVIEW_S) as found:
            if found.length is not None and found.length > most:
                raise too_large(self.shown, most)
            plain = limited(self._plain(found.chunks), most, self.shown)
            if self.format != "parquet":
                keep(folder / self.file, first_lines(plain, PREVIEW_BYTES))
                return True
            if found.length is not None and found.length > PREVIEW_PARQUET_BYTES:
                return False
            keep(folder / self.file, limited(plain, PREVIEW_PARQUET_BYTES, self.shown))
            return True

    def _asked(self, most_s: float) -> AbstractContextManager[FetchedFile]:
        token = self._options.token
        secret = None if token is None else token.get_secret_value()
        return fetched(self._url, self._reach, most_s=most_s, token=secret)

    def _plain(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        if self._url.file_name.lower().endswith(".gz"):
            return unpacked(chunks, self.shown)
        return iter(chunks)


def _format(name: str, options: DownloadOptions) -> FileFormat:
    try:
        return format_of(name, FileOptions(path=name or "/", format=options.format))
    except AdapterError:
        raise AdapterError(
            f"The format of '{name}' cannot be told from its name. Choose csv, json_lines or parquet under `format`."
        ) from None
