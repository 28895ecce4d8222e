"""Deliveries beside the main loop: a thread for each output, so that one that hangs holds up no other.

The main loop says what is wanted, asks what is outstanding and passes on what was seen; it never waits for a target.
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
from streaming.wire.deliveries import (
    BindingDeliveries,
    DeliveryObserved,
    DeliveryTarget,
    forget_mark,
    forget_others,
)
from streaming.wire.outgoing import OutgoingPolicy
from streaming.wire.result_location import result_folder
from streaming.wire.sealed import SealBroken

log = logging.getLogger(__name__)

CLOSED_WITHIN_S: Final = 5.0
"""A runner that ends waits so long for deliveries that are at work; what they leave half done is undone later."""
BuildTarget = Callable[[DeliveryTarget], OutputDelivery]


def targets(folder: Path, keeper: SecretKeeper, outgoing: OutgoingPolicy) -> BuildTarget:
    """What builds the adapter of an output for the organisation in `folder`, with the secrets that `keeper` holds."""

    def build(target: DeliveryTarget) -> OutputDelivery:
        try:
            options = keeper.target_options(target)
        except SealBroken as error:
            raise AdapterError(str(error)) from None
        root = folder / FILES
        return delivering_adapter(target.adapter.kind, options, target.identity, target.fields, root, outgoing)

    return build


class Deliveries:
    """The deliveries of one organisation, whose folder is `folder`; for the main loop alone."""

    def __init__(self, folder: Path, build: BuildTarget, now: Callable[[], int] = wall_clock) -> None:
        self._folder = folder
        self._build = build
        self._now = now
        self._threads: dict[str, _OutputThread] = {}
        self._told: dict[str, DeliveryObserved] = {}
        self._ending: list[_OutputThread] = []

    def want(self, wanted: Mapping[str, BindingDeliveries]) -> None:
        """Let there be deliveries as `wanted`, by binding, and no others."""
        there: set[str] = set()
        for binding, each in wanted.items():
            rows = result_folder(self._folder).within(each.results)
            source = DeliverySource(binding, self._folder / each.results, rows)
            for target in each.targets:
                there.add(target.identity)
                thread = self._threads.get(target.identity)
                if thread is None:
                    thread = self._threads[target.identity] = _OutputThread(self._build, self._now)
                    forget_others(source.results, {one.identity for one in each.targets})
                thread.want(source, target)
        for identity in self._threads.keys() - there:
            self._threads.pop(identity).end(forget=True)
            self._told.pop(identity, None)

    def look(self) -> None:
        """Something was committed."""
        for thread in self._threads.values():
            thread.look()

    @property
    def outstanding(self) -> bool:
        """Whether rows wait for a target that nobody has to mend first."""
        return any(thread.seen is None or thread.seen.outstanding for thread in self._threads.values())

    def tell(self, send: Callable[[Sequence[DeliveryObserved]], None]) -> None:
        """Tell `send` what has changed; where it raises, it is told again."""
        changed = {}
        for identity, thread in self._threads.items():
            seen, told = thread.seen, self._told.get(identity)
            if seen is not None and (told is None or seen != told.model_copy(update={"at": seen.at})):
                changed[identity] = seen
        if changed:
            send(list(changed.values()))
            self._told.update(changed)

    def close(self) -> None:
        """End all threads; what is at work has a few seconds to come to its end."""
        threads = list(self._threads.values())
        for thread in threads:
            thread.end(forget=False)
        for thread in threads:
            thread.join(CLOSED_WITHIN_S / len(threads))
        self._ending = [thread for thread in threads if thread.alive]
        self._threads.clear()

    @property
    def ended(self) -> bool:
        """Whether nothing is at work any more, after `close`: only then may another runner deliver."""
        return not any(thread.alive for thread in self._ending)


class _OutputThread:
    """Delivers to one output, one step after the other."""

    def __init__(self, build: BuildTarget, now: Callable[[], int]) -> None:
        self._build = build
        self._now = now
        self._woken = threading.Event()
        self._wanted: tuple[DeliverySource, DeliveryTarget] | None = None
        self._ended = self._forget = False
        self.seen: DeliveryObserved | None = None
        self._thread = threading.Thread(target=copy_context().run, args=(self._go_on,), name="delivery", daemon=True)

    def want(self, source: DeliverySource, target: DeliveryTarget) -> None:
        """Deliver from `source` to `target` from the next step on."""
        if (source, target) == self._wanted:
            return
        begins = self._wanted is None
        self._wanted = (source, target)
        self._woken.set()
        if begins:
            self._thread.start()

    def look(self) -> None:
        """There may be new batches."""
        self._woken.set()

    def end(self, *, forget: bool) -> None:
        """End after the step that is at work; with `forget` its output is no more."""
        self._forget = forget
        self._ended = True
        self._woken.set()

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return self._thread.is_alive()

    def join(self, seconds: float) -> None:
        """Wait until it has ended, but not longer than that."""
        self._thread.join(seconds)

    def _go_on(self) -> None:
        carried: tuple[DeliverySource, DeliveryTarget] | None = None
        delivery: Delivery | None = None
        while not self._ended:
            self._woken.clear()
            wanted = self._wanted
            if delivery is None or (wanted is not None and wanted != carried):
                if delivery is not None:
                    delivery.close()
                carried, delivery = wanted, self._begun(wanted)
            wait_s = self._step(delivery)
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

    def _begun(self, wanted: tuple[DeliverySource, DeliveryTarget] | None) -> Delivery:
        if wanted is None:
            raise RuntimeError("a thread of deliveries was started before anything was wanted")
        source, target = wanted
        return Delivery(source, target, lambda: self._build(target), self._now)
