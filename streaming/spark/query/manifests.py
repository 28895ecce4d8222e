"""Manifests: the effect of each committed batch of a carrier, and the counts of all its bindings after it.

They are the only truth about a run; `publishing` writes them.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError

from streaming.definition.counts import counted
from streaming.spark.errors import Domain
from streaming.spark.query.damage import naming
from streaming.spark.query.totals import BindingTotals
from streaming.storage.blobs import BlobFolder
from streaming.wire.fast_json import decoded, encoded
from streaming.wire.message import make_dataclass
from streaming.wire.progress import ProgressReport

log = logging.getLogger(__name__)

MANIFESTS_KEPT = 100
RUNS_KEPT = 1_000


@dataclass(frozen=True)
class RunChange:
    """A new state of a binding's run; `detail` is only for the log, `slow` as in `RunFailure`."""

    binding: str
    run: str
    state: Literal["running", "stopped", "completed", "failed"]
    domain: Domain | None = None
    message: str | None = None
    detail: str | None = None
    slow: bool = False


@dataclass(frozen=True)
class SavepointWritten:
    """A savepoint of a binding, now stored below the organisation's folder."""

    binding: str
    path: str


@dataclass(frozen=True)
class Manifest:
    """The effect of a batch, and the counts of all bindings after it.

    `bindings`: the totals of each generation by its key; `failed`: the keys of failed generations; `failed_after`: the
    keys of generations that failed after their part of the batch was committed. `read`: the rows that the batch
    received; `reads`: in a pooled carrier, the rows of each organisation. `moved`: by key and output the CTIs, if the
    carrier lists them. `runs`: the last change of each run that has totals and of the last RUNS_KEPT other runs,
    without the details for the log.
    """

    batch: int
    read: int = 0
    reads: Mapping[str, int] = field(default_factory=dict)
    bindings: Mapping[str, BindingTotals] = field(default_factory=dict)
    reports: tuple[ProgressReport, ...] = ()
    changes: tuple[RunChange, ...] = ()
    failed: tuple[str, ...] = ()
    failed_after: tuple[str, ...] = ()
    saved: tuple[SavepointWritten, ...] = ()
    moved: Mapping[str, Mapping[str, list[int]]] = field(default_factory=dict)
    runs: Mapping[str, RunChange] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """Return the content of its file: one line, then a line for each report."""
        content = {
            **{name: value for name, value in vars(self).items() if name != "reports"},
            "bindings": {key: totals.to_json() for key, totals in self.bindings.items()},
            "changes": [vars(each) for each in self.changes],
            "saved": [vars(each) for each in self.saved],
            "runs": {run: vars(each) for run, each in self.runs.items()},
            "report_lines": len(self.reports),
        }
        return b"".join(
            line + b"\n" for line in (encoded(content), *(each.to_json().encode() for each in self.reports))
        )

    @classmethod
    def of_json(cls, content: bytes, *, reports: bool = True) -> "Manifest":
        """Read the output of `to_json`; without `reports` for planner and publishing, which need none.

        Reports are most of the content: 30 of 40 ms with a thousand bindings. One of an unknown form is only logged.
        Raises ValueError for content that was cut off, and for a line that is no JSON.
        """
        fields, lines = _divided(content)
        return cls(
            batch=fields["batch"],
            read=fields["read"],
            reads=fields.get("reads", {}),
            bindings={key: BindingTotals.of_json(totals) for key, totals in fields["bindings"].items()},
            reports=tuple(_reports(fields, lines)) if reports else (),
            changes=tuple(make_dataclass(RunChange, each) for each in fields["changes"]),
            failed=tuple(fields["failed"]),
            failed_after=tuple(fields.get("failed_after", ())),
            saved=tuple(make_dataclass(SavepointWritten, each) for each in fields["saved"]),
            moved=fields["moved"],
            runs={run: make_dataclass(RunChange, each) for run, each in fields["runs"].items()},
        )


def _divided(content: bytes) -> tuple[Mapping[str, Any], bytes]:
    """Return the fields of the first line, and the lines of the reports. Raises ValueError if some are missing."""
    line, _, lines = content.partition(b"\n")
    fields: Mapping[str, Any] = decoded(line)
    count = fields.get("report_lines")  # older programs write none
    if count is not None and (lines.count(b"\n") != count or not content.endswith(b"\n")):
        raise ValueError(f"some of its {counted(count, 'report')} are missing")
    return fields, lines


def _reports(fields: Mapping[str, Any], lines: bytes) -> Iterator[ProgressReport]:
    """Yield the readable reports: each in a line, or, of older programs, all in the second line or in `fields`."""
    older = decoded(lines) if lines.startswith(b"[") else fields.get("reports", ())
    texts = [encoded(each) for each in older] or lines.splitlines()
    for text in texts:
        try:
            yield ProgressReport.model_validate_json(text)
        except ValidationError:
            decoded(text)
            log.exception("a report of batch %s cannot be read and is not sent", fields["batch"])


def read_manifest(folder: BlobFolder, batch: int, *, reports: bool = True) -> Manifest | None:
    """Return the carrier's manifest of `batch`; None if it was not committed or is no longer stored."""
    name = f"commits/{batch}.json"
    content = folder.read(name)
    with naming(folder, name):
        return None if content is None else Manifest.of_json(content, reports=reports)


@dataclass(frozen=True)
class ManifestHead:
    """The part of a manifest from which the batch after the committed batch `n` is planned.

    `failed`, `failed_after`: as in `Manifest`. `read`: the rows read of each organisation, of "" if all belong to one
    (None: not available any more). `dues`: by generation, the tick from which time alone may move a CTI (0 before the
    first report; None: never).
    """

    n: int = -1
    failed: tuple[str, ...] = ()
    failed_after: tuple[str, ...] = ()
    read: Mapping[str, int] | None = None
    dues: Mapping[str, int | None] = field(default_factory=dict)


def read_head(folder: BlobFolder, batch: int) -> ManifestHead:
    """Read the head of the manifest of `batch`, without decoding the counts of all its bindings."""
    name = f"commits/{batch}.json"
    content = folder.read(name)
    if content is None:
        return ManifestHead(batch)
    with naming(folder, name):
        fields, _ = _divided(content)
        dues = {key: _due(totals["inputs"]) for key, totals in fields["bindings"].items()}
        failed, failed_after = tuple(fields["failed"]), tuple(fields.get("failed_after", ()))
        return ManifestHead(batch, failed, failed_after, fields.get("reads") or {"": fields["read"]}, dues)


def _due(inputs: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> int | None:
    dues = [lane.get("due", 0) for lanes in inputs.values() for lane in lanes.values()]
    return min((due for due in dues if due is not None), default=None) if dues else 0


def newest_manifest(folder: BlobFolder) -> Manifest | None:
    """Return the last committed manifest, None before the first."""
    numbers = folder.numbers("commits")
    return read_manifest(folder, numbers[-1]) if numbers else None


def manifest_before(folder: BlobFolder, batch: int) -> Manifest:
    """Return the last committed manifest before `batch`, without reports; an empty one if `batch` is the first."""
    older = [number for number in folder.numbers("commits") if number < batch]
    return (read_manifest(folder, older[-1], reports=False) if older else None) or Manifest(0)
