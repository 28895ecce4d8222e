"""A drawn case as the text of a transcript, so that a failure can be read, run and saved."""

from collections.abc import Mapping
from typing import Any

import yaml

from streaming.wire.execution.case import Case, CaseRow

HEARTBEAT = "heartbeat"


class ReadableCase:
    """A case to `note`: its text is written only for a failing example, because it took a fifth of the laws' time.

    Not a dataclass: Hypothesis would write the fields of one.
    """

    def __init__(self, case: Case) -> None:
        self._case = case

    def __repr__(self) -> str:
        return transcript(self._case)


def transcript(case: Case) -> str:
    """Return the case in the form of a transcript, without its expectation."""
    streams = {name: stream.model_dump(mode="json", exclude_defaults=True) for name, stream in case.streams.items()}
    lines = [f"name: {case.id}", "streams:"]
    lines += [f"  {name}: {_line(stream)}" for name, stream in streams.items()]
    lines += ["query:", "  nodes:"]
    lines += [f"    - {_line(node.model_dump(mode='json', exclude_defaults=True))}" for node in case.graph.nodes]
    lines.append("input:")
    batch = case.rows[0].batch if case.rows else 0
    for row in case.rows:
        lines += ["  - batch"] * (row.batch - batch)
        batch = row.batch
        lines.append(f"  - {_line(_row(row, len(case.streams[row.stream].lanes or ()) > 1))}")
    lines.append(f"end: {case.end}")
    return "\n".join(lines)


def _row(row: CaseRow, lanes: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {"stream": row.stream}
    if HEARTBEAT in row.fields:
        return fields | dict(row.fields)
    if lanes:
        fields["lane"] = row.lane
    if row.arrival is not None:
        fields["arrival"] = row.arrival
    return fields | dict(row.fields)


def _line(value: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(value), default_flow_style=True, sort_keys=False, width=100_000).strip()
