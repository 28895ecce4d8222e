"""The `download` adapter: the first batch downloads, every later call reads that copy through the file adapter."""

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from streaming.adapters.contract import AdapterError, Position, RecordSample
from streaming.adapters.download.options import DownloadOptions
from streaming.adapters.download.snapshot import noted
from streaming.adapters.download.source import DownloadSource
from streaming.adapters.file.adapter import FileAdapter
from streaming.adapters.file.options import FileOptions
from streaming.adapters.network.fetching import Reach
from streaming.adapters.places import DataFolder
from streaming.adapters.seeking import BegunLanes, LaneHeld, SoughtWay, require_way
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.ticks import Tick
from streaming.wire.beginning import SoughtBegin
from streaming.wire.execution.case import ONLY_LANE
from streaming.wire.rows.arrived import Arrived

PREVIEWS: Final = ".previews"
_PREVIEW: Final = "tmp"
"""Every folder of a preview has a name that starts like this; other folders in PREVIEWS are left alone."""
_AT_ONCE: Final = (
    "All rows of a download arrive at once, so you can't start at a time between them. Start at a row number "
    "(positions), or at the beginning."
)
LEFT_AFTER_TICKS: Final = 3_600_000_000
"""Age after which a preview folder was left behind by a process that died."""


class DownloadAdapter:
    """Reads one file within `reach` as the lane "0"; a position counts its rows.

    With a journal the file is downloaded once, into the journal's folder: after any restart the same call gives the
    same rows, even if the file at the address has changed. Without a journal (previews) only a part is downloaded, and
    removed with the adapter.
    """

    def __init__(
        self, options: DownloadOptions, stream: StreamDefinition, root: Path, journal: Path | None, reach: Reach
    ) -> None:
        self._options = options
        self._stream = stream
        self._previews = DataFolder(root).around / PREVIEWS
        self._journal = journal
        self._source = DownloadSource(options, reach)
        self._files: FileAdapter | None = None
        self._made = ""
        self._nothing_to_show = False

    def lanes(self) -> Sequence[str]:
        """The one lane "0"."""
        return (ONLY_LANE,)

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """Return the position `limit_rows` rows further; the first call downloads. Raises `AdapterError`."""
        files = self._opened() or self._downloaded(start, Tick(now))
        if files is None:
            return {ONLY_LANE: 0}
        with self._dated():
            return files.latest(start, now=now, limit_rows=limit_rows)

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Return True if the copy was read to its end; False before it exists. Raises `AdapterError`."""
        files = self._opened()
        if files is None:
            return self._nothing_to_show
        with self._dated():
            return files.finished(positions)

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """Yield the rows `[start, end)` of the copy. Raises `AdapterError`, also if the copy was removed."""
        if end <= start:
            return
        files = self._opened()
        if files is None:
            raise self._removed()
        with self._dated():
            yield from files.read(lane, start, end)

    def holds(self, lane: str, start: Position, end: Position) -> bool:
        """Return True if the copy exists. Raises `AdapterError`."""
        files = self._opened()
        return files is not None and files.holds(lane, start, end)

    @property
    def time_means(self) -> str:
        """The meaning of arrival times: all rows arrive when the file is downloaded."""
        return "was downloaded then or later"

    def cannot_begin(self) -> Mapping[SoughtWay, str]:
        """Arrival times can't be a start position: all rows arrive at once, before the first is read."""
        return {"now": _AT_ONCE, "time": _AT_ONCE}

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:
        """Start at a row of the copy that was downloaded before. Raises `AdapterError`."""
        require_way(self, place)
        files = self._opened()
        if files is None:
            raise AdapterError(
                f"{self._source.display_url} has not been downloaded yet, so you can't start at one "
                "of its rows. Start the "
                "run from the beginning."
            )
        return files.begin_at(place, input_id, now=now)

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:  # noqa: ARG002
        """Return only that the lane begins at row 0: anything more would start the download."""
        return [LaneHeld(ONLY_LANE, earliest=0)]

    def sample_records(self, most_records: int, most_bytes: int, *, now: int) -> RecordSample:
        """Return records of the copy, or of the part that a preview downloads. Raises `AdapterError`."""
        files = self._opened() or self._downloaded({}, Tick(now))
        if files is None:
            raise AdapterError(f"{self._source.display_url} returned no rows for a preview. Correct the address.")
        with self._dated():
            return replace(files.sample_records(most_records, most_bytes, now=now), whole=False)

    def _opened(self) -> FileAdapter | None:
        if self._files is None and self._journal is not None:
            snapshot = noted(self._journal)
            if snapshot is None:
                return None
            if snapshot.options != self._source.digest:
                raise AdapterError(
                    f"The file was downloaded from {snapshot.shown} at {snapshot.downloaded_at} with other options. "
                    "Restore those options, or start the binding from the beginning."
                )
            self._made = f" It was downloaded at {snapshot.downloaded_at}."
            self._files = self._reading(self._journal)
        return self._files

    def _downloaded(self, start: Mapping[str, Position], now: Tick) -> FileAdapter | None:
        if self._nothing_to_show:
            return None
        if self._journal is None:
            folder = self._preview_folder(now)
            self._nothing_to_show = not self._source.glance(folder)
            self._files = None if self._nothing_to_show else self._reading(folder)
            return self._files
        if start.get(ONLY_LANE, 0) > 0:
            raise self._removed()
        self._source.download(self._journal, now)  # once: `read` in other processes uses the copy
        return self._opened()

    def _reading(self, folder: Path) -> FileAdapter:
        options = FileOptions(
            path=self._source.file,
            format=self._source.format,
            delimiter=self._options.delimiter,
            dialect=self._options.dialect,
            columns=self._options.columns,
            chunk_rows=self._options.chunk_rows,
            cti_column=self._options.cti_column,
            cti_strict=self._options.cti_strict,
        )
        return FileAdapter(options, self._stream, folder, self._journal)

    def _preview_folder(self, now: Tick) -> Path:
        self._previews.mkdir(parents=True, exist_ok=True)
        for left in self._previews.glob(f"{_PREVIEW}*"):
            with suppress(FileNotFoundError):  # another preview may remove its folder, or this one, now
                if left.stat().st_mtime_ns // 1_000 < now - LEFT_AFTER_TICKS:
                    shutil.rmtree(left, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=_PREVIEW, dir=self._previews))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder

    def _removed(self) -> AdapterError:
        return AdapterError(
            f"The copy of {self._source.display_url} that this run reads was removed, and the file at "
            "that address may have "
            "changed. Restore the copy, or start the binding from the beginning."
        )

    @contextmanager
    def _dated(self) -> Iterator[None]:
        """In errors, replace the copy's name by the address, and add when the copy was made."""
        try:
            yield
        except AdapterError as error:
            message = str(error).replace(f"'{self._source.file}'", f"'{self._source.display_url}'")
            raise AdapterError(message + self._made, domain=error.domain) from None
