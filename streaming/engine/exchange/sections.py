"""A batch cut at the CTIs at which late rows arrived, if window refusals depend on that order (T19)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa

from streaming.definition.payload.types import Fields
from streaming.engine.columns.flows import Flows, concat_flows
from streaming.temporal.ticks import NO_CTI

_STEP: Final = "@step"


@dataclass
class BatchSection:
    """The content for the branches: all `tables` (flows) and `partials`, then all `ctis`; each by branch."""

    tables: dict[str, Sequence[pa.Table]] = field(default_factory=dict)
    partials: dict[str, Sequence[pa.Table]] = field(default_factory=dict)
    ctis: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def flows(self, branch: str, fields: Fields) -> Flows:
        """Return the flows of one branch, of the schema `fields`."""
        tables = [table for table in self.tables.get(branch, ()) if table.num_rows]
        return concat_flows([Flows.of_table(_bare(table)) for table in tables]) if tables else Flows.none(fields)


def _bare(table: pa.Table) -> pa.Table:
    return table.drop_columns([_STEP]) if _STEP in table.column_names else table


def sections(whole: BatchSection, inputs: Iterable[Sequence[str]], *, ordered: bool) -> list[BatchSection]:
    """Return `whole` in one piece; if `ordered`, cut so that each late row comes after the CTIs that preceded it.

    `inputs` are the branches of each input. A column `@step` counts the CTIs of its lane in the batch that precede a
    row; only rows of inputs with one lane have it. Rows between the same two CTIs stay together, whatever their order
    (law 1). Inputs are cut one after the other: they have no common order (T26).
    """
    if not ordered:
        return [whole]
    found: list[BatchSection] = []
    rest = BatchSection(dict(whole.tables), dict(whole.partials), dict(whole.ctis))
    for branches in inputs:
        filled = {
            branch: [table for table in whole.tables.get(branch, ()) if _STEP in table.column_names]
            for branch in branches
            if branch in whole.ctis
        }
        places = sorted({step for tables in filled.values() for each in tables for step in _late_steps(each)} - {0})
        done = 0
        for place in places:
            part = BatchSection({each: [] for each in whole.tables}, {}, dict.fromkeys(whole.ctis, ()))
            for branch, tables in filled.items():
                part.tables[branch] = [_between(table, done, place) for table in tables]
                part.ctis[branch] = whole.ctis[branch][done:place]
            found.append(part)
            done = place
        for branch, tables in filled.items() if places else ():
            rest.tables[branch] = [_between(table, done, None) for table in tables]
            rest.ctis[branch] = whole.ctis[branch][done:]
    return [*found, rest]


def _late_steps(table: pa.Table) -> list[int]:
    if "@late_at" not in table.column_names:
        return []
    late = table.column("@late_at").to_numpy() != NO_CTI
    steps: list[int] = np.unique(table.column(_STEP).to_numpy()[late]).tolist()
    return steps


def _between(table: pa.Table, first: int, stop: int | None) -> pa.Table:
    """Return the rows that came after at least `first` CTIs, and fewer than `stop`."""
    step = table.column(_STEP).to_numpy()
    chosen = step >= first if stop is None else (step >= first) & (step < stop)
    return table.take(pa.array(np.flatnonzero(chosen)))
