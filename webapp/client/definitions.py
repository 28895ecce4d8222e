"""`plan`, `apply`, `export`: a folder of definitions and the organisation."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from rich.text import Text

from .library.bundles import BundlePlan, DefinitionBundle, export_bundle, plan_bundle, summary_of
from .outcomes import CommandFailure, ExitCode
from .output.faults import located, show_faults
from .output.screen import clean
from .work import Work

VERBS: Final = {"create": "to create", "update": "to change", "delete": "to delete"}
DONE: Final = {"create": "created", "update": "changed", "delete": "deleted"}
SIGNS: Final = {"create": ("+", "green"), "update": ("~", "yellow"), "delete": ("-", "red")}
LINE_STYLES: Final = {"+": "green", "-": "red", "@": "cyan"}


def plan(work: Work) -> ExitCode:
    """Show the changes of `apply`; change nothing."""
    planned = _planned(work)
    work.screen.document(_with_summary(planned.answer))
    if _refused(work, planned):
        return ExitCode.REFUSED
    _show_changes(work, planned)
    work.screen.say(summary(planned.answer, VERBS) + ".", "bold")
    return ExitCode.REFUSED if work.args.check and planned.changes else ExitCode.DONE


def apply(work: Work) -> ExitCode:
    """Show the plan, ask, and make the organisation match the folder: all changes or none."""
    if not work.args.yes and (work.screen.json or not sys.stdin.isatty()):
        raise CommandFailure(ExitCode.USAGE, "There is no terminal to ask: check `punctual plan`, then use --yes.")
    planned = _planned(work)
    unapplied = {**_with_summary(planned.answer), "applied": False}
    if _refused(work, planned):
        work.screen.document(unapplied)
        return ExitCode.REFUSED
    _show_changes(work, planned)
    if not planned.changes:
        work.screen.say("Nothing to change.", "bold")
        work.screen.document(unapplied)
        return ExitCode.DONE
    if not work.args.yes and not _agreed(f"{summary(planned.answer, VERBS)}. Apply this?"):
        work.screen.say("Nothing was applied.")
        return ExitCode.REFUSED
    with work.screen.busy("Applying"):
        applied = planned.apply_answered()
    work.screen.say(f"Applied: {summary(applied, DONE)}.", "green")
    work.screen.document({**_with_summary(applied), "applied": True})
    return ExitCode.DONE


def export(work: Work) -> ExitCode:
    """Write the organisation's definitions into a folder: all of them or none, and never over a changed file."""
    folder = Path(work.args.folder)
    with work.screen.busy("Reading the definitions"):
        bundle = export_bundle(work.server)
    written = bundle.write(folder, force=work.args.force)
    same = len(bundle.files) - len(written)
    work.screen.say(f"{len(written)} written, {same} unchanged in {folder}.")
    work.screen.document({"folder": str(folder), "written": written, "unchanged": same})
    return ExitCode.DONE


def summary(answer: Mapping[str, Any], words: Mapping[str, str]) -> str:
    """Return a summary, for example "2 to create, 1 to change, 0 to delete"."""
    counts = summary_of(answer)
    return ", ".join(f"{counts[action]} {words[action]}" for action in words)


def _planned(work: Work) -> BundlePlan:
    bundle = DefinitionBundle.read(work.args.folder)
    with work.screen.busy("Planning"):
        return plan_bundle(work.server, bundle, prune=work.args.prune)


def _with_summary(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {**answer, "summary": summary_of(answer)}


def _refused(work: Work, planned: BundlePlan) -> bool:
    """Show the errors and warnings; return whether there is an error."""
    files = planned.bundle.files
    faults = [located(each, each.get("file"), files.get(each.get("file", ""))) for each in planned.answer["faults"]]
    show_faults(work.screen, faults, files)
    if not planned.is_valid:
        work.screen.say(f"There are errors in {work.args.folder}, so nothing is applied. Fix them, and apply again.")
    return not planned.is_valid


def _show_changes(work: Work, planned: BundlePlan) -> None:
    if work.screen.json:
        return
    for change in planned.changes:
        sign, style = SIGNS.get(change.action, ("?", ""))
        work.screen.say(f"{sign} {change.kind} {change.name}", f"bold {style}")
        for line in change.diff.removesuffix("\n").split("\n"):
            header = line.startswith(("--- ", "+++ "))
            work.screen.out.print(Text(f"    {clean(line)}", "bold" if header else LINE_STYLES.get(line[:1], "dim")))


def _agreed(question: str) -> bool:
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
