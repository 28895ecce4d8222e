"""The runs that made the results of a binding, and the batch of its last restart without state."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from streaming.adapters.committed import CommittedBatches
from streaming.resume.restart_points import beginning_path
from streaming.storage.blobs import BlobFolder
from streaming.storage.restarts import emits_again, restart_at, resumes_at
from streaming.storage.result_location import RESULTS
from streaming.storage.results import (
    Commit,
    DamagedFile,
    RunBatches,
    batches_with,
    commit_with,
    committed_spans,
    read_span,
    run_of,
    runs_of,
)
from streaming.temporal.ticks import INFINITY
from streaming.wire.beginning import RunBeginning

END: Final = INFINITY
"""The CTI of an output at the end of everything."""
COMMITS_AT_ONCE: Final = 256
"""Commits that are read for one step through the results."""


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
        """Return the newest point of the results, and the batch of the last restart after `reached`, if any.

        Reads the commits after `reached`. At the start of the results it reads the newest one only, unless restarts
        are not recorded there. Raises `OSError`, `DamagedFile`.
        """
        restart = None if reached.batch >= 0 else self._recorded_restart(newest := self.newest_batch())
        if restart is not None:
            return self.at(newest), restart
        reached, restarts = self._all_since(reached)
        return reached, restarts[-1] if restarts else None

    def last_restart(self, batch: int) -> int | None:
        """Return the batch of the last restart without state up to `batch`; None without one.

        Reads one commit, unless restarts are not recorded there. Raises `OSError`, `DamagedFile`.
        """
        restart = self._recorded_restart(batch)
        if restart is not None:
            return restart
        return max((each for each in self._all_since(Reached())[1] if each <= batch), default=None)

    def restarts_since(self, reached: Reached) -> tuple[Reached, list[int]]:
        """Return a later point of the results, and the batch of each restart without state between the two.

        Reads COMMITS_AT_ONCE commits at most; returns `reached` itself at the newest one. Nothing restarts before the
        first results that are stored. Raises `OSError`, `DamagedFile`.
        """
        restarts: list[int] = []
        for commit in islice(self._commits(reached.batch), COMMITS_AT_ONCE):
            cti = self.batches.cti_of(commit)
            for each in runs_of(commit):
                if each.last <= reached.batch:
                    continue
                restart = self._restart(commit, each, reached, cti)
                if restart is not None:
                    restarts.append(restart)
                if restart is not None or each.run != reached.run:
                    reached = Reached(each.last, each.run)
                reached = replace(reached, batch=each.last)
            reached = replace(reached, batch=commit.batch, cti=reached.cti if cti is None else cti)
        return reached, restarts

    def _all_since(self, reached: Reached) -> tuple[Reached, list[int]]:
        restarts: list[int] = []
        while (step := self.restarts_since(reached))[0] != reached:
            reached = step[0]
            restarts += step[1]
        return reached, restarts

    def newest_batch(self) -> int:
        """Return the number of the newest batch, -1 without batches."""
        return max((each.last for each in committed_spans(self._folder())), default=-1)

    def at(self, batch: int) -> Reached:
        """Return the point after `batch`; its CTI is that of the newest commit up to there that still records one.

        Its run is "" if all results up to there were deleted: the start of the next run decides whether it restarted.
        """
        run: str | None = None
        restart: int | None = None
        folder = self._folder()
        for span in reversed([each for each in committed_spans(folder) if each.first <= batch]):
            commit = read_span(folder, span)
            if commit is None:
                continue
            batches = batches_with(commit, min(batch, span.last))
            maker, begun = (None, None) if batches is None else (batches.run, batches.restart)
            run, restart = maker if run is None else run, begun if restart is None else restart
            if maker != run or begun not in (None, restart):
                return Reached(batch, run)
            if span.last <= batch and commit.totals:  # else its results were deleted
                return Reached(batch, run, self.batches.cti_of(commit))
        return Reached(batch, "" if run is None else run)

    def _recorded_restart(self, batch: int) -> int | None:
        """Return the batch of the last restart up to `batch`; None where it isn't recorded."""
        return restart_at(commit_with(self._folder(), batch), batch)

    def _restart(self, commit: Commit, batches: RunBatches, before: Reached, cti: int | None) -> int | None:
        """Return the batch of the restart before `batches`, since `before`; None without one."""
        if batches.restart is not None:
            return batches.restart if 0 <= before.batch < batches.restart else None
        if before.run in (None, batches.run):
            return None
        return batches.first if self._starts_over(commit, batches.run, before, cti) else None

    def _starts_over(self, commit: Commit, run: str, before: Reached, cti: int | None) -> bool:
        """Judge a change of runs that commits don't record as a restart or as none."""
        beginning = self._beginning(commit, run)
        if beginning is not None and beginning != self._stored_beginning(str(before.run)):
            return emits_again(beginning)
        if before.cti is None:
            return False
        if not commit.totals:  # its results were deleted: the next CTI of the run decides
            later = (each for each in self._commits(commit.batch) if run_of(each, each.batch) == run)
            cti = next((each for each in map(self.batches.cti_of, later) if each is not None), before.cti)
        return not resumes_at(before.cti, cti)

    def _beginning(self, commit: Commit, run: str) -> RunBeginning | None:
        """Return how `run` began; None: it resumed from all kept state, or started from nothing.

        A run that resumed from all kept state may also have the beginning of the run before it.
        """
        beginning = commit.totals.get("beginning")
        if commit.totals.get("run") == run:
            return None if beginning is None else RunBeginning.model_validate(beginning)
        return self._stored_beginning(run)

    def _stored_beginning(self, run: str) -> RunBeginning | None:
        path = beginning_path(self.binding, run)
        content = self.shared.read(path)
        try:
            return None if content is None else RunBeginning.model_validate_json(content)
        except ValueError as error:  # pydantic's error is one
            raise DamagedFile(path) from error

    def _commits(self, after: int) -> Iterator[Commit]:
        folder = self._folder()
        for span in committed_spans(folder):
            commit = read_span(folder, span) if span.last > after else None
            if commit is not None:
                yield commit

    def _folder(self) -> BlobFolder:
        return self.shared.within(f"{RESULTS}/{self.binding}")
