"""`python limited.py SECONDS BYTES FILE_BYTES COMMAND...`: become COMMAND, with limits that the system keeps.

Run by its path, in a process of its own: it imports the standard library alone. SECONDS are of processor time, BYTES of
memory, FILE_BYTES of any file that is written.
"""

import os
import resource
import sys


def main(arguments: list[str]) -> None:
    """Set the limits and become the command."""
    seconds, memory, file = (int(each) for each in arguments[:3])
    limits = {
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_FSIZE: file,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 256,
    }
    for which, most in limits.items():
        resource.setrlimit(which, (most, most))
    os.execv(arguments[3], arguments[3:])  # nosec B606 # becomes another program of this installation, no shell


if __name__ == "__main__":
    main(sys.argv[1:])
