"""A pooled runner: one Spark session, and a seat for each organisation with work in it.

A seat is a thread with the same parts as an organisation's own runner: the lock of its folder, its lease, its `Runner`.
A seat that waits for an adapter or a disk delays no other.
"""

import json
import logging
import threading
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import redis

from streaming.runtime.carriers.carrier import CarrierLike
from streaming.runtime.carriers.fleet import Fleet
from streaming.runtime.carriers.shared import SharedCarrier
from streaming.runtime.deliveries import Deliveries, targets
from streaming.runtime.lease import BEAT_S, LeaseHeartbeat, take_lease
from streaming.runtime.mailbox import Mailbox
from streaming.runtime.process.logs import logging_for
from streaming.runtime.process.single import AnotherRunner, SingleRunner
from streaming.runtime.process.stillness import keep_still
from streaming.runtime.runner import Runner, RunnerExit
from streaming.runtime.secret_server import SecretKeeper, SecretKeepers
from streaming.storage.backup_hold import read_hold
from streaming.wire.binding_homes import pools_of
from streaming.wire.outgoing import OutgoingPolicy
from streaming.wire.sealed import Keyring, SealBroken

log = logging.getLogger(__name__)

TURN_S: Final = 0.5
TURNS_A_SECOND: Final = 100
"""The turns per second of all seats together: with more than fifty seats, each one turns less often."""
AGAIN_AFTER_S: Final = 3.0
"""A seat that has ended is taken again after this time, if its organisation still has work."""
ENDS_WITHIN_S: Final = 30.0
KEPT_ELSEWHERE: Final = "%s has state of this organisation, so only it may carry the organisation's runs"


@dataclass(frozen=True)
class PoolRoom:
    """The resources that all seats of a pool share.

    `carriers`: the shared one, and the second one for slow bindings. `opening` opens a carrier in the folder of an
    organisation, by name. `apart_s`: the first time apart of a binding that delayed all others.
    """

    name: str
    root: Path
    token: str
    connection: "redis.Redis"
    carriers: tuple[SharedCarrier, ...]
    keepers: SecretKeepers
    opening: Callable[[Path, str], CarrierLike]
    outgoing: OutgoingPolicy
    idle_exit_s: float
    apart_s: float
    monotonic: Callable[[], float]


class PoolSeat:
    """The seat of one organisation: `start` takes it, `ask` ends it."""

    def __init__(self, room: PoolRoom, organisation: str, keys: tuple[str, ...], seats: Callable[[], int]) -> None:
        self.keys = keys
        self.ended_at: float | None = None
        self.heart: LeaseHeartbeat | None = None
        self._room = room
        self._organisation = organisation
        self._folder = (room.root / organisation).resolve()
        self._seats = seats
        self._asked = threading.Event()
        self._called = threading.Event()
        self._thread = threading.Thread(target=self._sit, name=f"seat {organisation}", daemon=True)

    def start(self) -> None:
        """Take the seat as soon as nobody else carries the organisation's runs."""
        self._thread.start()

    def ask(self) -> None:
        """End without stopping any run: a successor continues."""
        self._asked.set()
        self._called.set()

    @property
    def called(self) -> bool:
        """True if its next turn comes at once."""
        return self._called.is_set()

    def call(self) -> None:
        """Make the next turn at once: the desired state has changed."""
        self._called.set()

    def join(self, seconds: float) -> None:
        """Wait until it has ended, for at most `seconds`."""
        self._thread.join(seconds)

    def _sit(self) -> None:
        with logging_for(self._folder):
            try:
                self._hold()
            except Exception:
                log.exception("the organisation's seat in %s broke; it is taken again", self._room.name)
            finally:
                self.ended_at = self._room.monotonic()

    def _hold(self) -> None:
        single = self._locked()
        if single is None:
            return
        try:
            others = pools_of(self._folder) - {self._room.name}
            if others:
                log.error(KEPT_ELSEWHERE, ", ".join(sorted(others)))
                return
            if ended := single.end_predecessor():
                log.warning("ended %s processes that a previous runner had left behind", ended)
            single.record()
            self._carry()
        finally:
            single.release()

    def _locked(self) -> SingleRunner | None:
        while not self._asked.is_set():
            try:
                return SingleRunner(self._folder, self._room.token)
            except AnotherRunner as error:
                log.info("waiting: %s", error)
                self._asked.wait(AGAIN_AFTER_S)
        return None

    def _carry(self) -> None:
        room, organisation = self._room, self._organisation
        keeper = SecretKeeper(Keyring(list(self.keys)))
        mailbox = Mailbox(room.connection, organisation, keeper, own_alone=True)
        heart = LeaseHeartbeat(mailbox, room.token)
        if not take_lease(heart, self._asked):
            return
        self.heart = heart
        heart.session_began()
        room.keepers.enter(organisation, keeper)
        try:
            fleet = Fleet(self._opened, self._folder, room.monotonic, room.name, room.apart_s)
            deliveries = Deliveries(self._folder, targets(self._folder, keeper, room.outgoing))
            runner = Runner(mailbox, heart, fleet, deliveries, idle_exit_s=room.idle_exit_s)
            try:
                runner.resume()
                log.info("carried by %s", room.name)
                why = self._turn_on(runner)
                log.info("no longer carried by %s: %s", room.name, why)
            finally:
                self._close(runner, fleet, heart)
        finally:
            self.heart = None
            room.keepers.leave(organisation)
            for carrier in room.carriers:
                carrier.give_back(organisation)
            heart.stop()

    def _close(self, runner: Runner, fleet: Fleet, heart: LeaseHeartbeat) -> None:
        """End all that the seat has started, also after an error: the next seat delivers the same batches."""
        runner.close()
        try:
            fleet.close()
        finally:
            while not runner.ended and not self._asked.wait(TURN_S):
                heart.turned()

    def _opened(self, name: str) -> CarrierLike:
        common = next((each for each in self._room.carriers if each.name == name), None)
        return self._room.opening(self._folder, name) if common is None else common.share(self._organisation)

    def _turn_on(self, runner: Runner) -> RunnerExit:
        while True:
            why = runner.turn()
            if why is not None:
                return why
            if not runner.hold_still():
                self._called.wait(max(TURN_S, self._seats() / TURNS_A_SECOND))
            self._called.clear()
            if self._asked.is_set():
                return RunnerExit.ASKED


