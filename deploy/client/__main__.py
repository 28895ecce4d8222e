"""`python -m deploy.client [FOLDER]`: build the client's wheel into FOLDER (var/client)."""

import sys
from pathlib import Path

from deploy.client.wheel import build_wheel
from deploy.prepare.console import SetupError
from deploy.prepare.places import ROOT


def main() -> None:
    """Build the wheel and print how to install it."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "var" / "client"
    try:
        wheel = build_wheel(folder.resolve())
    except SetupError as stopped:
        sys.exit(f"{stopped}")
    sys.stdout.write(f"{wheel}\nInstall it with: pip install {wheel}\n")


main()
