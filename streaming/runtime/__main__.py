"""`python -m streaming.runtime --organisation ID --root PATH`: the runner of one organisation.

With `--pool N` instead of `--organisation` it is pooled runner N, which serves many (`pool`). With `--standby SOCKET`
it starts its Spark session, waits at that socket for its assignment, and reads no standard input (`standby`).

It reads the address of Redis, the keys of the organisation's secrets and the limits on connections of adapters from its
standard input (`configuration`).

Exit codes: 0 no run is desired any more, or it was asked to end (SIGTERM); 1 its JVM has ended; 2 invalid command line
or configuration; 3 another runner is alive, or a pool has state of the organisation; 4 it can't run (no Java); 5 the
lease was lost; 6 its keys are outdated.
"""

import argparse
import logging
import os
import signal
import sys
import threading
import time
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import redis
from pyspark.sql import SparkSession

from streaming.adapters.places import FILES
from streaming.runtime.carriers.carrier import CarrierLike, DamagedCarrier, PooledCarrierLike
from streaming.runtime.carriers.fleet import TWO_STAGES, Fleet
from streaming.runtime.carriers.locations import MAIN
from streaming.runtime.carriers.shared import SharedCarrier
from streaming.runtime.command_line import MOST_BUCKETS, command_line
from streaming.runtime.configuration import Configuration, NotConfigured, close_standard_input, read_configuration
from streaming.runtime.deliveries import Deliveries, targets
from streaming.runtime.lease import LeaseHeartbeat, take_lease
from streaming.runtime.mailbox import Mailbox
from streaming.runtime.pool import KEPT_ELSEWHERE, Pool, PoolRoom
from streaming.runtime.process.limits import cores_in, dedicated_places, limit_processes, master_of
from streaming.runtime.process.logs import LOG, log_to_stderr
from streaming.runtime.process.single import TOKEN_VARIABLE, AnotherRunner, SingleRunner
from streaming.runtime.runner import Runner, RunnerExit
from streaming.runtime.secret_server import SecretAnswers, SecretKeeper, SecretKeepers, SecretSocket
from streaming.runtime.standby import LaterAnswers, LogOutlet, StandbySocket, StoodBy
from streaming.spark.carrier import Carrier
from streaming.spark.errors import DamagedCheckpoint, EngineGone, PunctualError
from streaming.spark.query.layout import CarrierSettings
from streaming.spark.session.fork_server import stop_fork_server
from streaming.spark.session.session import (
    cores_of,
    driver_host,
    end_session,
    has_java,
    is_local,
    raise_if_engine_ends,
    start_session,
)
from streaming.spark.session.task_places import lay_out
from streaming.storage.result_location import noted_location
from streaming.wire.binding_homes import APART, CARRIERS, apart_in, pools_of
from streaming.wire.keys import pool_name, pool_number

log = logging.getLogger("streaming.runtime")

TURN_S = 0.5
_EAGER_S = 10.0
"""During this time after its start a binding has results every second, whatever its freshness: a user waits for
them.
"""
LEFT_BEHIND: Final = (
    "The carrier %s was written by another version of Punctual and was renamed to %s. Its runs start again from their "
    "restart points and report that. If nobody needs that version any more, you can delete the folder."
)
_EXIT_CODES = {RunnerExit.IDLE: 0, RunnerExit.ASKED: 0, RunnerExit.LEASE_LOST: 5, RunnerExit.KEYS_OUTDATED: 6}
_EXIT_CODES[RunnerExit.MOVED] = 0
_HELD_UP_S: Final = 2.0
_COMPUTES_S: Final = 5.0
"""The longest time that an input may delay a batch of a pool's shared carrier, and that a binding may compute in it. A
slower binding moves to the second carrier, where it delays only other slow bindings.
"""
_APART_READ_S: Final = 10.0
_APART_COMPUTES_S: Final = 60.0


