"""One task of the feed: one binding after the other, none held up by one that hangs (no pyspark here)."""

import threading
from collections.abc import Iterator, Mapping

import pyarrow as pa

from streaming.engine.state.container import Blob
from streaming.spark.abandonable_calls import AbandonableCall
from streaming.spark.envelope import CarrierMessage, batches_of
from streaming.spark.errors import ComputedTooLong, no_answer
from streaming.spark.feed_binding import BindingMessages, BindingTask
from streaming.spark.feed_work import TaskWork
from streaming.spark.lane_clocks import VersionedClock, key_of, read_clocks, write_clocks
from streaming.spark.layout import CarrierFolder, CarrierSettings, opened
from streaming.spark.memory import limit_memory, suspects
from streaming.spark.shared_keys import place_of

_ASIDE_AFTER_S = 0.25
"""Who waits for its adapter so long is set aside, and the next binding begins."""
_LOOK_S = 0.1
_WARM = threading.Event()
"""Set when this process has been through a task: until then reading imports much, and is no sign of a slow input."""


def run_task(work: TaskWork) -> Iterator[pa.RecordBatch]:
    """Do `work`: yield its envelopes, then write the clocks of its lanes.

    The fault of one binding leaves as a `state` envelope and its lanes' clocks stay, and so does one that comes to a
    deadline; a fault of the machine is raised.
    """
    limit_memory()
    carrier = opened(work.carrier)
    yield from batches_of(_rows(carrier, work), carrier.settings.pages)
    _WARM.set()


def _rows(carrier: CarrierFolder, work: TaskWork) -> Iterator[CarrierMessage]:
    version = read_clocks(carrier.folder, work.partition, work.batch)
    files: dict[str, Blob] = {}
    clocks = version.clocks
    by_key: dict[str, dict[str, VersionedClock]] = {}
    for name in list(clocks):
        key = key_of(name)
        if key in work.living:
            by_key.setdefault(key, {})[name] = clocks[name]
        else:
            del clocks[name]
    for fed in _done(carrier, work, by_key):
        yield from fed.rows
        clocks.update(fed.moved)
        files.update(fed.files)
    write_clocks(carrier.folder, work.partition, work.batch, version, files)


def _done(
    carrier: CarrierFolder, work: TaskWork, clocks: Mapping[str, Mapping[str, VersionedClock]]
) -> Iterator[BindingMessages]:
    """Each binding's part once it is done: page by page, but for those that were set aside, which come last.

    At whose work a process has died before is computed behind them, with nobody beside it.
    """
    aside: list[_BindingAttempt] = []
    apart = suspects(carrier.local)
    every = sorted(work.bindings.values(), key=lambda each: place_of(each.key, carrier.settings.pages))
    for binding in (each for each in every if each.key not in apart):
        task = BindingTask(carrier, work, binding, clocks.get(binding.key, {}))
        attempt = _BindingAttempt(task, carrier.settings)
        if attempt.comes_on():
            yield attempt.fed()
        else:
            aside.append(attempt)
    for attempt in aside:
        yield attempt.fed()
    for binding in (each for each in every if each.key in apart):
        task = BindingTask(carrier, work, binding, clocks.get(binding.key, {}), suspicion=apart[binding.key])
        yield _BindingAttempt(task, carrier.settings).fed()


class _BindingAttempt:
    """A binding's part, in a thread of its own."""

    def __init__(self, task: BindingTask, settings: CarrierSettings) -> None:
        self._task = task
        self._settings = settings
        self._errand: AbandonableCall[BindingMessages] = AbandonableCall(task.run)

    def comes_on(self) -> bool:
        """Wait until it is done; False as soon as it is kept waiting, or came to a deadline."""
        while not self._errand.wait(_LOOK_S):
            if self._task.patience.waiting_s >= _ASIDE_AFTER_S or self._overdue() is not None:
                return False
        return True

    def fed(self) -> BindingMessages:
        """Its envelopes and clocks, those of its failure where it came to a deadline. Raises faults of the machine."""
        while not self._errand.wait(_LOOK_S):
            error = self._overdue()
            if error is not None:
                return self._given_up(error)
        return self._errand.result()

    def _overdue(self) -> Exception | None:
        settings = self._settings
        most_s = settings.held_up_at_most_s if _WARM.is_set() else settings.read_deadline_s
        if self._task.patience.spent_s >= most_s:
            return no_answer(self._task.inputs, most_s)
        if self._errand.age_s >= settings.compute_deadline_s + settings.held_up_at_most_s:
            return ComputedTooLong(settings.compute_deadline_s)
        return None

    def _given_up(self, error: Exception) -> BindingMessages:
        self._task.patience.give_up()
        if not self._settings.isolate:
            raise error
        return self._task.failed(error, "given up at its deadline")
