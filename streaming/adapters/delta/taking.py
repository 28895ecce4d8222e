"""The parts of a table to read, version by version: files in the order in which each version's log adds them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from streaming.adapters.contract import AdapterError
from streaming.adapters.delta.journal import TakenPart
from streaming.adapters.delta.log import DataFile, DeltaLog, TableCommit, TableState
from streaming.adapters.delta.options import DeltaOptions
from streaming.definition.counts import counted
from streaming.temporal.ticks import parse_instant


@dataclass(frozen=True)
class TablePart:
    """The next part: a file, or the reason why rows can't be read, or neither. Other fields as in `TakenPart`."""

    version: int
    number: int
    closed: bool
    at: int
    file: DataFile | None = None
    reason: str = ""
    snapshot: bool = False


class TableVersions:
    """Yields the parts that follow the last one read. Depends on the log and the options alone."""

    def __init__(self, log: DeltaLog, options: DeltaOptions) -> None:
        self._log = log
        self._options = options

    def after(self, last: TakenPart | None, state: TableState) -> Iterator[TablePart]:
        """Yield the parts after `last`, up to the newest version; None: from the start position in the options.

        The very first part records the start position and holds no rows. Raises `AdapterError`.
        """
        if last is None:
            at, snapshot = self._begin(state)
            yield TablePart(at, 0, not snapshot, 0, snapshot=snapshot)
            number, closed = 0, not snapshot
        else:
            if last.table != state.table or last.version > state.version:
                raise AdapterError(
                    f"The table '{self._log.shown}' was deleted and created again, or replaced by an older copy, so "
                    "its already read rows can't be identified. Start the binding from the beginning."
                )
            at, snapshot, number, closed = last.version, last.snapshot, last.number, last.closed
        if not closed:
            yield from (part for part in self._of(at, snapshot=snapshot) if part.number > number)
        while at < state.version:
            at, parts = self._next(at + 1)
            yield from parts

    def _begin(self, state: TableState) -> tuple[int, bool]:
        """The version after which reading begins, and True if all rows that the table had then are read first."""
        options = self._options
        if options.start == "snapshot":
            return state.version, True
        if options.start == "latest":
            return state.version, False
        if options.start == "time":
            return self.before(parse_instant(options.start_time or ""), state), False
        version = options.start_version or 0
        if version > state.version + 1:
            raise AdapterError(
                f"The table '{self._log.shown}' has no version {version} yet; its newest is {state.version}. Correct "
                "`start_version`."
            )
        return version - 1, False

    def files_from_the_beginning(self, commits: Sequence[TableCommit], state: TableState) -> Sequence[DataFile]:
        """The files that a new run from the beginning reads, for a table with these `commits` in its log.

        Files of versions that changed rows are left out. Raises `AdapterError`.
        """
        at, snapshot = self._begin(state)
        if snapshot:
            return self._log.files_at(at)
        return [file for commit in commits if commit.version > at for file in commit.readable]

    def before(self, tick: int, state: TableState) -> int:
        """The version before the first one that was written at `tick` or later."""
        for version in self._log.versions():
            commit = self._log.commit(version)
            if commit is not None and commit.at >= tick:
                return version - 1
        return state.version

    def _next(self, version: int) -> tuple[int, Sequence[TablePart]]:
        """The parts of `version`; if the log no longer holds it, one gap up to the last missing version."""
        if self._log.holds(version):
            return version, self._of(version)
        following = [each for each in self._log.versions() if each > version]
        if not following:
            raise AdapterError(
                f"Version {version} of the table '{self._log.shown}' is missing from its log. Check "
                "that the log is complete.",
                domain="external",
            )
        last = following[0] - 1
        message = (
            f"Version {version} of the table '{self._log.shown}' is"
            if version == last
            else f"The versions {version} to {last} of the table '{self._log.shown}' are"
        )
        message += " no longer in its log"
        if self._options.lost == "fail":
            raise AdapterError(
                f"{message}. Start the binding from the beginning with `start` set to snapshot, or set the option "
                "`lost` to skip. Keep logs longer (delta.logRetentionDuration)."
            )
        return last, [TablePart(last, 0, True, 0, reason=f"{message}: the rows appended there were not read.")]

    def _of(self, version: int, *, snapshot: bool = False) -> Sequence[TablePart]:
        if snapshot:
            files: Sequence[DataFile] = self._log.files_at(version)
            return _parts(version, files, [file.at * 1_000 for file in files], snapshot=True)
        commit = self._log.commit(version)
        if commit is None:
            raise AdapterError(
                f"Version {version} of the table '{self._log.shown}' was deleted from its log while it was read.",
                domain="external",
            )
        if commit.removed:
            return [TablePart(version, 0, True, commit.at, reason=self._changed(commit))]
        if commit.hides:
            raise self._log.hidden(version)
        return _parts(version, commit.added, [commit.at] * max(len(commit.added), 1))

    def _changed(self, commit: TableCommit) -> str:
        """The message for a version that changed rows. Raises `AdapterError` unless it may be skipped."""
        message = (
            f"Version {commit.version} of the table '{self._log.shown}' ({commit.operation}) changed existing rows: it "
            f"removed {counted(commit.removed, 'file')} and added {len(commit.added)}"
        )
        if self._options.changes == "fail":
            raise AdapterError(
                f"{message}. Rows are read once, as they are appended; they can't be retracted. Write the table by "
                "appending only (mode append of the output), or set the option `changes` to skip, or start from the "
                "beginning with `start` set to snapshot."
            )
        return f"{message}. None of its rows were read."


def rows_in(files: Sequence[DataFile]) -> int | None:
    """The total number of rows in `files`; None if the log does not record it for every file."""
    counts = [each.rows for each in files]
    return None if None in counts else sum(count for count in counts if count is not None)


def _parts(
    version: int, files: Sequence[DataFile], times: Sequence[int], *, snapshot: bool = False
) -> Sequence[TablePart]:
    """A part for each file, numbered from 1; a single part without a file if `files` is empty."""
    if not files:
        return [TablePart(version, 1, True, times[0] if times else 0, snapshot=snapshot)]
    return [
        TablePart(version, number, number == len(files), at, file, snapshot=snapshot)
        for number, (file, at) in enumerate(zip(files, times, strict=True), 1)
    ]
