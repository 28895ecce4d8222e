"""The processes of an installation by what they are, as they are killed."""

from pathlib import Path

import psutil

from deploy.installation.processes import left_over, runners

SERVICES = {"web server": "uvicorn", "beat": "beat", "worker": "worker", "Redis": "redis-server"}
"""What a service is called, and a word of its command."""


def processes_of(var: Path, kind: str) -> list[psutil.Process]:
    """The living processes of that kind of the installation in `var`: with their workers, the parent first."""
    if kind in {"runner", "JVM"}:
        found = [each for each in runners(var) if each.name() != "sh"]  # which starts it, and ends at once
        if kind == "runner":
            return found
        return [child for each in found for child in each.children(recursive=True) if child.name() == "java"]
    word = SERVICES[kind]
    mine = [each for each in left_over(var) if word in " ".join(each.cmdline()) or each.name() == word]
    pids = {each.pid for each in mine}
    return [each for each in mine if each.ppid() not in pids]
