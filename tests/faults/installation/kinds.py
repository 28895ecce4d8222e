"""The processes of an installation by kind, as victims of kills."""

from pathlib import Path

import psutil

from deploy.installation.processes import left_over, runners

SERVICES = {
    "web server": "deploy.serve web",
    "beat": "deploy.serve beat",
    "worker": "deploy.serve worker",
    "Redis": "redis-server",
}
"""The name of a service, and a word of its command."""


def processes_of(var: Path, kind: str) -> list[psutil.Process]:
    """Return the living processes of a kind in the installation `var`, with their workers, the parent first.

    Processes that end during the call are left out.
    """
    if kind in {"runner", "JVM"}:
        found = [each for each in runners(var) if name(each) not in {"", "sh"}]  # a shell starts it and ends at once
        if kind == "runner":
            return found
        return [child for each in found for child in children(each) if name(child) == "java"]
    word = SERVICES[kind]
    mine = {each.pid: each for each in left_over(var) if word in " ".join(command(each)) or name(each) == word}
    return [each for each in mine.values() if parent(each) not in {0, *mine}]


def command(process: psutil.Process) -> list[str]:
    """Return its arguments; empty when it has ended."""
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


def name(process: psutil.Process) -> str:
    """Return its name; empty when it has ended."""
    try:
        return str(process.name())
    except psutil.Error:
        return ""


def parent(process: psutil.Process) -> int:
    """Return its parent's id; 0 when it has ended."""
    try:
        return int(process.ppid())
    except psutil.Error:
        return 0


def children(process: psutil.Process) -> list[psutil.Process]:
    """Return all processes below it; empty when it has ended."""
    try:
        return list(process.children(recursive=True))
    except psutil.Error:
        return []
