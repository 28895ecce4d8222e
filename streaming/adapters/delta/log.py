"""The log of a Delta table: its versions, the files that each adds and removes, and the columns of the rows."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from streaming.adapters.contract import AdapterError
from streaming.adapters.delta.values import NESTED
from streaming.adapters.places import DataFolder, why
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK

LOG: Final = "_delta_log"
MOST_LINE_BYTES: Final = 16 << 20
"""The longest action in the log."""
_COMMIT: Final = re.compile(r"(\d{20})\.json")
_TICKS_PER_MS: Final = 1_000
_UNDERSTOOD: Final = frozenset(
    {"deletionVectors", "columnMapping", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"}
)
"""Reader features of the protocol. Tables may have the first two, but not data that uses them."""


@dataclass(frozen=True)
class DataFile:
    """A file of a table: its path within the table's folder, its partition values, and its rows if recorded.

    `at` is when it was written, in milliseconds since 1970, for files of a snapshot.
    """

    path: str
    size: int
    values: Mapping[str, str | None] = field(default_factory=dict)
    rows: int | None = None
    at: int = 0


@dataclass(frozen=True)
class TableCommit:
    """The changes of one version: the files that it added, in the order of its log, and how many it removed.

    Files that only rewrite existing rows count as neither. `hides`: an added file has rows that a deletion vector
    hides. `at` is when the version was written, in ticks.
    """

    version: int
    at: int
    operation: str
    added: Sequence[DataFile]
    removed: int
    hides: bool

    @property
    def readable(self) -> Sequence[DataFile]:
        """The files whose rows are read: none if the version changed existing rows."""
        return () if self.removed else self.added


@dataclass(frozen=True)
class TableState:
    """The current state of a table: its id, its newest version, and its columns with types in the log's notation."""

    table: str
    version: int
    columns: Mapping[str, str]


class _LogJson(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)


class _FileStatistics(_LogJson):
    num_records: int | None = None


class _AddedFile(_LogJson):
    path: str
    size: int
    partition_values: dict[str, str | None] = {}
    data_change: bool = True
    stats: str | None = None
    deletion_vector: dict[str, Any] | None = None


class _RemovedFile(_LogJson):
    path: str
    data_change: bool = True


class _CommitInfo(_LogJson):
    timestamp: int | None = None
    in_commit_timestamp: int | None = None
    operation: str = "a change"


class _LogAction(_LogJson):
    add: _AddedFile | None = None
    remove: _RemovedFile | None = None
    commit_info: _CommitInfo | None = None


