"""Deliveries outside the main loop: a thread for each output, so that a hanging one delays no other.

The main loop sets the desired deliveries, reads what is outstanding and reports progress; it never waits for a target.
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from math import inf
from pathlib import Path
from typing import Final

from streaming.adapters.contract import AdapterError, OutputDelivery
from streaming.adapters.places import FILES
from streaming.adapters.registry import delivering_adapter
from streaming.delivery.delivery import Delivery, DeliverySource
from streaming.runtime.lease import wall_clock
from streaming.runtime.secret_server import SecretKeeper
from streaming.storage.backup_hold import read_hold
from streaming.storage.result_location import result_folder
from streaming.wire.deliveries import (
    BindingDeliveries,
    DeliveryObserved,
    DeliveryTarget,
    forget_mark,
    forget_others,
)
from streaming.wire.outgoing import OutgoingPolicy
from streaming.wire.sealed import SealBroken

log = logging.getLogger(__name__)

CLOSED_WITHIN_S: Final = 5.0
"""A runner that exits waits this long for active deliveries; their successors undo unfinished work."""
HELD_POLL_S: Final = 0.1
_WRITE_HERE: Final = frozenset({"file", "delta"})
BuildTarget = Callable[[DeliveryTarget], OutputDelivery]


def targets(folder: Path, keeper: SecretKeeper, outgoing: OutgoingPolicy) -> BuildTarget:
    """Return a function that builds an output's adapter for the organisation in `folder`, with secrets of `keeper`."""

    def build(target: DeliveryTarget) -> OutputDelivery:
        try:
            options = keeper.target_options(target)
        except SealBroken as error:
            raise AdapterError(str(error)) from None
        root = folder / FILES
        return delivering_adapter(target.adapter.kind, options, target.identity, target.fields, root, outgoing)

    return build


class Deliveries:
    """The deliveries of the organisation in `folder`; only for the main loop."""

    def __init__(self, folder: Path, build: BuildTarget, now: Callable[[], int] = wall_clock) -> None:
        self.folder = folder
        self._build = build
        self._now = now
        self._threads: dict[str, _OutputThread] = {}
        self._reported: dict[str, DeliveryObserved] = {}
        self._ending: list[_OutputThread] = []

    def want(self, wanted: Mapping[str, BindingDeliveries]) -> None:
        """Start the deliveries in `wanted`, by binding, and end all others.

        The mark and the refused rows of an output are deleted only when its binding lists its outputs without it. An
        absent binding keeps them: Redis may have lost its entry, and deleting a binding deletes its marks.
        """
        present: set[str] = set()
        for binding, each in wanted.items():
            rows = result_folder(self.folder).within(each.results)
            source = DeliverySource(binding, self.folder / each.results, rows)
            for target in each.targets:
                present.add(target.identity)
                thread = self._threads.get(target.identity)
                if thread is None:
                    is_held = lambda: read_hold(self.folder.parent) is not None  # noqa: E731
                    thread = self._threads[target.identity] = _OutputThread(self._build, self._now, is_held)
                    forget_others(source.results, {one.identity for one in each.targets})
                thread.want(source, target)
        for identity in self._threads.keys() - present:
            thread = self._threads.pop(identity)
            thread.end(forget=thread.binding in wanted)
            self._reported.pop(identity, None)

    def wake(self) -> None:
        """Let all deliveries poll at once: a batch was committed."""
        for thread in self._threads.values():
            thread.wake()

    @property
    def outstanding(self) -> bool:
        """True if rows wait for a target and no user has to act first."""
        return any(thread.seen is None or thread.seen.outstanding for thread in self._threads.values())

    @property
    def quiet(self) -> bool:
        """True if no delivery writes into the organisation's folder, so that none does while a backup's hold lasts."""
        return not any(thread.writes_here for thread in self._threads.values())

    def report(self, send: Callable[[Sequence[DeliveryObserved]], None]) -> None:
        """Pass changed progress to `send`; if it raises, the next call repeats it."""
        changed = {}
        for identity, thread in self._threads.items():
            seen, last = thread.seen, self._reported.get(identity)
            if seen is not None and (last is None or seen != last.model_copy(update={"at": seen.at})):
                changed[identity] = seen
        if changed:
            send(list(changed.values()))
            self._reported.update(changed)

    def close(self) -> None:
        """End all threads; active steps have a few seconds to finish."""
        threads = list(self._threads.values())
        for thread in threads:
            thread.end(forget=False)
        for thread in threads:
            thread.join(CLOSED_WITHIN_S / len(threads))
        self._ending = [thread for thread in threads if thread.alive]
        self._threads.clear()

    @property
    def ended(self) -> bool:
        """True if no thread is active after `close`: only then may another runner deliver."""
        return not any(thread.alive for thread in self._ending)


