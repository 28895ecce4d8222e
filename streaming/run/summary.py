"""The summary of a run: a table for people, one JSON object for scripts."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Final

from rich.console import Console
from rich.table import Table

from streaming.definition.counts import counted
from streaming.temporal.outcomes import Outcome
from streaming.wire.execution.failures import FAILURE_WORDS, FailureCount
from streaming.wire.execution.interface import OutcomeCounts
from streaming.wire.messages import LateEvent

_WIDEST: Final = 80


@dataclass(frozen=True)
class Summary:
    """Counts by input and by output, the places of results, the duration, and the `messages` before the run."""

    query: str
    executor: str
    inputs: Mapping[str, OutcomeCounts]
    outputs: Mapping[str, tuple[int, Path | None]]
    late: tuple[int, Path | None]
    seconds: float
    firsts: Mapping[tuple[str, str], LateEvent] = field(default_factory=dict)
    failures: tuple[FailureCount, ...] = ()
    messages: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return one JSON object; outcomes that did not occur are left out."""
        return json.dumps(
            {
                "query": self.query,
                "executor": self.executor,
                "inputs": {
                    name: {
                        "received": found.received,
                        "outcomes": {key: count for key, count in found.outcomes.items() if count},
                        "reasons": {key: count for key, count in found.reasons.items() if count},
                    }
                    for name, found in self.inputs.items()
                },
                "outputs": {name: {"rows": rows, "path": _text(path)} for name, (rows, path) in self.outputs.items()},
                "late": {"rows": self.late[0], "path": _text(self.late[1])},
                "failures": [asdict(each) for each in self.failures],
                "seconds": round(self.seconds, 3),
                "said": list(self.messages),
            }
        )

    def write(self, stream: IO[str]) -> None:
        """Draw the table."""
        console = Console(file=stream, width=None if stream.isatty() else 120, soft_wrap=True, highlight=False)
        seen = [each for each in Outcome if any(found.outcomes[each] for found in self.inputs.values())]
        table = Table(box=None, pad_edge=False)
        table.add_column("input")
        for heading in ("received", *seen):
            table.add_column(str(heading), justify="right")
        for name, found in self.inputs.items():
            table.add_row(name, f"{found.received:,}", *(f"{found.outcomes[each]:,}" for each in seen))
        console.print(table)
        for name, found in self.inputs.items():
            for reason, count in found.reasons.items():
                if count:
                    console.print(f"{name}: {reason} {count:,}{self._first(name, reason)}", markup=False)
        for each in self.failures:
            console.print(_failure(each), markup=False)
        for name, (rows, path) in self.outputs.items():
            console.print(f"{name}: {counted(rows, 'row')} in {path or 'standard output'}", markup=False)
        late, path = self.late
        kept = f"in {path}" if path else "not kept; --late PATH keeps them" if late else "none"
        console.print(f"late, changed or malformed: {counted(late, 'row')}, {kept}; {self.seconds:.1f} s", markup=False)

    def _first(self, name: str, reason: str) -> str:
        """Describe the first row of a reason, as far as a line has room for it."""
        event = self.firsts.get((name, reason))
        if event is None:
            return ""
        raw = "".join(character if character.isprintable() else " " for character in event.raw)
        return f"; first: row {event.position + 1:,}, {raw if len(raw) <= _WIDEST else raw[: _WIDEST - 1] + '…'}"


def _failure(each: FailureCount) -> str:
    example = ", ".join(f"{name} = {'null' if value is None else value}" for name, value in each.example.items())
    shown = "".join(character if character.isprintable() else " " for character in example)
    on = f"; first: {shown}" if shown else ""
    return f"{each.node}.{each.field}: null on {counted(each.count, 'row')}, {FAILURE_WORDS[each.kind]}{on}"


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
