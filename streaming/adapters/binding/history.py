"""How the results of a binding went on from run to run, and from which batch on they were begun anew."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from streaming.adapters.committed import CommittedBatches
from streaming.temporal.ticks import INFINITY
from streaming.wire.beginning import RunBeginning, drops
from streaming.wire.kept import beginning_path
from streaming.wire.result_location import RESULTS
from streaming.wire.results import Commit, committed_spans, read_span, runs_of
from streaming.wire.storage import BlobFolder


@dataclass(frozen=True)
class Reached:
    """How far the results were looked at: the last batch, who made it, and the output's CTI after it, where known."""

    batch: int = -1
    run: str | None = None
    cti: int | None = None


@dataclass(frozen=True)
class ResultHistory:
    """The results of `binding` below `results`, of which `batches` are those of an output.

    `shared` is the folder in which all that lasts of the organisation lies.
    """

    shared: BlobFolder
    binding: str
    batches: CommittedBatches

    def since(self, reached: Reached) -> tuple[Reached, int | None]:
        """How far the results have come, and the batch from which on they were begun anew last; None: they were not."""
        anew = None
        for commit in self._commits(reached.batch):
            said = self.batches.cti_of(commit)
            for each in runs_of(commit):
                if each.last <= reached.batch:
                    continue
                if each.run != reached.run:
                    if reached.run is not None and self._anew(commit, each.run, reached, said):
                        anew = each.first
                    reached = Reached(each.last, each.run)
                reached = replace(reached, batch=each.last)
            reached = replace(reached, batch=commit.batch, cti=reached.cti if said is None else said)
        return reached, anew

    def _anew(self, commit: Commit, run: str, before: Reached, said: int | None) -> bool:
        beginning = self._beginning(commit, run)
        if beginning is not None:
            return drops(beginning.how) and beginning.how != "now"  # what was given before may be given again
        if before.cti is None:
            return False
        return before.cti == INFINITY or said is None or said < before.cti  # a CTI goes on with what is kept

    def _beginning(self, commit: Commit, run: str) -> RunBeginning | None:
        """How `run` began; None: it went on with all that was kept, or from nothing."""
        said = commit.totals.get("beginning")
        if commit.totals.get("run") == run:
            return None if said is None else RunBeginning.model_validate(said)
        content = self.shared.read(beginning_path(self.binding, run))
        return None if content is None else RunBeginning.model_validate_json(content)

    def _commits(self, after: int) -> Iterator[Commit]:
        folder = self.shared.within(f"{RESULTS}/{self.binding}")
        for span in committed_spans(folder):
            commit = read_span(folder, span) if span.last > after else None
            if commit is not None:
                yield commit
