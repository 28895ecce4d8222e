"""`punctual-serve ROLE`: start one process of an installation, prepare one, or check its configuration.

All files that a process makes belong to its user only (umask 077). Each process ends within 30 s of SIGTERM. Exit
codes: 0 done or stopped on request, 1 a check or a step failed, 2 an invalid configuration or command line; a runner's
own codes are in `streaming.runtime`.
"""

import argparse
import os
import sys
from collections.abc import Sequence

from deploy.serve import health, logs, runner
from deploy.serve.command_line import command_line
from webapp.variables.reading import Environment

INVALID = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Become the process; return its exit code."""
    os.umask(0o077)
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["manage"]:
        from deploy.serve.servers import manage_installed  # its packages are absent where only a runner is installed

        return manage_installed(words[1:])
    options, more = command_line().parse_known_args(words)
    if more and options.role != "runner":
        command_line().parse_args(words)  # ends with a message about the unknown words
    if logs.must_wrap(options.role, os.environ):
        return logs.wrapped([sys.executable, "-m", "deploy.serve", *words])
    if options.role == "runner":
        return runner.become(options, more, Environment(os.environ))
    if options.role == "health":
        return health.report(options, Environment(os.environ))
    return _with_packages_of_web(options)


def _with_packages_of_web(options: argparse.Namespace) -> int:
    """Become a process whose packages are absent where only a runner is installed."""
    if options.role == "restore":
        from deploy.backup.commands import restore_here

        return restore_here(options, Environment(os.environ))
    if options.role == "demo":
        from deploy.serve.demo import start

        return start()
    from deploy.serve import servers

    return servers.serve(options)


if __name__ == "__main__":
    sys.exit(main())
