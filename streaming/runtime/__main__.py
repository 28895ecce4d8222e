"""`python -m streaming.runtime --organisation ID --root PATH`: the runner of one organisation.

With `--pool N` instead of `--organisation` it is pooled runner N, which serves many (`pool`).

Where Redis is, the keys of the organisation's secrets and how far adapters may reach, it reads from its standard input
(`configuration`).

Exit codes: 0 nothing was desired any more, or it was asked to end (SIGTERM); 2 a wrong command line or configuration;
3 another runner is alive, or a pool keeps something of the organisation; 4 it cannot run (no Java); 5 the lease was
lost; 6 its keys are outdated.
"""

import argparse
import atexit
import logging
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import redis
from pyspark.sql import SparkSession

from streaming.adapters.gathering import gather
from streaming.adapters.places import FILES
from streaming.runtime.binding_locations import MAIN
from streaming.runtime.configuration import Configuration, NotConfigured, close_standard_input, read_configuration
from streaming.runtime.deliveries import Deliveries, targets
from streaming.runtime.fleet import TWO_STAGES, Fleet
from streaming.runtime.lease import Heart, take_lease
from streaming.runtime.logs import log_to_stderr
from streaming.runtime.mailbox import Mailbox
from streaming.runtime.memory_group import enter_memory_group
from streaming.runtime.pool import KEPT_ELSEWHERE, Pool, PoolRoom
from streaming.runtime.runner import Runner, RunnerExit
from streaming.runtime.secret_server import SecretKeeper, SecretKeepers, SecretSocket
from streaming.runtime.shared_carrier import SharedCarrier
from streaming.runtime.single import AnotherRunner, SingleRunner
from streaming.runtime.slow_bindings import FIRST_S
from streaming.spark.carrier import Carrier
from streaming.spark.errors import PunctualError
from streaming.spark.layout import CarrierSettings
from streaming.spark.memory import LIMIT_VARIABLE, choose_first
from streaming.spark.session import cores_of, driver_host, end_session, is_local, jvm_mb, start_session
from streaming.wire.binding_homes import APART, CARRIERS, apart_in, pools_of
from streaming.wire.keys import pool_name
from streaming.wire.result_location import noted_location

log = logging.getLogger("streaming.runtime")

TURN_S = 0.5
_EAGER_S = 10.0
"""So long after its start a binding has results every second, however patient it is: somebody waits to see it."""
_MOST_BUCKETS = 256
_CHOSEN = 500
"""Above all other processes of the installation when the system must end one (`oom_score_adj`); workers have more."""
_CORES: Final = re.compile(r"\[(\d+|\*)")
_BEGINS_WITH_MB: Final = 200
"""What a worker has when it begins; its limit counts from there."""
_OWN_MB: Final = 512
LEFT_BEHIND: Final = (
    "The carrier %s was written by another version of Punctual. It lies beside as %s; its runs begin anew where their "
    "restart points say, and tell so. Once nobody wants to go back to that version, the folder may be removed."
)
_EXIT_CODES = {RunnerExit.IDLE: 0, RunnerExit.ASKED: 0, RunnerExit.LEASE_LOST: 5, RunnerExit.KEYS_OUTDATED: 6}
_EXIT_CODES[RunnerExit.MOVED] = 0
_HELD_UP_S: Final = 2.0
_COMPUTES_S: Final = 5.0
"""So long an input of a pool may keep a batch waiting, and a binding compute in it, for which everybody waits: what
takes longer goes on apart, where only such bindings wait for it."""
_APART_READ_S: Final = 10.0
_APART_COMPUTES_S: Final = 60.0
_WAITING: Final = 1
"""So many tasks more than cores a pool has, as only waits in its second carrier."""


def main(arguments: Sequence[str]) -> int:
    """Run until nothing is desired, the lease is lost or a signal comes; the exit code."""
    options = _parser().parse_args(arguments)
    if options.pool is not None:
        options.organisation = pool_name(options.pool)
    log_to_stderr()
    choose_first(_CHOSEN)
    if options.worker_memory_mb:
        os.environ[LIMIT_VARIABLE] = str(options.worker_memory_mb << 20)
        _limit_together(options)
    try:
        configuration = read_configuration(sys.stdin)
    except NotConfigured as error:
        log.error("%s", error)
        return 2
    close_standard_input()
    asked = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: asked.set())
    folder = (options.root / options.organisation).resolve()
    try:
        single = SingleRunner(folder)
    except AnotherRunner as error:
        log.error("%s", error)
        return 3
    try:
        if pools := pools_of(folder):
            log.error(KEPT_ELSEWHERE, ", ".join(sorted(pools)))
            return 3
        return _as_single(_RunnerTask(options, folder, configuration), single, asked)
    except PunctualError as error:
        log.error("%s", error)
        return 4
    finally:
        single.release()


