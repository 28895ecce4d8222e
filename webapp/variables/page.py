"""The page of variables, as Markdown: `python -m webapp.variables.page >deploy/CONFIGURATION.md`."""

import sys
from collections.abc import Iterator

from webapp.variables.table import FILE, SECTIONS, Kind, Variable

_INTRODUCTION = f"""# Configuration

Punctual reads its settings from environment variables. This page is generated from `webapp/variables/table.py`:
`python -m webapp.variables.page >deploy/CONFIGURATION.md`.

- A variable that is not set, or is empty, has its default. An unknown `PUNCTUAL_...` variable prevents the start.
- A **secret** can be in a file instead: `NAME{FILE}` is the path of the file, for example
  `DATABASE_URL{FILE}=/run/secrets/database`. Set only one of both. No runner inherits a secret.
- `punctual-serve check` prints all problems of a configuration, and what to do about each.
- The command line client `punctual` has variables of its own (`punctual --help`).
"""


def lines() -> Iterator[str]:
    """Yield the lines of the page."""
    yield from _INTRODUCTION.splitlines()
    for title, variables in SECTIONS.items():
        yield from ("", f"## {title}", "| variable | type | default | used by | meaning |", "|---|---|---|---|---|")
        for variable in variables:
            roles = ", ".join(variable.roles)
            default = f"`{variable.default}`" if variable.default else ""
            yield f"| `{variable.name}` | {_type_of(variable)} | {default} | {roles} | {variable.meaning} |"


def _type_of(variable: Variable) -> str:
    text = str(variable.kind)
    if variable.kind is Kind.CHOICE:
        text = " or ".join(f"`{choice}`" for choice in variable.choices)
    return f"{text}, secret" if variable.secret else text


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in lines())
