"""`python -m deploy.audit`: ask what is known of the packages of requirements.lock and package-lock.json.

Exit codes: 0 nothing is known, 1 there are weaknesses (they are printed), 3 a service that knows could not be asked.
"""

import sys

from deploy.audit.services import UNREACHABLE, PackageVerdict, browser_packages, python_packages


def main() -> int:
    """Ask both services, print what each says, and return the exit code: a weakness counts more than a silence."""
    verdicts = [python_packages(), browser_packages()]
    for verdict in verdicts:
        print(f"{verdict.subject}: {verdict.words}")  # noqa: T201 - what the command is for
    return code_of(verdicts)


def code_of(verdicts: list[PackageVerdict]) -> int:
    """Return the exit code for `verdicts`."""
    codes = {verdict.code for verdict in verdicts}
    return 1 if 1 in codes else UNREACHABLE if UNREACHABLE in codes else 0


if __name__ == "__main__":
    sys.exit(main())
