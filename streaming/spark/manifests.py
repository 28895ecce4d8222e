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
        """As it stands in its file: two lines, the second one its reports."""
        content = {
            **{name: value for name, value in vars(self).items() if name != "reports"},
            "bindings": {key: totals.to_json() for key, totals in self.bindings.items()},
            "changes": [vars(each) for each in self.changes],
            "saved": [vars(each) for each in self.saved],
            "runs": {run: vars(each) for run, each in self.runs.items()},
        }
        return b"\n".join((encoded(content), encoded(self.reports)))

    @classmethod
    def of_json(cls, content: bytes, *, reports: bool = True) -> "Manifest":
        """Read what `to_json` wrote; not its `reports`, of which planner and publishing need none.

        These are most of it: 30 of 40 ms where there are a thousand bindings.
        """
        line, _, told = content.partition(b"\n")
        said = decoded(line)
        # one line: written by a program of before 2026-11-26, among the rest
        every = decoded(told) if reports and told else said.get("reports", ())
        return cls(
            batch=said["batch"],
            read=said["read"],
            reads=said.get("reads", {}),
            bindings={key: BindingTotals.of_json(totals) for key, totals in said["bindings"].items()},
            reports=tuple(every) if reports else (),
            changes=tuple(RunChange(**each) for each in said["changes"]),
            failed=tuple(said["failed"]),
            saved=tuple(SavepointWritten(**each) for each in said["saved"]),
            moved=said["moved"],
            runs={run: RunChange(**each) for run, each in said["runs"].items()},
        )


def read_manifest(folder: BlobFolder, batch: int, *, reports: bool = True) -> Manifest | None:
    """The carrier's manifest of `batch`, None where it was not committed or is no longer kept."""
    content = folder.read(f"commits/{batch}.json")
    return None if content is None else Manifest.of_json(content, reports=reports)


@dataclass(frozen=True)
class ManifestHead:
    """What the batch after the committed batch `n` is planned by: who failed in it, the rows it read of each
    organisation, of "" where all are of one (None: not known any more), and by generation from which tick on time alone
    may move a CTI (0 before anything was told; None: it never does)."""

    n: int = -1
    failed: tuple[str, ...] = ()
    read: Mapping[str, int] | None = None
    dues: Mapping[str, int | None] = field(default_factory=dict)


def read_head(folder: BlobFolder, batch: int) -> ManifestHead:
    """Of the manifest of `batch`, without making values of what all its bindings have counted."""
    content = folder.read(f"commits/{batch}.json")
    if content is None:
        return ManifestHead(batch)
    said = decoded(content.partition(b"\n")[0])
    dues = {key: _due(totals["inputs"]) for key, totals in said["bindings"].items()}
    return ManifestHead(batch, tuple(said["failed"]), said.get("reads") or {"": said["read"]}, dues)


def _due(inputs: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> int | None:
    dues = [lane.get("due", 0) for lanes in inputs.values() for lane in lanes.values()]
    return min((due for due in dues if due is not None), default=None) if dues else 0


def newest_manifest(folder: BlobFolder) -> Manifest | None:
    """The last committed manifest, None before the first."""
    numbers = folder.numbers("commits")
    return read_manifest(folder, numbers[-1]) if numbers else None


def manifest_before(folder: BlobFolder, batch: int) -> Manifest:
    """The last committed manifest of a batch before `batch`, without reports; an empty one where there is none."""
    older = [number for number in folder.numbers("commits") if number < batch]
    return (read_manifest(folder, older[-1], reports=False) if older else None) or Manifest(0)
