"""`plan`, `apply`, `export`: a folder of definitions and the organisation."""

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from rich.text import Text

from .folder import changed_files, read_folder, write_folder
from .outcomes import CommandFailure, ExitCode
from .output.faults import is_error, located, show_faults
from .output.screen import clean
from .work import Work

VERBS: Final = {"create": "to create", "update": "to change", "delete": "to delete"}
DONE: Final = {"create": "created", "update": "changed", "delete": "deleted"}
SIGNS: Final = {"create": ("+", "green"), "update": ("~", "yellow"), "delete": ("-", "red")}
LINE_STYLES: Final = {"+": "green", "-": "red", "@": "cyan"}


def plan(work: Work) -> ExitCode:
    """Show the changes of `apply`; change nothing."""
    files, planned = _planned(work)
    work.screen.document(planned)
    if _refused(work, planned, files):
        return ExitCode.REFUSED
    _show_changes(work, planned)
    work.screen.say(summary(planned, VERBS) + ".", "bold")
    return ExitCode.REFUSED if work.args.check and _changes(planned) else ExitCode.DONE


def apply(work: Work) -> ExitCode:
    """Show the plan, ask, and make the organisation match the folder: all changes or none."""
    if not work.args.yes and (work.screen.json or not sys.stdin.isatty()):
        raise CommandFailure(ExitCode.USAGE, "There is no terminal to ask: check `punctual plan`, then use --yes.")
    files, planned = _planned(work)
    if _refused(work, planned, files):
        work.screen.document({**planned, "applied": False})
        return ExitCode.REFUSED
    _show_changes(work, planned)
    if not _changes(planned):
        work.screen.say("Nothing to change.", "bold")
        work.screen.document({**planned, "applied": False})
        return ExitCode.DONE
    if not work.args.yes and not _agreed(f"{summary(planned, VERBS)}. Apply this?"):
        work.screen.say("Nothing was applied.")
        return ExitCode.REFUSED
    body = {"files": files, "prune": work.args.prune, "token": planned["token"]}
    with work.screen.busy("Applying"):
        applied = work.server.post("definitions/apply/", body)
    applied = _with_summary(applied)
    work.screen.say(f"Applied: {summary(applied, DONE)}.", "green")
    work.screen.document({**applied, "applied": True})
    return ExitCode.DONE


def export(work: Work) -> ExitCode:
    """Write the organisation's definitions into a folder: all of them or none, and never over a changed file."""
    folder = Path(work.args.folder)
    with work.screen.busy("Reading the definitions"):
        files: dict[str, str] = work.server.get("definitions/")["files"]
    changed = changed_files(folder, files)
    if changed and not work.args.force:
        some = ", ".join(changed[:5]) + (" and others" if len(changed) > 5 else "")
        raise CommandFailure(
            ExitCode.CONFLICT, f"Nothing was exported: {some} would be overwritten. Export elsewhere, or use --force."
        )
    written = write_folder(folder, files)
    same = len(files) - len(written)
    work.screen.say(f"{len(written)} written, {same} unchanged in {folder}.")
    work.screen.document({"folder": str(folder), "written": written, "unchanged": same})
    return ExitCode.DONE


def summary(planned: Mapping[str, Any], words: Mapping[str, str]) -> str:
    """Return a summary, for example "2 to create, 1 to change, 0 to delete"."""
    return ", ".join(f"{planned['summary'][action]} {words[action]}" for action in words)


def _planned(work: Work) -> tuple[dict[str, str], dict[str, Any]]:
    files = read_folder(Path(work.args.folder))
    with work.screen.busy("Planning"):
        planned = work.server.post("definitions/plan/", {"files": files, "prune": work.args.prune})
    return files, _with_summary(planned)


def _with_summary(planned: Mapping[str, Any]) -> dict[str, Any]:
    counted = Counter(str(change["action"]) for change in planned["changes"])
    return {**planned, "summary": {action: counted[action] for action in (*VERBS, "unchanged")}}


def _refused(work: Work, planned: Mapping[str, Any], files: Mapping[str, str]) -> bool:
    """Show the errors and warnings; return whether there is an error."""
    faults = planned["faults"]
    show_faults(
        work.screen, [located(each, each.get("file"), files.get(each.get("file", ""))) for each in faults], files
    )
    wrong = any(is_error(each) for each in faults)
    if wrong:
        work.screen.say(f"There are errors in {work.args.folder}, so nothing is applied. Fix them, and apply again.")
    return wrong


def _changes(planned: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [change for change in planned["changes"] if change["action"] != "unchanged"]


def _show_changes(work: Work, planned: Mapping[str, Any]) -> None:
    if work.screen.json:
        return
    for change in _changes(planned):
        sign, style = SIGNS.get(change["action"], ("?", ""))
        work.screen.say(f"{sign} {change['kind']} {change['name']}", f"bold {style}")
        for line in str(change.get("diff") or "").removesuffix("\n").split("\n"):
            header = line.startswith(("--- ", "+++ "))
            work.screen.out.print(Text(f"    {clean(line)}", "bold" if header else LINE_STYLES.get(line[:1], "dim")))


def _agreed(question: str) -> bool:
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
