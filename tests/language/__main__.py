"""Check the language of files and of new commits: `python -m tests.language [PATH...]`; without a path, everything."""

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.architecture.tree import name
from tests.language.rules import load_rules
from tests.language.subjects import check_subject, new_commits, subject_texts
from tests.language.texts import all_paths, texts_of


def main(arguments: Sequence[str]) -> int:
    """Print what breaks a rule; return 1 if anything does."""
    rules = load_rules()
    chosen = [Path(each).resolve() for each in arguments]
    paths = [path for path in all_paths() if not chosen or any(path.is_relative_to(each) for each in chosen)]
    paths = [path for path in paths if not rules.is_pending(name(path))]
    findings = rules.apply(texts_of(paths))
    if not chosen:
        findings += rules.apply(subject_texts())
        findings += [finding for commit, subject in new_commits() for finding in check_subject(commit, subject)]
    print("\n".join(map(str, findings)) or "The language check passed.")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
