"""`python -m deploy.audit`: look up known vulnerabilities of the packages in requirements.lock and package-lock.json.

Exit codes: 0 no known vulnerability, 1 vulnerabilities (they are printed), 3 a service was unreachable.
"""

import sys

from deploy.audit.services import UNREACHABLE, PackageVerdict, browser_packages, python_packages


def main() -> int:
    """Query both services, print their results, and return the exit code: a vulnerability outranks a failed query."""
    verdicts = [python_packages(), browser_packages()]
    for verdict in verdicts:
        print(f"{verdict.subject}: {verdict.words}")  # noqa: T201 - the purpose of the command
    return code_of(verdicts)


def code_of(verdicts: list[PackageVerdict]) -> int:
    """Return the exit code for `verdicts`."""
    codes = {verdict.code for verdict in verdicts}
    return 1 if 1 in codes else UNREACHABLE if UNREACHABLE in codes else 0


if __name__ == "__main__":
    sys.exit(main())