class DeltaLog:
    """The log of the table in the folder `path` of `folder`. Raises `AdapterError` for a path that leads outside."""

    def __init__(self, folder: DataFolder, path: str) -> None:
        self.shown = path
        self._folder = folder
        self._place = folder.inside(path)

    def state(self) -> TableState:
        """Return the current table.

        Raises `AdapterError` for a missing table and for one that can't be read exactly.
        """
        table = self._opened(None)
        self._refuse(table)
        fields = json.loads(table.schema().to_json())["fields"]
        columns = {each["name"]: each["type"] if isinstance(each["type"], str) else NESTED for each in fields}
        return TableState(str(table.metadata().id), table.version(), columns)

    def versions(self) -> list[int]:
        """The versions that the log still holds, ascending. Raises `AdapterError`."""
        try:
            names = [entry.name for entry in self._folder.listed(self.within(LOG))]
        except OSError as error:
            raise self._unreadable(error) from None
        return sorted(int(found[1]) for found in map(_COMMIT.fullmatch, names) if found is not None)

    def holds(self, version: int) -> bool:
        """Return True if the log has that version. Raises `AdapterError`."""
        try:
            return self._folder.status(self._commit_path(version)) is not None
        except OSError as error:
            raise self._unreadable(error) from None

    def commit(self, version: int) -> TableCommit | None:
        """Return the changes of `version`; None if the log no longer holds it. Raises `AdapterError`."""
        info = _CommitInfo()
        added: list[DataFile] = []
        removed, hides = 0, False
        try:
            written = self._folder.status(self._commit_path(version))
            if written is None:
                return None
            for action in self._actions(version):
                info = action.commit_info or info
                if action.add is not None and action.add.data_change:
                    added.append(_data_file(action.add))
                    hides = hides or action.add.deletion_vector is not None
                removed += action.remove is not None and action.remove.data_change
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unreadable(error) from None
        at = _instant(info.in_commit_timestamp, info.timestamp, written.st_mtime_ns // 1_000_000)
        return TableCommit(version, at, info.operation, added, removed, hides)

    def files_at(self, version: int) -> list[DataFile]:
        """All files that the table has at `version`, the oldest first, then by path. Raises `AdapterError`."""
        table = self._opened(version)
        with self._reporting_errors():
            if len(pa.table(table.deletion_vectors().read_all())):
                raise self.hidden(version)
            actions = pa.table(table.get_add_actions(flatten=False))
        found = [_listed(each) for each in _as_text(actions).to_pylist()]
        return sorted(found, key=lambda file: (file.at, file.path))

    def within(self, path: str) -> str:
        """The path of `path` in the table's folder. Raises `AdapterError` if it is outside."""
        if "://" in path or path.startswith(("/", "file:")):
            raise AdapterError(
                f"The table '{self.shown}' refers to a file outside its folder, as a shallow clone does. Make a deep "
                "clone."
            )
        return self._folder.inside(str(Path(self._place, path)))

    def hidden(self, version: int) -> AdapterError:
        """The error for a version with deletion vectors."""
        return AdapterError(
            f"Version {version} of the table '{self.shown}' marks deleted rows with deletion vectors, which Punctual "
            "can't read. Set delta.enableDeletionVectors to false and rewrite the table (REORG TABLE ... APPLY "
            "(PURGE))."
        )

    def _opened(self, version: int | None) -> DeltaTable:
        try:
            there = self._folder.status(self.within(LOG))
        except OSError as error:
            raise self._unreadable(error) from None
        if there is None:
            raise AdapterError(
                f"There is no Delta table in '{self.shown}': the folder has no {LOG}. Correct the path, or create the "
                "table first."
            )
        with self._reporting_errors():
            return DeltaTable(self._folder.root.resolve() / self._place, version=version)

    def _refuse(self, table: DeltaTable) -> None:
        """Raise `AdapterError` for table features that the reader does not support."""
        with self._reporting_errors():
            protocol, metadata = table.protocol(), table.metadata()
        mapping = metadata.configuration.get("delta.columnMapping.mode") or "none"
        if mapping != "none":
            raise AdapterError(
                f"The table '{self.shown}' uses column mapping ({mapping}), which Punctual can't read. Write it as a "
                "new table without delta.columnMapping.mode."
            )
        unknown = sorted(set(protocol.reader_features or ()) - _UNDERSTOOD)
        if unknown:
            raise AdapterError(
                f"The table '{self.shown}' requires reader features that Punctual doesn't support "
                f"({', '.join(unknown)}). Write it as a new table without them."
            )

    def _actions(self, version: int) -> Iterator[_LogAction]:
        with self._folder.open(self._commit_path(version)) as stored:
            lines = iter(lambda: stored.readline(MOST_LINE_BYTES + 1), b"")
            for line in lines:
                if len(line) > MOST_LINE_BYTES:
                    raise self._damaged(version)
                if not line.strip():
                    continue
                try:
                    yield _LogAction.model_validate_json(line)
                except ValidationError:
                    raise self._damaged(version) from None

    def _commit_path(self, version: int) -> str:
        return str(Path(self._place, LOG, f"{version:020}.json"))

    def _damaged(self, version: int) -> AdapterError:
        return AdapterError(
            f"Version {version} in the log of the table '{self.shown}' can't be read. Restore its file, or recreate "
            "the table."
        )

    def _unreadable(self, error: BaseException) -> AdapterError:
        message = why(error).splitlines()[0] if str(error) else type(error).__name__
        message = message.replace(str(self._folder.root.resolve() / self._place), self.shown)
        return AdapterError(
            f"The Delta table '{self.shown}' can't be read: {message}. Check that its folder and its log are complete.",
            domain="external",
        )

    @contextmanager
    def _reporting_errors(self) -> Iterator[None]:
        try:
            yield
        except (DeltaError, OSError, ValueError) as error:
            raise self._unreadable(error) from None


def _data_file(add: _AddedFile) -> DataFile:
    try:
        rows = None if add.stats is None else _FileStatistics.model_validate_json(add.stats).num_records
    except ValidationError:
        rows = None
    return DataFile(unquote(add.path), add.size, add.partition_values, rows)


def _listed(row: Mapping[str, Any]) -> DataFile:
    return DataFile(
        unquote(row["path"]),
        row["size_bytes"],
        row.get("partition") or {},
        row["num_records"],
        row["modification_time"],
    )


def _as_text(actions: pa.Table) -> pa.Table:
    """The actions with partition values as the log writes them."""
    if "partition" not in actions.schema.names:
        return actions
    at = actions.schema.get_field_index("partition")
    kind = actions.schema.field(at).type
    texts = pa.struct([pa.field(kind.field(each).name, pa.string()) for each in range(kind.num_fields)])
    return actions.set_column(at, "partition", actions.column(at).combine_chunks().cast(texts))


def _instant(*milliseconds: int | None) -> int:
    """The first value that is set and within the years 1 to 9999, in ticks."""
    ticks = [each * _TICKS_PER_MS for each in milliseconds if each is not None]
    return next((each for each in ticks if FIRST_TICK <= each <= LAST_TICK), int(FIRST_TICK))
