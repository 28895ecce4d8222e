"""The runs that made the results of a binding, and the batch of its last restart without state."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from streaming.adapters.committed import CommittedBatches
from streaming.resume.restart_points import beginning_path
from streaming.storage.blobs import BlobFolder
from streaming.storage.result_location import RESULTS
from streaming.storage.results import Commit, committed_spans, read_span, run_of, runs_of
from streaming.temporal.ticks import INFINITY
from streaming.wire.beginning import RunBeginning, drops

END: Final = INFINITY
"""The CTI of an output at the end of everything."""


@dataclass(frozen=True)
class Reached:
    """The point up to which results were read: the last batch, its run, and the output's CTI after it, if recorded."""

    batch: int = -1
    run: str | None = None
    cti: int | None = None


@dataclass(frozen=True)
class ResultHistory:
    """The results of `binding` below `results`; `batches` are those of one output.

    `shared` is the folder with everything that lasts of the organisation.
    """

    shared: BlobFolder
    binding: str
    batches: CommittedBatches

    def since(self, reached: Reached) -> tuple[Reached, int | None]:
        """Return the newest point of the results, and the batch of the last restart without state, if any."""
        reached, restarts = self.restarts_since(reached)
        return reached, restarts[-1] if restarts else None

    def restarts_since(self, reached: Reached) -> tuple[Reached, list[int]]:
        """Return the newest point of the results, and the first batch of each restart without state."""
        restarts: list[int] = []
        for commit in self._commits(reached.batch):
            cti = self.batches.cti_of(commit)
            for each in runs_of(commit):
                if each.last <= reached.batch:
                    continue
                if each.run != reached.run:
                    if reached.run is not None and self._starts_over(commit, each.run, reached, cti):
                        restarts.append(each.first)
                    reached = Reached(each.last, each.run)
                reached = replace(reached, batch=each.last)
            reached = replace(reached, batch=commit.batch, cti=reached.cti if cti is None else cti)
        return reached, restarts

    def newest_batch(self) -> int:
        """Return the number of the newest batch, -1 without batches."""
        return max((each.last for each in committed_spans(self._folder())), default=-1)

    def at(self, batch: int) -> Reached:
        """Return the point after `batch`; its CTI is that of the newest commit up to there that still records one.

        Its run is "" if all results up to there were deleted: the start of the next run decides whether it restarted.
        """
        run: str | None = None
        folder = self._folder()
        for span in reversed([each for each in committed_spans(folder) if each.first <= batch]):
            commit = read_span(folder, span)
            if commit is None:
                continue
            maker = run_of(commit, min(batch, span.last))
            run = maker if run is None else run
            cti = self.batches.cti_of(commit) if span.last <= batch and maker == run else None
            if cti is not None or maker != run:
                return Reached(batch, run, cti)
        return Reached(batch, "" if run is None else run)

    def _starts_over(self, commit: Commit, run: str, before: Reached, cti: int | None) -> bool:
        beginning = self._beginning(commit, run)
        if beginning is not None and beginning != self._stored_beginning(str(before.run)):
            return drops(beginning.how) and beginning.how != "now"  # earlier results may be emitted again
        if before.cti is None:
            return False
        if not commit.totals:  # its results were deleted: the next CTI of the run decides
            later = (each for each in self._commits(commit.batch) if run_of(each, each.batch) == run)
            cti = next((each for each in map(self.batches.cti_of, later) if each is not None), before.cti)
        # a run that resumes from kept state never lowers the CTI
        return before.cti == INFINITY or cti is None or cti < before.cti

    def _beginning(self, commit: Commit, run: str) -> RunBeginning | None:
        """Return how `run` began; None: it resumed from all kept state, or started from nothing.

        A run that resumed from all kept state may also have the beginning of the run before it.
        """
        beginning = commit.totals.get("beginning")
        if commit.totals.get("run") == run:
            return None if beginning is None else RunBeginning.model_validate(beginning)
        return self._stored_beginning(run)

    def _stored_beginning(self, run: str) -> RunBeginning | None:
        content = self.shared.read(beginning_path(self.binding, run))
        return None if content is None else RunBeginning.model_validate_json(content)

    def _commits(self, after: int) -> Iterator[Commit]:
        folder = self._folder()
        for span in committed_spans(folder):
            commit = read_span(folder, span) if span.last > after else None
            if commit is not None:
                yield commit

    def _folder(self) -> BlobFolder:
        return self.shared.within(f"{RESULTS}/{self.binding}")