def _limit_together(options: argparse.Namespace) -> None:
    """Let this process and all that it starts have no more memory than its parts may have together."""
    master = master_of(options.master, options.pool)
    whole_mb = memory_mb(options.jvm_memory_mb, options.worker_memory_mb, master)
    try:
        group = enter_memory_group(options.organisation, whole_mb << 20)
    except OSError as error:
        log.info("no limit of memory for all processes together can be set, only one for each: %s", error)
        return
    atexit.register(group.leave)  # before Spark's own, so that it comes after them
    log.info("all processes of this runner may have %s MB of memory together", whole_mb)


def master_of(master: str, pool: int | None) -> str:
    """Where the session runs: of a pool with a task more at a time, for that of its second carrier may only wait."""
    told = _CORES.search(master) if pool is not None and is_local(master) else None
    if told is None:
        return master
    cores = (os.cpu_count() or 1) if told[1] == "*" else int(told[1])
    return f"{master[: told.start(1)]}{cores + _WAITING}{master[told.end(1) :]}"


def memory_mb(heap_mb: int, worker_mb: int, master: str) -> int:
    """What a runner may have with all its processes: the JVM, a worker for each core, itself and the fork server."""
    told = _CORES.search(master) if is_local(master) else None
    workers = (os.cpu_count() or 1) if told is None or told[1] == "*" else int(told[1])
    return jvm_mb(heap_mb) + workers * (worker_mb + _BEGINS_WITH_MB) + _OWN_MB


@dataclass(frozen=True)
class _RunnerTask:
    """What this process is to do."""

    options: argparse.Namespace
    folder: Path
    configuration: Configuration

    def pooled(self) -> CarrierSettings:
        """How the shared carrier of a pool runs."""
        hurried = {"patience_s": 0.5, "lanes_deadline_s": 3.0, "held_up_s": _HELD_UP_S}
        return self.apart().model_copy(update={"partitions": 2, "compute_deadline_s": _COMPUTES_S, **hurried})

    def apart(self) -> CarrierSettings:
        """How the second carrier of a pool runs: one task at a time, so that no more than one waits."""
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
        """How the carrier `name` of the organisation in `folder` runs: the shared one, or one of a dedicated binding.

        That has so many `cores`.
        """
        dedicated = name != MAIN
        buckets = (self.options.dedicated_buckets or min(cores, _MOST_BUCKETS)) if dedicated else 1
        # Several buckets of one binding must go back together, so that none of its faults is set aside in one alone.
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
        return shared.model_copy(update=alone) if dedicated else shared


@dataclass(frozen=True)
class PoolOwn:
    """What a pooled runner has of its own before it serves anybody."""

    mailbox: Mailbox
    heart: Heart
    token: str
    connection: "redis.Redis"
    keepers: SecretKeepers


def _as_single(task: _RunnerTask, single: SingleRunner, asked: threading.Event) -> int:
    options = task.options
    if ended := single.end_predecessor():
        log.warning("ended %s processes that a runner before this one had left", ended)
    single.record()
    keeper = SecretKeeper(task.configuration.keyring())
    keepers = SecretKeepers()
    connection = redis.Redis.from_url(task.configuration.redis.get_secret_value(), socket_timeout=5.0)
    mailbox = Mailbox(connection, options.organisation, keeper)
    heart = Heart(mailbox, single.token)
    if not take_lease(heart, asked):
        return _EXIT_CODES[RunnerExit.ASKED if asked.is_set() else RunnerExit.LEASE_LOST]
    heart.start()
    far = None if is_local(options.master) else driver_host(options.master)
    hatch = SecretSocket(
        keeper if options.pool is None else keepers, far
    )  # before Spark, whose processes inherit where it is
    session = None
    try:
        session = start_session(master_of(options.master, options.pool), heap_mb=options.jvm_memory_mb)
        heart.session_began()
        if options.pool is None:
            why = _carry_one(task, session, mailbox, heart, asked)
        else:
            why = _carry_many(task, session, PoolOwn(mailbox, heart, single.token, connection, keepers), asked)
        return _EXIT_CODES[why]
    finally:
        heart.stop()
        if session is not None:
            end_session(session)
        hatch.close()