def main(arguments: Sequence[str]) -> int:
    """Run until no run is desired, the lease is lost or a signal arrives; return the exit code."""
    options = command_line().parse_args(arguments)
    if options.pool is not None:
        options.organisation, options.pooled = pool_name(options.pool), True
    log_to_stderr()
    limit_processes(options)
    asked = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: asked.set())
    try:
        if options.standby is not None:
            close_standard_input()
            return _stand_by(options, asked)
        configuration = read_configuration(sys.stdin)
        close_standard_input()
        return _run(options, configuration, asked)
    except NotConfigured as error:
        log.error("%s", error)
        return 2
    except EngineGone:
        log.error("the JVM of the runner has ended, so the runner ends; its runs resume in the next one")
        return 1
    except PunctualError as error:
        log.error("%s", error)
        return 4


def _run(
    options: argparse.Namespace, configuration: Configuration, asked: threading.Event, stood: StoodBy | None = None
) -> int:
    """Run for the organisation or pool in `options`; return the exit code.

    `stood`: the runner was on standby, and the sender of its assignment waits for an answer.
    """
    folder = (options.root / options.organisation).resolve()
    try:
        single = SingleRunner(folder, None if stood is None else stood.token)
    except AnotherRunner as error:
        log.error("%s", error)
        return 3
    try:
        if pools := pools_of(folder):
            log.error(KEPT_ELSEWHERE, ", ".join(sorted(pools)))
            return 3
        return _as_single(_RunnerTask(options, folder, configuration), single, asked, stood)
    finally:
        single.release()


def _stand_by(options: argparse.Namespace, asked: threading.Event) -> int:
    """Wait for an assignment, then run for it; return the exit code, 0 without an assignment."""
    token = os.environ[TOKEN_VARIABLE] = uuid.uuid4().hex
    outlet = LogOutlet()
    answers = LaterAnswers()
    with ExitStack() as resources:
        resources.callback(outlet.close)
        resources.callback(stop_fork_server)  # it writes to the outlet too
        hatch = SecretSocket(answers, None if is_local(options.master) else driver_host(options.master))
        resources.callback(hatch.close)
        with outlet.lent():
            session = start_session(master_of(options.master, pooled=options.pooled), heap_mb=options.jvm_memory_mb)
        resources.callback(end_session, session)
        _load_classes(session)
        log.info("a standby runner is ready")
        door = StandbySocket(options.standby)
        try:
            taken = door.wait(asked, lambda: has_java(session))
        finally:
            door.close()
        if taken is None:
            return 0
        options.organisation, options.pool = taken.whose, pool_number(taken.whose)
        if options.pooled != (options.pool is not None):
            log.error("this standby runner has the wrong kind (pooled or not) for its assignment; it exits")
            taken.answer("ends")
            return 2
        outlet.move(options.root / taken.whose / LOG)
        try:
            return _run(options, taken.configuration, asked, StoodBy(taken, token, session, hatch, answers))
        finally:
            taken.answer("ends")  # without effect if "taken" was sent before


def _load_classes(session: SparkSession) -> None:
    from streaming.spark.class_loading import load_all  # only a standby runner needs it

    load_all(session)


