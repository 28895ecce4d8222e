"""Local runs: bindings run to the end of their inputs on this machine's Spark, and their results are read."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from streaming.spark.carrier import Carrier
from streaming.spark.errors import PunctualError
from streaming.spark.query.control import AtEnd
from streaming.spark.query.layout import CarrierSettings
from streaming.spark.query.manifests import Manifest
from streaming.spark.sink.committed_rows import committed_lines
from streaming.storage.results import PartKind, committed_batches, read_commit
from streaming.wire.messages import RunSpec
from streaming.wire.progress import ProgressReport


@dataclass(frozen=True)
class LocalResult:
    """The result of one run. `failure` is a sentence, None when its input ended; `report` has its last totals."""

    binding: str
    folder: Path
    report: ProgressReport | None
    failure: str | None
    ctis: Mapping[str, Sequence[int]]
    batches: int
    seconds: float

    def rows(self, kind: PartKind) -> Iterator[dict[str, Any]]:
        """Return the committed rows, oldest batch first: ResultRow or LateEvent values as JSON."""
        return committed_lines(self.folder, kind)


def run_to_end(
    session: SparkSession,
    specs: Iterable[tuple[RunSpec, AtEnd]],
    folder: Path,
    settings: CarrierSettings,
    *,
    deadline_s: float = 600.0,
    on_manifest: Callable[[Manifest], None] = lambda _: None,
) -> dict[str, LocalResult]:
    """Carry all `specs` in one streaming query with the carrier `folder` until each has ended; return by binding.

    A folder that was used before resumes. `on_manifest` receives the manifest of each batch. Raises `PunctualError`
    when the query itself stops, and `TimeoutError`.
    """
    begun = time.monotonic()
    carrier = Carrier(session, folder, settings)
    results = {}
    for spec, at_end in specs:
        carrier.add(spec, at_end=at_end)
        results[spec.binding] = spec.results
    seen = carrier.manifests_after(0)
    last = seen[-1].batch if seen else 0
    carrier.start()
    try:
        manifests = await_ends(carrier, set(results), after=last, deadline_s=deadline_s, on_manifest=on_manifest)
    finally:
        carrier.close()
    seconds = time.monotonic() - begun
    home = Path(settings.home)
    return {name: local_result(name, home / where, manifests, seconds) for name, where in results.items()}


def await_ends(
    carrier: Carrier,
    bindings: set[str],
    *,
    after: int,
    deadline_s: float,
    on_manifest: Callable[[Manifest], None] = lambda _: None,
) -> list[Manifest]:
    """Return the manifests after batch `after`, once each of `bindings` has stopped or failed.

    Raises `PunctualError` when the query stops, `TimeoutError` after `deadline_s`.
    """
    until = time.monotonic() + deadline_s
    waiting = set(bindings)
    manifests: list[Manifest] = []
    while waiting:
        failure = carrier.failure()
        if failure is not None and failure.again:
            carrier.close()
            carrier.start()
            failure = None
        for manifest in carrier.manifests_after(manifests[-1].batch if manifests else after):
            manifests.append(manifest)
            on_manifest(manifest)
            ended = {change.binding for change in manifest.changes if change.state != "running"}
            waiting -= ended
        if waiting and failure is not None:
            raise PunctualError(failure.message, domain=failure.domain)
        if waiting and time.monotonic() > until:
            raise TimeoutError(f"{len(waiting)} of {len(bindings)} runs did not end within {deadline_s:g} s")
        if waiting:
            carrier.wait(0.05)
    return manifests


def local_result(binding: str, folder: Path, manifests: Sequence[Manifest], seconds: float) -> LocalResult:
    """Return the result of a binding from `manifests`; its result files are in `folder`."""
    report, failure = None, None
    ctis: dict[str, list[int]] = {}
    for manifest in manifests:
        runs = {change.run: change for change in manifest.changes if change.binding == binding}
        failure = next((change.message for change in runs.values() if change.state == "failed"), failure)
        keys = [key for key in manifest.moved if key.rpartition("@")[0] == binding]
        for key in keys:
            for output, moved in manifest.moved[key].items():
                ctis.setdefault(output, []).extend(moved)
    commits = committed_batches(folder)
    if commits:
        commit = read_commit(folder, commits[-1])
        report = None if commit is None else ProgressReport.model_validate(commit.totals)
    return LocalResult(binding, folder, report, failure, ctis, len(commits), seconds)
