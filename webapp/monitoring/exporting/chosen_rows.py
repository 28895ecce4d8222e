"""The rows of one output that an export or a chart shows: the same choice gives the same rows in both."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streaming.definition.counts import counted
from streaming.definition.payload.type_text import TypeTextError
from streaming.definition.payload.types import Type
from streaming.storage.blobs import LocalFolder
from streaming.storage.result_columns import columns_of, read_columns
from streaming.wire.messages import RunSpec
from webapp.monitoring.exporting.columns import ExportTable, RowState, Values, union_of
from webapp.monitoring.exporting.net import net_rows
from webapp.monitoring.exporting.problems import ExportProblem
from webapp.monitoring.exporting.reading import OutputReader, damaged
from webapp.monitoring.row_keys import Key, KeyFilter, KeyProblem

Columns = Mapping[str, Mapping[str, str]]
"""The types of the fields of each output, as text."""


@dataclass(frozen=True, kw_only=True)
class RowChoice:
    """Rows of one output in `folder`; temporary files go to `scratch`, an empty folder.

    `run`: only the rows of this run. `specification` is the RunSpec of the run, or of the newest one: it has the
    columns of runs that recorded none. `begin` and `end` are ticks: rows that start in [begin, end). `where`: only rows
    with these values of fields; `where_present` is the same for fields that the output may lack. `every_change`: all
    rows as they were committed, instead of those that count after all changes.
    """

    folder: str
    scratch: str
    output: str | None
    run: str | None
    specification: Mapping[str, Any]
    begin: int | None
    end: int | None
    where: Key = field(default_factory=dict)
    where_present: Key = field(default_factory=dict)
    every_change: bool = False

    def holds(self, start: int) -> bool:
        """Return whether a row that starts at `start` is in the range."""
        return (self.begin is None or start >= self.begin) and (self.end is None or start < self.end)


class ChosenResults:
    """The rows of a choice up to the batch `upto`: output, columns of the table, and their values, oldest first."""

    def __init__(self, choice: RowChoice) -> None:
        """Find the output and its fields. Raises `ExportProblem`, `OSError`."""
        folder = LocalFolder(choice.folder)
        versions = _versions(choice, OutputReader(folder, None, choice.run).runs())
        self.outputs: Sequence[str] = list(dict.fromkeys(name for each in versions for name in each))
        self.output = _chosen_output(choice.output, self.outputs)
        try:
            fields = union_of(each[self.output] for each in versions if self.output in each)
        except TypeTextError:
            raise damaged() from None
        self.table = ExportTable(fields, every_run=choice.run is None, every_change=choice.every_change)
        self.counted = 0
        """The rows that were read so far and count, whether they are chosen or not."""
        self._choice = choice
        self._reader = OutputReader(folder, self.output, choice.run)
        self.upto = self._reader.upto
        present = {name: text for name, text in choice.where_present.items() if fields.get(name) is not None}
        self.where = {**present, **choice.where}
        self.matches = _filter(self.where, fields)

    def __iter__(self) -> Iterator[Values]:
        """Yield the values of each row. Raises `ExportProblem`, `OSError`."""
        choice, reader = self._choice, self._reader
        net = None if choice.every_change else net_rows(reader, Path(choice.scratch))
        final = _Finality(reader.final_until(), self.output)
        self.counted = 0
        for number, line in enumerate(reader.lines()):
            if net is not None and not net.may_count(number):
                continue
            row = line.row()
            if net is not None and net.takes_back(row):
                continue
            self.counted += 1
            if choice.holds(row["start"]) and self.matches(row["payload"]):
                yield self.table.values(row, RowState(line.run, final.of(row)))
        if net is not None:
            net.check(reader.rows_read)


class _Finality:
    """Decides whether a row can still change, by the CTIs of the outputs after the last batch (None: not recorded)."""

    def __init__(self, ctis: Mapping[str, Any] | None, output: str) -> None:
        self._recorded = ctis is not None
        self._cti = None if ctis is None else ctis.get(output)
        self._ended = ctis is not None and output in ctis and self._cti is None  # the end of everything

    def of(self, row: Mapping[str, Any]) -> bool | None:
        """Return whether `row` is final; None: not known."""
        if row.get("key") is None or self._ended:
            return True
        if self._cti is not None:
            return row["end"] is not None and bool(row["end"] <= self._cti)
        return False if self._recorded else None


def _filter(where: Key, fields: Mapping[str, Type | None]) -> Callable[[Mapping[str, Any]], bool]:
    mixed = next((name for name in where if name in fields and fields[name] is None), None)
    if mixed is not None:
        message = f"The field {mixed} has another type in another run, so it can't be in a filter."
        raise ExportProblem(message, "Choose one run, or leave the field out.", field="where")
    try:
        return KeyFilter(where, {name: str(of) for name, of in fields.items() if of is not None}).matches
    except KeyProblem as problem:
        raise ExportProblem(problem.message, problem.remedy, field="where") from None


def _versions(choice: RowChoice, runs: Sequence[str | None]) -> list[Columns]:
    """Return the columns of each output in each run, newest first.

    Runs from before columns were recorded get those of the specification; `ExportTable` checks their rows.
    """
    folder = LocalFolder(choice.folder)
    recorded = [{} if run is None else read_columns(folder, run) for run in reversed(runs)]
    if recorded and all(recorded):
        return list(recorded)
    current = columns_of(RunSpec.model_validate(choice.specification))
    return [each or current for each in recorded] or [current]


def _chosen_output(wanted: str | None, outputs: Sequence[str]) -> str:
    if wanted is not None and wanted in outputs:
        return wanted
    listed = ", ".join(outputs)
    if wanted is not None:
        message = f"These results have no output {wanted[:80]!r}."
        raise ExportProblem(message, f"Pass one of: {listed}.", field="output")
    if len(outputs) != 1:
        message = f"These results have {counted(len(outputs), 'output')} with separate columns: {listed}."
        raise ExportProblem(message, "Pass the name of one as `output`.", field="output")
    return outputs[0]