@dataclass(frozen=True)
class _RunnerTask:
    """The task of this process."""

    options: argparse.Namespace
    folder: Path
    configuration: Configuration

    def pooled(self) -> CarrierSettings:
        """Return the settings of the shared carrier of a pool."""
        hurried = {"patience_s": 0.5, "lanes_deadline_s": 3.0, "held_up_s": _HELD_UP_S}
        return self.apart().model_copy(update={"partitions": 2, "compute_deadline_s": _COMPUTES_S, **hurried})

    def apart(self) -> CarrierSettings:
        """Return the settings of the second carrier of a pool: one task at a time, so that no more than one waits."""
        return self.settings(self.folder, MAIN, 1).model_copy(
            update={
                "home": str(self.folder.parent),
                "files": FILES,
                "pooled": True,
                "batch_rows": self.options.rows_per_batch,
                "partitions": 1,
                "read_deadline_s": min(self.options.read_deadline_s, _APART_READ_S),
                "compute_deadline_s": _APART_COMPUTES_S,
            }
        )

    def settings(self, folder: Path, name: str, cores: int) -> CarrierSettings:
        """Return the settings of the carrier `name` of the organisation in `folder`: shared, or of a dedicated binding.

        A dedicated one has `cores` cores.
        """
        dedicated = name != MAIN
        buckets = (self.options.dedicated_buckets or min(cores, MOST_BUCKETS)) if dedicated else 1
        # Several buckets of one binding must roll back together, so no failure may be isolated in one of them.
        stages = 2 if name.endswith(TWO_STAGES) and buckets > 1 else 1
        alone = {"isolate": buckets == 1, "buckets": buckets, "partitions": buckets, "stages": stages}
        shared = CarrierSettings(
            home=str(folder),
            files=str(folder / FILES),
            results=noted_location(folder),
            min_interval_s=self.options.min_interval_s,
            rows_per_batch=self.options.rows_per_batch,
            outgoing=self.configuration.outgoing,
            read_deadline_s=self.options.read_deadline_s,
            keep_results_s=self.options.keep_results_s,
            eager_s=_EAGER_S,
        )
        if self.options.pool is not None:
            most_s = min(self.options.read_deadline_s, _APART_READ_S)
            alone |= {"places": str(self.places), "read_deadline_s": most_s}
        return shared.model_copy(update=alone) if dedicated else shared

    @property
    def places(self) -> Path:
        """The folder of the task slots for dedicated queries of a pool."""
        return self.folder / "places"


@dataclass(frozen=True)
class PoolOwn:
    """The resources of a pooled runner before it serves any organisation."""

    mailbox: Mailbox
    heart: LeaseHeartbeat
    token: str
    connection: "redis.Redis"
    keepers: SecretKeepers


def _as_single(task: _RunnerTask, single: SingleRunner, asked: threading.Event, stood: StoodBy | None) -> int:
    options = task.options
    if ended := single.end_predecessor():
        log.warning("ended %s processes that a previous runner had left behind", ended)
    single.record()
    if stood is not None:
        stood.taken.answer("taken")
    keeper = SecretKeeper(task.configuration.keyring())
    keepers = SecretKeepers()
    connection = redis.Redis.from_url(task.configuration.redis.get_secret_value(), socket_timeout=5.0)
    mailbox = Mailbox(connection, options.organisation, keeper)
    heart = LeaseHeartbeat(mailbox, single.token, stood_by=stood is not None)
    if not take_lease(heart, asked):
        return _EXIT_CODES[RunnerExit.ASKED if asked.is_set() else RunnerExit.LEASE_LOST]
    heart.start()
    with ExitStack() as ours:
        try:
            session = _session(options, keeper if options.pool is None else keepers, heart, stood, ours)
            if options.pool is None:
                why = _carry_one(task, session, mailbox, heart, asked)
            else:
                why = _carry_many(task, session, PoolOwn(mailbox, heart, single.token, connection, keepers), asked)
            return _EXIT_CODES[why]
        finally:
            heart.stop()


def _session(
    options: argparse.Namespace, answers: SecretAnswers, heart: LeaseHeartbeat, stood: StoodBy | None, ours: ExitStack
) -> SparkSession:
    """Return the session of this runner: the one from its time on standby, else a new one, which ends with `ours`."""
    if stood is not None:
        stood.answers.begin(answers)
        return stood.session
    far = None if is_local(options.master) else driver_host(options.master)
    hatch = SecretSocket(answers, far)  # before Spark, whose processes inherit its address
    ours.callback(hatch.close)
    session = start_session(master_of(options.master, pooled=options.pooled), heap_mb=options.jvm_memory_mb)
    ours.callback(end_session, session)
    heart.session_began()
    return session


