"""`python -m streaming.runtime --organisation ID --root PATH --redis URL`: the runner of one organisation.

Exit codes: 0 nothing was desired any more, or it was asked to end (SIGTERM); 2 a wrong command line; 3 another runner
is alive; 4 it cannot run (no Java); 5 the lease was lost.
"""

import argparse
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import redis

from streaming.runtime.lease import Heart
from streaming.runtime.logs import log_to_stderr
from streaming.runtime.mailbox import Mailbox
from streaming.runtime.runner import Exit, Runner
from streaming.runtime.single import AnotherRunner, SingleRunner
from streaming.spark.carrier import Carrier
from streaming.spark.errors import PunctualError
from streaming.spark.layout import CarrierSettings
from streaming.spark.session import start_session

log = logging.getLogger("streaming.runtime")

TURN_S = 0.5
LEASE_WAIT_S = 12.0
CARRIER = "main"
_EXIT_CODES = {Exit.IDLE: 0, Exit.ASKED: 0, Exit.LEASE_LOST: 5}


def main(arguments: Sequence[str]) -> int:
    """Run until nothing is desired, the lease is lost or a signal comes; the exit code."""
    options = _parser().parse_args(arguments)
    log_to_stderr()
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
        return _as_single(options, folder, single, asked)
    except PunctualError as error:
        log.error("%s", error)
        return 4
    finally:
        single.release()


def _as_single(options: argparse.Namespace, folder: Path, single: SingleRunner, asked: threading.Event) -> int:
    if ended := single.end_predecessor():
        log.warning("ended %s processes that a runner before this one had left", ended)
    single.record()
    mailbox = Mailbox(redis.Redis.from_url(options.redis, socket_timeout=5.0), options.organisation)
    heart = Heart(mailbox, single.token)
    if not _take_lease(heart, asked):
        return _EXIT_CODES[Exit.ASKED if asked.is_set() else Exit.LEASE_LOST]
    heart.start()
    session = None
    try:
        session = start_session(options.master)
        home = CarrierSettings(
            home=str(folder), min_interval_s=options.min_interval_s, rows_per_batch=options.rows_per_batch
        )
        carrier = Carrier(session, folder / "carriers" / CARRIER, home)
        runner = Runner(mailbox, heart, carrier, idle_exit_s=options.idle_exit_s)
        runner.resume()
        why = _turn_on(runner, asked)
        log.info("the runner ends: %s", why)
        carrier.close()
        return _EXIT_CODES[why]
    finally:
        heart.stop()
        if session is not None:
            session.stop()


def _turn_on(runner: Runner, asked: threading.Event) -> Exit:
    while True:
        why = runner.turn()
        if why is not None:
            return why
        if asked.wait(TURN_S):
            return Exit.ASKED


def _take_lease(heart: Heart, asked: threading.Event) -> bool:
    """Wait for Redis as long as it takes; for another runner's lease as long as one can last."""
    refused_s = 0.0
    while not asked.is_set():
        try:
            if heart.take():
                return True
            refused_s += 1.0
            log.warning("another runner holds the lease of this organisation")
        except redis.RedisError as error:
            log.warning("Redis cannot be reached, trying again: %s", error)
        if refused_s > LEASE_WAIT_S:
            return False
        asked.wait(1.0)
    return False


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m streaming.runtime", description="The runner of one organisation.")
    parser.add_argument("--organisation", required=True, metavar="ID")
    parser.add_argument("--root", required=True, type=Path, metavar="PATH", help="holds a folder for each organisation")
    parser.add_argument("--redis", required=True, metavar="URL", help="redis://, rediss:// or unix://")
    parser.add_argument("--idle-exit-s", type=float, default=60.0, metavar="S", help="end when nothing is desired")
    parser.add_argument("--min-interval-s", type=float, default=1.0, metavar="S", help="between two batches")
    parser.add_argument("--rows-per-batch", type=int, default=200_000, metavar="N", help="about, for each input")
    parser.add_argument("--master", default="local[2]", help="where Spark runs")
    return parser


if __name__ == "__main__":
    # A group of its own: a ctrl-C at the terminal that launched it stops the launcher alone.
    if os.getpgrp() != os.getpid():
        os.setpgrp()
    sys.exit(main(sys.argv[1:]))
