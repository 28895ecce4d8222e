"""Manifests: what each committed batch of a carrier did, and what all its bindings have counted by then.

They are the only truth about a run; `publishing` writes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from streaming.spark.errors import Domain
from streaming.spark.totals import BindingTotals
from streaming.wire.fast_json import decoded, encoded
from streaming.wire.storage import BlobFolder

MANIFESTS_KEPT = 100
RUNS_KEPT = 1_000


@dataclass(frozen=True)
class RunChange:
    """A run of a binding came to a new state; `detail` is for the log alone, `slow` as `RunFailure` has it."""

    binding: str
    run: str
    state: Literal["running", "stopped", "completed", "failed"]
    domain: Domain | None = None
    message: str | None = None
    detail: str | None = None
    slow: bool = False


@dataclass(frozen=True)
class SavepointWritten:
    """A savepoint of a binding is there, below the organisation's folder."""

    binding: str
    path: str


@dataclass(frozen=True)
class Manifest:
    """What a batch did, and what all bindings have counted after it.

    `bindings`: the totals of each generation by its key; `failed`: the keys of generations that failed. `reports`:
    ProgressReport as JSON values. `read`: the rows that the batch received; `reads`: in a
    pooled carrier, those of each organisation. `moved`: by key and output the CTIs, if the
    carrier lists them. `runs`: the last change of each of the runs that have totals and of the
    last RUNS_KEPT others, without what is for the log.
    """

    batch: int
    read: int = 0
    reads: Mapping[str, int] = field(default_factory=dict)
    bindings: Mapping[str, BindingTotals] = field(default_factory=dict)
    reports: tuple[Mapping[str, Any], ...] = ()
    changes: tuple[RunChange, ...] = ()
    failed: tuple[str, ...] = ()
    saved: tuple[SavepointWritten, ...] = ()
    moved: Mapping[str, Mapping[str, list[int]]] = field(default_factory=dict)
    runs: Mapping[str, RunChange] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """As it stands in its file."""
        content = {
            **vars(self),
            "bindings": {key: totals.to_json() for key, totals in self.bindings.items()},
            "changes": [vars(each) for each in self.changes],
            "saved": [vars(each) for each in self.saved],
            "runs": {run: vars(each) for run, each in self.runs.items()},
        }
        return encoded(content)

    @classmethod
    def of_json(cls, content: bytes) -> "Manifest":
        """Read what `to_json` wrote."""
        said = decoded(content)
        return cls(
            batch=said["batch"],
            read=said["read"],
            reads=said.get("reads", {}),
            bindings={key: BindingTotals.of_json(totals) for key, totals in said["bindings"].items()},
            reports=tuple(said["reports"]),
            changes=tuple(RunChange(**each) for each in said["changes"]),
            failed=tuple(said["failed"]),
            saved=tuple(SavepointWritten(**each) for each in said["saved"]),
            moved=said["moved"],
            runs={run: RunChange(**each) for run, each in said["runs"].items()},
        )


def read_manifest(folder: BlobFolder, batch: int) -> Manifest | None:
    """The carrier's manifest of `batch`, None where it was not committed or is no longer kept."""
    content = folder.read(f"commits/{batch}.json")
    return None if content is None else Manifest.of_json(content)


def newest_manifest(folder: BlobFolder) -> Manifest | None:
    """The last committed manifest, None before the first."""
    numbers = folder.numbers("commits")
    return read_manifest(folder, numbers[-1]) if numbers else None


def manifest_before(folder: BlobFolder, batch: int) -> Manifest:
    """The last committed manifest of a batch before `batch`; an empty one where there is none."""
    older = [number for number in folder.numbers("commits") if number < batch]
    return (read_manifest(folder, older[-1]) if older else None) or Manifest(0)
