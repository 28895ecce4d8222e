"""The two services with known vulnerabilities, each queried with its own program, and the meaning of their failures."""

import json
import subprocess  # nosec B404 # programs of this machine, named by lists
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.prepare.places import FRONTEND, LOCK, VENV

UNREACHABLE = 3
MOST_S = 300


@dataclass(frozen=True)
class PackageVerdict:
    """The result for `subject`: `code` 0 no known vulnerability, 1 vulnerabilities, 3 the service was unreachable."""

    subject: str
    code: int
    words: str


def python_packages() -> PackageVerdict:
    """Query pip-audit for every line of requirements.lock, without installing or resolving anything."""
    with tempfile.TemporaryDirectory(prefix="punctual-audit-") as folder:
        report = Path(folder) / "report.json"
        command = [str(VENV / "bin" / "pip-audit"), "--requirement", str(LOCK), "--no-deps", "--disable-pip"]
        done = _run([*command, "--progress-spinner", "off", "--format", "json", "--output", str(report)], LOCK.parent)
        return python_verdict(done.returncode, report.read_text() if report.exists() else "", done.stderr)


def python_verdict(code: int, report: str, complaint: str) -> PackageVerdict:
    """Read pip-audit's output: a report whenever the service answered, only an error message otherwise."""
    subject = "requirements.lock"
    found = _object(report)
    if "dependencies" not in found:
        return PackageVerdict(subject, UNREACHABLE, _silence("pip-audit", complaint))
    if unknown := [str(one["name"]) for one in found["dependencies"] if "skip_reason" in one]:
        few = ", ".join(unknown[:5]) + (" ..." if len(unknown) > 5 else "")
        count = f"{len(unknown)} of {len(found['dependencies'])} packages"
        return PackageVerdict(
            subject, UNREACHABLE, f"the service knows nothing of {count} ({few}). Try again elsewhere."
        )
    weak = [f"{one['name']} {one['version']} ({_ids(one)})" for one in found["dependencies"] if one.get("vulns")]
    return _verdict(subject, weak, code)


def browser_packages() -> PackageVerdict:
    """Query npm for the packages that pages are built from, without those that only build and test them."""
    done = _run(["npm", "audit", "--omit=dev", "--json"], FRONTEND)
    return browser_verdict(done.returncode, done.stdout, done.stderr)


def browser_verdict(code: int, report: str, complaint: str) -> PackageVerdict:
    """Read npm's output: its report contains vulnerabilities, an error contains none."""
    subject = "frontend/package-lock.json"
    found = _object(report)
    if "vulnerabilities" not in found:
        summary = (found.get("error") or {}).get("summary") or found.get("message") or complaint
        return PackageVerdict(subject, UNREACHABLE, _silence("npm audit", str(summary)))
    return _verdict(subject, [f"{name} ({one['severity']})" for name, one in found["vulnerabilities"].items()], code)


def _verdict(subject: str, weak: Sequence[str], code: int) -> PackageVerdict:
    if weak:
        return PackageVerdict(
            subject, 1, f"known vulnerabilities in {', '.join(weak)}. Update the lock to versions without them."
        )
    if code != 0:
        return PackageVerdict(subject, UNREACHABLE, _silence(subject, f"its program ended with {code}"))
    return PackageVerdict(subject, 0, "no known vulnerability.")


def _silence(service: str, complaint: str) -> str:
    last = (complaint.strip().splitlines() or ["no error message"])[-1].strip()
    return f"could not be audited: {service} cannot reach its service from here ({last[:200]}). Try again elsewhere."


def _ids(dependency: Any) -> str:
    return ", ".join(str(weakness["id"]) for weakness in dependency["vulns"])


def _object(text: str) -> Any:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _run(command: Sequence[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(  # nosec B603 # a list of arguments, no shell, no user input
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=MOST_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, UNREACHABLE, "", str(error))