def _opened(session: SparkSession, place: Path, settings: CarrierSettings) -> Carrier:
    carrier = Carrier(session, place, settings)
    if carrier.left_behind is not None:
        log.warning(LEFT_BEHIND, place.name, carrier.left_behind)
    return carrier


def _carry_one(
    task: _RunnerTask, session: SparkSession, mailbox: Mailbox, heart: Heart, asked: threading.Event
) -> RunnerExit:
    """Be the runner of one organisation to its end."""
    for sentence in gather(task.folder).sentences(task.options.organisation):
        log.warning("%s", sentence)
    cores = cores_of(session)

    def opening(name: str) -> Carrier:
        return _opened(session, task.folder / CARRIERS / name, task.settings(task.folder, name, cores))

    fleet = Fleet(opening, task.folder, time.monotonic)
    deliveries = Deliveries(task.folder, targets(task.folder, mailbox.keeper, task.configuration.outgoing))
    runner = Runner(mailbox, heart, fleet, deliveries, idle_exit_s=task.options.idle_exit_s)
    runner.resume()
    why = _turn_on(runner, asked)
    log.info("the runner ends: %s", why)
    runner.close()
    fleet.close()
    return why


def _carry_many(task: _RunnerTask, session: SparkSession, own: PoolOwn, asked: threading.Event) -> RunnerExit:
    """Be a pooled runner to its end."""
    options = task.options
    waiting = _WAITING if master_of(options.master, options.pool) != options.master else 0
    cores = cores_of(session) - waiting

    def opening(folder: Path, name: str) -> Carrier:
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
        why = _turn_on(pool, asked)
        log.info("the pooled runner ends: %s", why)
        pool.close()
        for carrier in carriers:
            carrier.close()
    finally:
        ended.set()
    return why


def _turn_on(runner: Runner | Pool, asked: threading.Event) -> RunnerExit:
    while True:
        why = runner.turn()
        if why is not None:
            return why
        if asked.wait(TURN_S):
            return RunnerExit.ASKED


def _buckets(text: str) -> int:
    number = int(text)
    if not 1 <= number <= _MOST_BUCKETS:
        raise ValueError
    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m streaming.runtime", description="The runner of one organisation.")
    whose = parser.add_mutually_exclusive_group(required=True)
    whose.add_argument("--organisation", metavar="ID")
    whose.add_argument("--pool", type=int, metavar="N", help="be pooled runner N instead")
    parser.add_argument("--root", required=True, type=Path, metavar="PATH", help="holds a folder for each organisation")
    parser.add_argument("--idle-exit-s", type=float, default=60.0, metavar="S", help="end when nothing is desired")
    parser.add_argument("--min-interval-s", type=float, default=5.0, metavar="S", help="freshness of who says none")
    parser.add_argument("--rows-per-batch", type=int, default=200_000, metavar="N", help="about, for each input")
    parser.add_argument("--read-deadline-s", type=float, default=30.0, metavar="S", help="an input must answer within")
    parser.add_argument("--apart-s", type=float, default=FIRST_S, metavar="S", help="who held a pool up is apart for")
    parser.add_argument("--keep-results-s", type=float, metavar="S", help="delete results and quarantine after so long")
    parser.add_argument("--worker-memory-mb", type=int, default=1_024, metavar="MB", help="of a worker; 0: no limit")
    parser.add_argument("--jvm-memory-mb", type=int, default=2_048, metavar="MB", help="the largest heap of the JVM")
    parser.add_argument("--master", default="local[2]", help="where Spark runs")
    parser.add_argument("--dedicated-buckets", type=_buckets, metavar="N", help="as many as cores, if nothing is said")
    return parser


if __name__ == "__main__":
    # A group of its own: a ctrl-C at the terminal that launched it stops the launcher alone.
    if os.getpgrp() != os.getpid():
        os.setpgrp()
    sys.exit(main(sys.argv[1:]))
