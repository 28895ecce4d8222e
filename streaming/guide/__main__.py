"""`python -m streaming.guide OUT` writes the guide into the folder OUT."""

import sys
from pathlib import Path

from streaming.guide.pages import pages


def main(arguments: list[str]) -> int:
    """Write every page and picture; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m streaming.guide OUT\n")
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
