"""`manage.py permissionsdoc`: write the page of roles and permissions from the permission matrix."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from webapp.accounts.permissions import ALLOWED, MATRIX, Permission, Role, roles_with

PAGE = Path(__file__).resolve().parents[2] / "PERMISSIONS.md"


def page() -> str:
    """Return the page as Markdown."""
    lines = ["# Who may do what", "", "Written by `manage.py permissionsdoc` from `permission_matrix.yaml`.", ""]
    lines += ["| role | is for whom |", "|---|---|", *(f"| {role} | {MATRIX.roles[role]} |" for role in Role), ""]
    lines += ["| may | " + " | ".join(Role) + " |", "|---" * (len(Role) + 1) + "|"]
    for permission in Permission:
        marks = " | ".join("yes" if permission in ALLOWED[role] else "no" for role in Role)
        lines.append(f"| {permission}: {MATRIX.allows[permission]} | {marks} |")
    lines += ["", "## Addresses below `/api/t/<organisation>/`", ""]
    lines += ["| address | method | roles | by token |", "|---|---|---|---|"]
    for route, rules in MATRIX.routes.items():
        for method, rule in rules.items():
            roles = ", ".join(roles_with(rule.permission))
            token = "yes, also with propose" if rule.by_proposal else "yes" if rule.by_token else "no"
            lines.append(f"| `{route}` | {method.upper()} | {roles} | {token} |")
    return "\n".join(lines) + "\n"


class Command(BaseCommand):
    """Writes the page; with --check only reports whether it is up to date."""

    help = "Write PERMISSIONS.md from the permission matrix."

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the option --check."""
        parser.add_argument("--check", action="store_true", help="exit with an error if the page is out of date")

    def handle(self, *args: Any, check: bool, **_: Any) -> None:  # noqa: ARG002
        """Write the page."""
        if not check:
            PAGE.write_text(page())
        elif not PAGE.exists() or PAGE.read_text() != page():
            self.stderr.write("PERMISSIONS.md is out of date: run manage.py permissionsdoc.")
            raise SystemExit(1)
