"""`make audit` distinguishes no known vulnerability, vulnerabilities, and an unreachable service."""

import json

import pytest

from deploy.audit.__main__ import code_of
from deploy.audit.services import UNREACHABLE, PackageVerdict, browser_verdict, python_verdict

CLEAN = json.dumps({"dependencies": [{"name": "a", "version": "1", "vulns": []}]})
WEAK = json.dumps({"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}, {"id": "CVE-2"}]}]})
UNKNOWN = json.dumps({"dependencies": [{"name": "a", "skip_reason": "Dependency not found"}]})


@pytest.mark.parametrize(
    ("verdict", "code", "words"),
    [
        (python_verdict(0, CLEAN, ""), 0, "no known vulnerability"),
        (python_verdict(1, WEAK, ""), 1, "known vulnerabilities in a 1 (CVE-1, CVE-2)"),
        (python_verdict(0, UNKNOWN, ""), UNREACHABLE, "knows nothing of 1 of 1 packages (a)"),
        (python_verdict(1, "", "Traceback\nConnectionError: no route"), UNREACHABLE, "ConnectionError: no route"),
        (python_verdict(0, "", ""), UNREACHABLE, "no error message"),
        (browser_verdict(0, '{"vulnerabilities": {}}', ""), 0, "no known vulnerability"),
        (browser_verdict(1, '{"vulnerabilities": {"b": {"severity": "high"}}}', ""), 1, "b (high)"),
        (browser_verdict(1, '{"error": {"summary": "405 Not Allowed"}}', ""), UNREACHABLE, "405 Not Allowed"),
        (browser_verdict(1, "<html>", "npm error"), UNREACHABLE, "npm error"),
    ],
)
def test_a_failed_query_never_counts_as_success(verdict: PackageVerdict, code: int, words: str) -> None:
    assert verdict.code == code
    assert words in verdict.words
    assert verdict.words.endswith(".")


def test_a_vulnerability_outranks_a_failed_query_and_that_outranks_success() -> None:
    def ended(*codes: int) -> int:
        return code_of([PackageVerdict("", code, "") for code in codes])

    assert (ended(0, 0), ended(0, 3), ended(3, 1), ended(1, 0)) == (0, 3, 1, 1)
