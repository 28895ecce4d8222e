"""What is read of a table, version by version: files in the order in which each version's log adds them."""

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
    """A part that comes next: a file, or words about what cannot be read, or neither. The rest as in `TakenPart`."""

    version: int
    number: int
    closed: bool
    at: int
    file: DataFile | None = None
    told: str = ""
    snapshot: bool = False


class TableVersions:
    """Says which parts follow the last one that was taken. A function of the log and the options alone."""

    def __init__(self, log: DeltaLog, options: DeltaOptions) -> None:
        self._log = log
        self._options = options

    def after(self, last: TakenPart | None, state: TableState) -> Iterator[TablePart]:
        """The parts behind `last`, up to the newest version; None: from where the options say.

        The first part of all says where it began and holds no rows. Raises `AdapterError`.
        """
        if last is None:
            at, snapshot = self._begin(state)
            yield TablePart(at, 0, not snapshot, 0, snapshot=snapshot)
            number, closed = 0, not snapshot
        else:
            if last.table != state.table or last.version > state.version:
                raise AdapterError(
                    f"The table '{self._log.shown}' was deleted and made again, or an older copy was put in its "
                    "place, so that nobody knows which of its rows were read. Start the binding again from the "
                    "beginning."
                )
            at, snapshot, number, closed = last.version, last.snapshot, last.number, last.closed
        if not closed:
            yield from (part for part in self._of(at, snapshot=snapshot) if part.number > number)
        while at < state.version:
            at, parts = self._next(at + 1)
            yield from parts

    def _begin(self, state: TableState) -> tuple[int, bool]:
        """The version behind which reading begins, and whether with all rows that the table had then."""
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
        """The files that a run reads that begins now at the beginning, of a table with these `commits` in its log.

        Those of versions that changed rows are not among them. Raises `AdapterError`.
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
        """The parts of `version`; of one that is no longer in the log, the gap up to the last such one."""
        if self._log.holds(version):
            return version, self._of(version)
        following = [each for each in self._log.versions() if each > version]
        if not following:
            raise AdapterError(
                f"Version {version} of the table '{self._log.shown}' is not in its log. See that the log is whole.",
                domain="external",
            )
        last = following[0] - 1
        told = (
            f"Version {version} of the table '{self._log.shown}' is"
            if version == last
            else f"The versions {version} to {last} of the table '{self._log.shown}' are"
        )
        told += " no longer in its log"
        if self._options.lost == "fail":
            raise AdapterError(
                f"{told}. Start the binding again from the beginning, with `start` set to snapshot, or set the option "
                "`lost` to skip; and keep logs for longer (delta.logRetentionDuration)."
            )
        return last, [TablePart(last, 0, True, 0, told=f"{told}: rows that they appended were not read.")]

    def _of(self, version: int, *, snapshot: bool = False) -> Sequence[TablePart]:
        if snapshot:
            files: Sequence[DataFile] = self._log.files_at(version)
            return _parts(version, files, [file.at * 1_000 for file in files], snapshot=True)
        commit = self._log.commit(version)
        if commit is None:
            raise AdapterError(
                f"Version {version} of the table '{self._log.shown}' went from its log while it was read.",
                domain="external",
            )
        if commit.removed:
            return [TablePart(version, 0, True, commit.at, told=self._changed(commit))]
        if commit.hides:
            raise self._log.hidden(version)
        return _parts(version, commit.added, [commit.at] * max(len(commit.added), 1))

    def _changed(self, commit: TableCommit) -> str:
        """What is said of a version that changed rows. Raises `AdapterError` where that is not to be passed over."""
        said = (
            f"Version {commit.version} of the table '{self._log.shown}' ({commit.operation}) changed rows that were "
            f"there: it took away {counted(commit.removed, 'file')} and added {len(commit.added)}"
        )
        if self._options.changes == "fail":
            raise AdapterError(
                f"{said}. Rows can be read once, as they are appended; they cannot be taken back. Have the table "
                "written by appending alone (the output's mode append), or set the option `changes` to skip, or start "
                "again from the beginning with `start` set to snapshot."
            )
        return f"{said}. None of its rows were read."


def rows_in(files: Sequence[DataFile]) -> int | None:
    """How many rows `files` have in all; None where the log does not say it of each."""
    counts = [each.rows for each in files]
    return None if None in counts else sum(count for count in counts if count is not None)


def _parts(
    version: int, files: Sequence[DataFile], times: Sequence[int], *, snapshot: bool = False
) -> Sequence[TablePart]:
    """A part for each file, numbered from 1 on; one without a file where there is none."""
    if not files:
        return [TablePart(version, 1, True, times[0] if times else 0, snapshot=snapshot)]
    return [
        TablePart(version, number, number == len(files), at, file, snapshot=snapshot)
        for number, (file, at) in enumerate(zip(files, times, strict=True), 1)
    ]
