"""One task of the feed: one binding after the other, none delayed by a binding that hangs (no pyspark here)."""

import threading
from collections.abc import Iterator, Mapping

import pyarrow as pa

from streaming.engine.state.container import Blob
from streaming.spark.abandonable_calls import AbandonableCall
from streaming.spark.errors import ComputedTooLong, no_answer
from streaming.spark.messages.envelope import CarrierMessage, batches_of
from streaming.spark.messages.shared_keys import place_of
from streaming.spark.query.layout import CarrierFolder, CarrierSettings, open_carrier
from streaming.spark.session.memory import limit_memory, suspects
from streaming.spark.source.feed_binding import BindingMessages, BindingTask
from streaming.spark.source.feed_work import TaskWork
from streaming.spark.source.lane_clocks import VersionedClock, key_of, read_clocks, write_clocks

_ASIDE_AFTER_S = 0.25
"""A binding that waits this long for its adapter is set aside, and the next binding starts."""
_LOOK_S = 0.1
_WARM = threading.Event()
"""Set when this process has completed a task: before that, slow reading means imports, not a slow input."""


def run_task(work: TaskWork) -> Iterator[pa.RecordBatch]:
    """Do `work`: yield its envelopes, then write the clocks of its lanes.

    The error of one binding, or its missed deadline, becomes a `state` envelope, and the clocks of its lanes stay; an
    error of the machine is raised.
    """
    limit_memory()
    carrier = open_carrier(work.carrier)
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
    for fed in _fed_bindings(carrier, work, by_key):
        yield from fed.rows
        clocks.update(fed.moved)
        files.update(fed.files)
    write_clocks(carrier.folder, work.partition, work.batch, version, files)


def _fed_bindings(
    carrier: CarrierFolder, work: TaskWork, clocks: Mapping[str, Mapping[str, VersionedClock]]
) -> Iterator[BindingMessages]:
    """Yield each binding's part when it is complete, page by page; bindings that were set aside come last.

    After them come bindings at whose work a process has died before, each computed alone.
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
    """A binding's part of the task, in a thread of its own."""

    def __init__(self, task: BindingTask, settings: CarrierSettings) -> None:
        self._task = task
        self._settings = settings
        self._errand: AbandonableCall[BindingMessages] = AbandonableCall(task.run)

    def comes_on(self) -> bool:
        """Wait until it is complete; return False as soon as its adapter makes it wait, or at a deadline."""
        while not self._errand.wait(_LOOK_S):
            if self._task.patience.waiting_s >= _ASIDE_AFTER_S or self._overdue() is not None:
                return False
        return True

    def fed(self) -> BindingMessages:
        """Return its envelopes and clocks, or those of its failure at a deadline. Raises errors of the machine."""
        while not self._errand.wait(_LOOK_S):
            error = self._overdue()
            if error is not None:
                return self._give_up(error)
        return self._errand.result()

    def _overdue(self) -> Exception | None:
        settings = self._settings
        most_s = settings.longest_delay_s if _WARM.is_set() else settings.read_deadline_s
        if self._task.patience.spent_s >= most_s:
            return no_answer(self._task.inputs, most_s)
        if self._errand.age_s >= settings.compute_deadline_s + settings.longest_delay_s:
            return ComputedTooLong(settings.compute_deadline_s)
        return None

    def _give_up(self, error: Exception) -> BindingMessages:
        self._task.patience.give_up()
        return self._task.failed(error, "given up at its deadline")