@dataclass
class Pool:
    """All seats and their shared resources; `turn` is one round of the main loop.

    `keyring` opens the keys of organisations, which are sealed for this pool.
    """

    room: PoolRoom
    mailbox: Mailbox
    heart: LeaseHeartbeat
    keyring: Keyring
    seats: dict[str, PoolSeat] = field(default_factory=dict)
    _idle_since: float | None = None
    _served_before: bool = False

    def turn(self) -> RunnerExit | None:
        """Make one round; return why the pool has to end, None while it continues."""
        self.heart.turned()
        if self.heart.lost.is_set():
            return RunnerExit.LEASE_LOST
        try:
            served = self.mailbox.seated()
        except redis.RedisError as error:
            log.warning("Redis cannot be reached, the runs continue as they are: %s", error)
        else:
            try:
                self._serve(served)
            except SealBroken:
                return RunnerExit.KEYS_OUTDATED
        for carrier in self.room.carriers:
            carrier.turn()
        return self._idle()

    def hold_still(self) -> bool:
        """Change nothing while a backup clones the files; return whether one waits for a batch. Seats do the same."""
        if read_hold(self.room.root) is not None:
            self.call(self.seats.keys())
        quiet = lambda: all(each.carrier.quiet for each in self.room.carriers)  # noqa: E731
        return keep_still(self.room.root / self.room.name, quiet, self.heart.turned)

    def call(self, called: Set[str]) -> None:
        """Let the seats of the organisations in `called` make a turn at once: their desired state has changed."""
        for organisation in called & self.seats.keys():
            self.seats[organisation].call()

    def beat(self, ended: threading.Event) -> None:
        """Renew all leases until `ended`."""
        while not ended.wait(BEAT_S):
            for heart in (self.heart, *(seat.heart for seat in list(self.seats.values()))):
                if heart is not None and not heart.lost.is_set():
                    heart.beat()

    def close(self) -> None:
        """End all seats."""
        for seat in self.seats.values():
            seat.ask()
        until = self.room.monotonic() + ENDS_WITHIN_S
        for seat in self.seats.values():
            seat.join(max(0.0, until - self.room.monotonic()))

    def _serve(self, served: dict[str, str]) -> None:
        """Take seats for all organisations in `served`. Raises `SealBroken` for a newer key than this pool has."""
        if not self._served_before:
            self._drop_strangers(served)
        for organisation, seat in list(self.seats.items()):
            if seat.ended_at is not None and self.room.monotonic() - seat.ended_at >= AGAIN_AFTER_S:
                del self.seats[organisation]
        for organisation, sealed in served.items():
            if organisation in self.seats:
                continue
            try:
                keys = tuple(json.loads(self.keyring.open(sealed)))
            except SealBroken:
                if self._served_before:
                    raise
                log.exception("the keys of organisation %s cannot be opened; it is not carried", organisation)
                continue
            seat = self.seats[organisation] = PoolSeat(self.room, organisation, keys, self._count)
            seat.start()
        self._served_before = True

    def _count(self) -> int:
        return len(self.seats)

    def _drop_strangers(self, served: dict[str, str]) -> None:
        """Stop the bindings of organisations that left the pool; delete those of deleted organisations.

        This happens before the query starts, or it would continue with them.
        """
        for shared in self.room.carriers:
            for organisation, names in shared.strangers(served).items():
                gone = not (self.room.root / organisation).is_dir()
                for name in sorted(names):
                    if gone:
                        shared.carrier.forget(name)
                    elif name in shared.carrier.commanded():
                        shared.carrier.stop(name, flush=False)

    def _idle(self) -> RunnerExit | None:
        if any(seat.ended_at is None for seat in self.seats.values()):
            self._idle_since = None
            return None
        now = self.room.monotonic()
        self._idle_since = now if self._idle_since is None else self._idle_since
        return RunnerExit.IDLE if now - self._idle_since >= self.room.idle_exit_s else None
