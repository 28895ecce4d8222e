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
from streaming.definition.streams import StreamDefinition
from streaming.temporal.ticks import Tick
from streaming.wire.arrived import Arrived
from streaming.wire.beginning import SoughtBegin
from streaming.wire.case import ONLY_LANE

PREVIEWS: Final = ".previews"
_AT_ONCE: Final = (
    "A download is one file, whose rows all come when it is downloaded, so that no moment divides them. Begin at a row "
    "by its number (positions), or at the beginning."
)
LEFT_AFTER_TICKS: Final = 3_600_000_000
"""A preview that is older was left by a process that died."""


class DownloadAdapter:
    """Reads one file within `reach` as the lane "0"; a position counts its rows.

    With a journal the file is downloaded once, into the journal's folder: after any restart the same call gives the
    same rows, whatever the address answers by then. Without one (previews) a part is downloaded, and removed with the
    adapter.
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
        """`limit_rows` rows further; the first call downloads. Raises `AdapterError`."""
        files = self._opened() or self._downloaded(start, Tick(now))
        if files is None:
            return {ONLY_LANE: 0}
        with self._dated():
            return files.latest(start, now=now, limit_rows=limit_rows)

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Whether the copy was read to its end; False before there is one. Raises `AdapterError`."""
        files = self._opened()
        if files is None:
            return self._nothing_to_show
        with self._dated():
            return files.finished(positions)

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """The rows `[start, end)` of the copy. Raises `AdapterError`, also when the copy was removed."""
        if end <= start:
            return
        files = self._opened()
        if files is None:
            raise self._removed()
        with self._dated():
            yield from files.read(lane, start, end)

    def holds(self, lane: str, start: Position, end: Position) -> bool:
        """Whether the copy is there. Raises `AdapterError`."""
        files = self._opened()
        return files is not None and files.holds(lane, start, end)

    @property
    def time_means(self) -> str:
        """All rows came when the file was downloaded."""
        return "was downloaded then or later"

    def cannot_begin(self) -> Mapping[SoughtWay, str]:
        """By when rows came: they all came at once, before the first of them is read."""
        return {"now": _AT_ONCE, "time": _AT_ONCE}

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:
        """At a row of the copy that was downloaded before. Raises `AdapterError`."""
        require_way(self, place)
        files = self._opened()
        if files is None:
            raise AdapterError(
                f"Nothing of {self._source.shown} was downloaded yet, so that no row of it can be named. Start the run "
                "from the beginning."
            )
        return files.begin_at(place, input_id, now=now)

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:  # noqa: ARG002
        """Nothing but that it begins at row 0: asking for more would download it."""
        return [LaneHeld(ONLY_LANE, earliest=0)]

    def sample_records(self, most_records: int, most_bytes: int, *, now: int) -> RecordSample:
        """Records of the copy, or of the part of the file that a preview downloads. Raises `AdapterError`."""
        files = self._opened() or self._downloaded({}, Tick(now))
        if files is None:
            raise AdapterError(
                f"{self._source.shown} sends nothing that a row could be read from; correct the address."
            )
        with self._dated():
            return replace(files.sample_records(most_records, most_bytes, now=now), whole=False)

    def _opened(self) -> FileAdapter | None:
        if self._files is None and self._journal is not None:
            snapshot = noted(self._journal)
            if snapshot is None:
                return None
            if snapshot.options != self._source.digest:
                raise AdapterError(
                    f"The file was downloaded from {snapshot.shown} at {snapshot.downloaded_at} for other options. "
                    "Set them back, or start the binding again from the beginning."
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
        self._source.download(self._journal, now)  # once: `read` in other processes finds the copy
        return self._opened()

    def _reading(self, folder: Path) -> FileAdapter:
        options = FileOptions(
            path=self._source.file,
            format=self._source.format,
            delimiter=self._options.delimiter,
            columns=self._options.columns,
            chunk_rows=self._options.chunk_rows,
            cti_column=self._options.cti_column,
            cti_strict=self._options.cti_strict,
        )
        return FileAdapter(options, self._stream, folder, self._journal)

    def _preview_folder(self, now: Tick) -> Path:
        self._previews.mkdir(parents=True, exist_ok=True)
        for left in self._previews.iterdir():
            with suppress(FileNotFoundError):  # another preview removes its own, or the same, meanwhile
                if left.stat().st_mtime_ns // 1_000 < now - LEFT_AFTER_TICKS:
                    shutil.rmtree(left, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(dir=self._previews))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder

    def _removed(self) -> AdapterError:
        return AdapterError(
            f"The copy of {self._source.shown} that this run reads was removed, and the address may give other rows by "
            "now. Put it back, or start the binding again from the beginning."
        )

    @contextmanager
    def _dated(self) -> Iterator[None]:
        """Say the address instead of the copy's name, and when the copy was made."""
        try:
            yield
        except AdapterError as error:
            message = str(error).replace(f"'{self._source.file}'", f"'{self._source.shown}'")
            raise AdapterError(message + self._made, domain=error.domain) from None
