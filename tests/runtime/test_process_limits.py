"""Limits of a runner hold for every process that it starts."""

import subprocess
import sys

PROGRAM = """
import argparse, os, subprocess, sys
from streaming.runtime.process.limits import limit_processes

limit_processes(argparse.Namespace(worker_memory_mb=0))
limit_processes(argparse.Namespace(worker_memory_mb=0))
child = "import os; print(os.getpriority(os.PRIO_PROCESS, 0), open('/proc/self/oom_score_adj').read())"
sys.exit(subprocess.run([sys.executable, "-c", child]).returncode)
"""


def test_the_processes_of_a_runner_wait_for_pages_and_are_killed_before_them() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    niceness, killed_first = map(int, done.stdout.split())
    assert niceness > 5, "limited processes of the web application, which a page waits for, have 5"
    assert killed_first > 0