class _OutputThread:
    """Delivers to one output, one step after the other."""

    def __init__(self, build: BuildTarget, now: Callable[[], int], is_held: Callable[[], bool]) -> None:
        """`is_held`: nothing may be delivered, because a backup clones the files."""
        self._build = build
        self._now = now
        self._is_held = is_held
        self._delivers = False
        self._woken = threading.Event()
        self._wanted: tuple[DeliverySource, DeliveryTarget] | None = None
        self._ended = self._forget = False
        self.seen: DeliveryObserved | None = None
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._deliver_steps,), name="delivery", daemon=True
        )

    def want(self, source: DeliverySource, target: DeliveryTarget) -> None:
        """Deliver from `source` to `target`, starting with the next step."""
        if (source, target) == self._wanted:
            return
        begins = self._wanted is None
        self._wanted = (source, target)
        self._woken.set()
        if begins:
            self._thread.start()

    def wake(self) -> None:
        """Poll at once: there may be new batches."""
        self._woken.set()

    def end(self, *, forget: bool) -> None:
        """End after the current step; `forget`: delete the mark of its output, which was removed."""
        self._forget = forget
        self._ended = True
        self._woken.set()

    @property
    def binding(self) -> str | None:
        """The binding whose results it delivers; None before the first `want`."""
        return None if self._wanted is None else self._wanted[0].binding

    @property
    def writes_here(self) -> bool:
        """True during a step that writes files of the organisation; other targets are outside of any backup."""
        return self._delivers and self._wanted is not None and self._wanted[1].adapter.kind in _WRITE_HERE

    @property
    def alive(self) -> bool:
        """True until the thread has ended."""
        return self._thread.is_alive()

    def join(self, seconds: float) -> None:
        """Wait until it has ended, for at most `seconds`."""
        self._thread.join(seconds)

    def _deliver_steps(self) -> None:
        carried: tuple[DeliverySource, DeliveryTarget] | None = None
        delivery: Delivery | None = None
        while not self._ended:
            self._woken.clear()
            wanted = self._wanted
            if delivery is None or (wanted is not None and wanted != carried):
                if delivery is not None:
                    delivery.close()
                carried, delivery = wanted, self._make_delivery(wanted)
            self._delivers = True  # before the question: an answer to a hold is true from then on
            held = self._is_held()
            wait_s = HELD_POLL_S if held else self._step(delivery)
            self._delivers = False
            if wait_s > 0:
                self._woken.wait(None if wait_s == inf else wait_s)
        if delivery is not None:
            delivery.close()
        if self._forget and carried is not None:
            forget_mark(carried[0].results, carried[1].identity)

    def _step(self, delivery: Delivery) -> float:
        before, wait_s = self.seen, delivery.step()
        seen = self.seen = delivery.observed
        if before is None or (before.state, before.message) != (seen.state, seen.message):
            how = f": {seen.message}" if seen.message else ""
            log.info("delivery of binding %s to %s is %s%s", seen.binding, seen.identity, seen.state, how)
        return wait_s

    def _make_delivery(self, wanted: tuple[DeliverySource, DeliveryTarget] | None) -> Delivery:
        if wanted is None:
            raise RuntimeError("a delivery thread was started before `want`")
        source, target = wanted
        build = lambda columns: self._build(target.model_copy(update={"fields": dict(columns)}))  # noqa: E731
        return Delivery(source, target, build, self._now)
