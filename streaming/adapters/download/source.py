"""The download itself: the whole file for a run, enough of it for a preview."""

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
from streaming.adapters.formats.text.dialect import PLAIN_DIALECT
from streaming.adapters.network.fetching import FetchedFile, Reach, fetch
from streaming.adapters.network.urls import read_url
from streaming.temporal.ticks import Tick, format_instant

DOWNLOAD_S: Final = 300.0
PREVIEW_S: Final = 20.0
PREVIEW_BYTES: Final = 4 << 20
PREVIEW_PARQUET_BYTES: Final = 64 << 20
_SUFFIXES: Final[dict[FileFormat, str]] = {
    "csv": ".csv",
    "json_lines": ".jsonl",
    "json": ".json",
    "parquet": ".parquet",
}


class DownloadSource:
    """The file at the address of `options`, requested within `reach`. Raises `AdapterError` for invalid options."""

    def __init__(self, options: DownloadOptions, reach: Reach) -> None:
        self._url = read_url(options.url)
        if self._url.scheme == "http" and options.token is not None:
            raise AdapterError("A token is not sent without TLS, because anybody could read it. Use https://.")
        self._options = options
        self._reach = reach
        self.format = _format(self._url.file_name, options)
        self.file = f"snapshot{_SUFFIXES[self.format]}"

    @property
    def display_url(self) -> str:
        """The address without its query."""
        return self._url.display_url

    @property
    def digest(self) -> str:
        """A digest of the options that determine the rows; the same file may be read with another token."""
        own = {"token", "chunk_rows", "most_bytes"}
        ctis = {"cti_column", "cti_strict"} if self._options.cti_column is None else set()
        plain = {"dialect"} if self._options.dialect == PLAIN_DIALECT else set()
        text = self._options.model_dump_json(
            exclude=own | ctis | plain
        )  # unset options keep the digest of earlier releases
        return hashlib.sha256(text.encode()).hexdigest()

    def download(self, folder: Path, now: Tick) -> DownloadNote:
        """Write the whole file and the note to `folder`. Raises `AdapterError`, `OSError`."""
        most = self._options.most_bytes
        with self._request(DOWNLOAD_S) as found:
            if found.length is not None and found.length > most:
                raise too_large(self.display_url, most)
            size = keep(
                folder / self.file,
                limited(self._plain(limited(found.chunks, most, self.display_url)), most, self.display_url),
            )
        snapshot = DownloadNote(
            file=self.file, shown=self.display_url, options=self.digest, downloaded_at=format_instant(now), size=size
        )
        note(folder, snapshot)
        return snapshot

    def glance(self, folder: Path) -> bool:
        """Write the first lines, or a Parquet file of at most 64 MiB, to `folder`; True if there is something to
        show.
        """
        most = self._options.most_bytes
        with self._request(PREVIEW_S) as found:
            if found.length is not None and found.length > most:
                raise too_large(self.display_url, most)
            plain = limited(self._plain(found.chunks), most, self.display_url)
            if self.format == "json":
                keep(folder / self.file, limited(plain, PREVIEW_PARQUET_BYTES, self.display_url))
                return True
            if self.format != "parquet":
                keep(folder / self.file, first_lines(plain, PREVIEW_BYTES))
                return True
            if found.length is not None and found.length > PREVIEW_PARQUET_BYTES:
                return False
            keep(folder / self.file, limited(plain, PREVIEW_PARQUET_BYTES, self.display_url))
            return True

    def _request(self, most_s: float) -> AbstractContextManager[FetchedFile]:
        token = self._options.token
        secret = None if token is None else token.get_secret_value()
        return fetch(self._url, self._reach, most_s=most_s, token=secret)

    def _plain(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        if self._url.file_name.lower().endswith(".gz"):
            return unpacked(chunks, self.display_url)
        return iter(chunks)


def _format(name: str, options: DownloadOptions) -> FileFormat:
    try:
        return format_of(name, FileOptions(path=name or "/", format=options.format))
    except AdapterError:
        raise AdapterError(
            f"The format of '{name}' can't be determined from its name. Choose csv, json_lines, json or parquet "
            "as `format`."
        ) from None
