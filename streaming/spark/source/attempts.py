"""Failed attempts at a batch, on disk: the bindings to leave out, and the search for an unidentified culprit.

A batch is a function of two offsets and of `attempts.json`, so a restart of the runner repeats the same attempt. The
driver writes that file after an attempt, and the planner before an attempt of a search; never both at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from streaming.spark.errors import (
    BATCH_REPEATED,
    ENGINE_FAILED,
    PROBE_PASSED,
    BatchRepeated,
    ProbePassed,
    RunFailure,
    explain_culprit,
)
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.offset import Offset
from streaming.spark.query.state_change import StateChange
from streaming.spark.source.culprit_search import CulpritSearch
from streaming.spark.source.feed_work import TaskWork, share_out
from streaming.wire.fast_json import decoded, encoded
from streaming.wire.message import make_dataclass

FILE: Final = "attempts.json"


@dataclass(frozen=True)
class AttemptedBatch:
    """An attempted batch, the manifest `after` which it runs, and the keys of all its bindings."""

    number: int
    after: int
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Attempts:
    """The record of failed attempts.

    `excluded`: the bindings that batch `number` is repeated without, each with the resulting state of its run.
    `search`: the search in progress. `batch`: the last batch that the search attempted.
    """

    number: int = 0
    excluded: Mapping[str, StateChange] = field(default_factory=dict)
    search: CulpritSearch | None = None
    batch: AttemptedBatch | None = None

    def excluded_from(self, batch: int) -> Mapping[str, StateChange]:
        """Return the bindings that `batch` is repeated without."""
        return self.excluded if batch == self.number else {}

    def without(self, batch: int, faults: Mapping[str, StateChange]) -> "Attempts":
        """Return the record with the bindings of `faults` also excluded from `batch`."""
        return replace(self, number=batch, excluded={**self.excluded_from(batch), **faults})

    def after_failure(self, failure: RunFailure, newest: int) -> "Attempts":
        """Return the record after an attempt, after manifest `newest`, that failed without a known culprit."""
        search = self.search
        if search is None or search.after != newest:
            search = CulpritSearch(newest)
        batch = self.batch if self.batch is not None and self.batch.after == newest else None
        keys = () if batch is None else batch.keys
        search = search.passed() if failure.message == PROBE_PASSED else search.failed(keys)
        found = replace(self, search=search)
        if batch is None or search.culprit is None:
            return found
        return found.without(batch.number, {search.culprit: StateChange.failed(explain_culprit(failure.detail))})

    def to_json(self) -> bytes:
        """Return the content of the file."""
        content = {
            **vars(self),
            "excluded": {key: vars(change) for key, change in self.excluded.items()},
            "search": None if self.search is None else vars(self.search),
            "batch": None if self.batch is None else vars(self.batch),
        }
        return encoded(content)

    @classmethod
    def of_json(cls, content: bytes) -> "Attempts":
        """Read what `to_json` wrote."""
        found: dict[str, Any] = decoded(content)
        search, batch = found["search"], found["batch"]
        return cls(
            number=found["number"],
            excluded={key: make_dataclass(StateChange, change) for key, change in found["excluded"].items()},
            search=None if search is None else CulpritSearch.of_json(search),
            batch=None if batch is None else make_dataclass(AttemptedBatch, {**batch, "keys": tuple(batch["keys"])}),
        )


def read_attempts(carrier: CarrierFolder) -> Attempts:
    """Read the record of failed attempts. Raises `OSError`."""
    content = carrier.folder.read(FILE)
    return Attempts() if content is None else Attempts.of_json(content)


def tasks_of(carrier: CarrierFolder, end: Offset) -> list[TaskWork]:
    """Return the tasks of this attempt at the batch that ends at `end`. Raises `OSError`."""
    known = read_attempts(carrier)
    if known.search is not None:
        known = _record_attempt(carrier, known, end)
    excluded, probe = known.excluded_from(end.n), None if known.search is None else known.search.probe
    return share_out(
        carrier.location, carrier.settings.partitions, end, excluded, None if probe is None else frozenset(probe)
    )


def _record_attempt(carrier: CarrierFolder, known: Attempts, end: Offset) -> Attempts:
    """Record the batch that is attempted now, for the search; end a search that started before a newer manifest."""
    newest = _newest(carrier)
    if known.search is not None and known.search.after != newest:
        known = replace(known, search=None, batch=None)
    else:
        keys = {item.key for item in end.every} | {turn.key for turn in end.turns}
        batch = AttemptedBatch(end.n, newest, tuple(sorted(keys - known.excluded_from(end.n).keys())))
        known = replace(known, batch=batch)
    carrier.folder.write(FILE, known.to_json())
    return known


def repeat_without(carrier: CarrierFolder, batch: int, faults: Mapping[str, StateChange]) -> BatchRepeated:
    """Record that `batch` is repeated without the bindings of `faults`; return the error that ends this attempt.

    Raises `OSError`.
    """
    parked = {key: replace(change, undo=False) for key, change in faults.items()}
    carrier.folder.write(FILE, read_attempts(carrier).without(batch, parked).to_json())
    return BatchRepeated()


def probed_batch(carrier: CarrierFolder) -> int | None:
    """Return the batch that is probed now, None without a probe. Raises `OSError`."""
    known = read_attempts(carrier)
    probing = known.search is not None and known.search.probe is not None
    return known.batch.number if probing and known.batch is not None else None


def end_probe(carrier: CarrierFolder, batch: int) -> None:
    """Raise `ProbePassed` if this attempt at `batch` is a probe, since probes never count. Raises `OSError`."""
    if probed_batch(carrier) == batch:
        raise ProbePassed


def is_repeated(carrier: CarrierFolder, failure: RunFailure) -> bool:
    """Return True if the query that ended with `failure` must start again. Records what the attempt has shown.

    A failure with a known cause, for example of the machine, shows nothing. Raises `OSError`.
    """
    if failure.message == BATCH_REPEATED:
        return True
    if failure.message not in (ENGINE_FAILED, PROBE_PASSED):
        return False
    after = read_attempts(carrier).after_failure(failure, _newest(carrier))
    given_up = after.search is not None and after.search.given_up
    carrier.folder.write(FILE, (replace(after, search=None, batch=None) if given_up else after).to_json())
    return not given_up


def _newest(carrier: CarrierFolder) -> int:
    """Return the number of the newest manifest, 0 before the first."""
    return max(carrier.folder.numbers("commits"), default=0)
