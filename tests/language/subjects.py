"""Subjects of commits: imperative, capitalised, at most 72 characters, no full stop."""

import re
import subprocess
from collections.abc import Iterator
from typing import Final

from tests.conftest import ROOT
from tests.language.rules import Finding
from tests.language.texts import Text

LONGEST: Final = 72
SINCE: Final = "2026-11-27T19:00:00+00:00"
"""Older commits are from before the rule."""
NO_IMPERATIVE: Final = re.compile(r"(?:\w+(?:ed|ing)|An?|The|\w*[^s]s)")
"""First words that are articles, or end as no imperative does."""
IMPERATIVES: Final = frozenset(
    {"Embed", "Feed", "Need", "Seed", "Shed", "Speed", "Bring", "String", "Ping", "Alias", "Focus", "Bias"}
)


def new_commits() -> list[tuple[str, str]]:
    """Return hash and subject of each commit since the rule holds, as far back as this clone goes."""
    command = ["git", "log", "--no-merges", "--format=%h %cI %s"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    parts = [line.split(" ", 2) for line in listed]
    return [(commit, subject) for commit, at, subject in parts if at >= SINCE]


def check_subject(commit: str, subject: str) -> Iterator[Finding]:
    """Yield what is wrong with the form of a subject."""
    first = subject.partition(" ")[0]
    if len(subject) > LONGEST:
        yield Finding(commit, subject, f"shorten it to {LONGEST} characters; it has {len(subject)}")
    if not first[:1].isupper() or subject.endswith("."):
        yield Finding(commit, subject, "start with a capital letter and end without a full stop")
    if NO_IMPERATIVE.fullmatch(first) and first not in IMPERATIVES:
        yield Finding(commit, subject, f"open with an imperative instead of “{first}”")


def subject_texts() -> list[Text]:
    """Return the new subjects as texts, for the rules about words."""
    return [Text(f"commit {commit}", 0, "subject", subject) for commit, subject in new_commits()]
