"""Write the dashboards and rules next to this file: `python -m deploy.telemetry`."""

import json
from pathlib import Path

import yaml

from deploy.telemetry.alert_rules import rules_file
from deploy.telemetry.dashboards import dashboards

FOLDER = Path(__file__).parent
_HEADING = "# Written by `python -m deploy.telemetry`; edit deploy/telemetry/alert_rules.py, not this file.\n"


def texts() -> dict[str, str]:
    """Return the text of each file by its name."""
    found = {name: f"{json.dumps(content, indent=1)}\n" for name, content in dashboards().items()}
    rules = yaml.safe_dump(rules_file(), sort_keys=False, width=1_000)
    return {**found, "punctual.rules.yaml": f"{_HEADING}{rules}"}


if __name__ == "__main__":
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