def _opened(session: SparkSession, place: Path, settings: CarrierSettings) -> PooledCarrierLike:
    try:
        carrier = Carrier(session, place, settings)
        carrier.require_whole()
    except DamagedCheckpoint as damage:
        log.error("carrier %s: %s", place.name, damage)
        return DamagedCarrier(damage)
    if carrier.left_behind is not None:
        log.warning(LEFT_BEHIND, place.name, carrier.left_behind)
    return carrier


def _carry_one(
    task: _RunnerTask, session: SparkSession, mailbox: Mailbox, heart: LeaseHeartbeat, asked: threading.Event
) -> RunnerExit:
    """Run as the runner of one organisation."""
    cores = cores_of(session)

    def opening(name: str) -> CarrierLike:
        return _opened(session, task.folder / CARRIERS / name, task.settings(task.folder, name, cores))

    fleet = Fleet(opening, task.folder, time.monotonic)
    deliveries = Deliveries(task.folder, targets(task.folder, mailbox.keeper, task.configuration.outgoing))
    runner = Runner(mailbox, heart, fleet, deliveries, idle_exit_s=task.options.idle_exit_s)
    runner.resume()
    why = _turn_on(runner, session, asked, mailbox)
    log.info("the runner ends: %s", why)
    runner.close()
    fleet.close()
    return why


def _carry_many(task: _RunnerTask, session: SparkSession, own: PoolOwn, asked: threading.Event) -> RunnerExit:
    """Run as a pooled runner."""
    options = task.options
    cores = cores_in(options.master) or cores_of(session)
    lay_out(task.places, dedicated_places(cores))

    def opening(folder: Path, name: str) -> CarrierLike:
        return _opened(session, folder / CARRIERS / name, task.settings(folder, name, cores))

    home, name = task.folder / CARRIERS, options.organisation
    carriers = (
        SharedCarrier(name, _opened(session, home / MAIN, task.pooled()), time.monotonic),
        SharedCarrier(apart_in(name), _opened(session, home / APART, task.apart()), time.monotonic, rests=True),
    )
    room = PoolRoom(
        name=name,
        root=task.folder.parent,
        token=own.token,
        connection=own.connection,
        carriers=carriers,
        keepers=own.keepers,
        opening=opening,
        outgoing=task.configuration.outgoing,
        idle_exit_s=options.idle_exit_s,
        apart_s=options.apart_s,
        monotonic=time.monotonic,
    )
    pool = Pool(room, own.mailbox, own.heart, task.configuration.keyring())
    ended = threading.Event()
    threading.Thread(target=pool.beat, args=(ended,), name="leases", daemon=True).start()
    try:
        why = _turn_on(pool, session, asked, own.mailbox)
        log.info("the pooled runner ends: %s", why)
        pool.close()
        for carrier in carriers:
            carrier.close()
    finally:
        ended.set()
    return why


def _turn_on(runner: Runner | Pool, session: SparkSession, asked: threading.Event, mailbox: Mailbox) -> RunnerExit:
    """Take turns until the runner has to end. Raises `EngineGone`."""
    while True:
        if not has_java(session):
            raise EngineGone
        try:
            why = runner.turn()
        except Exception as error:
            raise_if_engine_ends(session, error)
            raise
        if why is not None:
            return why
        if asked.is_set():
            return RunnerExit.ASKED
        called = set() if runner.hold_still() else _called(mailbox, asked)
        if isinstance(runner, Pool):
            runner.call(called)


def _called(mailbox: Mailbox, asked: threading.Event) -> set[str]:
    """Wait for the next turn; return the organisations whose desired state has changed."""
    try:
        return mailbox.called(TURN_S)
    except redis.RedisError:
        asked.wait(TURN_S)
        return set()


if __name__ == "__main__":
    # A process group of its own: Ctrl-C in the launcher's terminal stops only the launcher.
    if os.getpgrp() != os.getpid():
        os.setpgrp()
    sys.exit(main(sys.argv[1:]))
