"""`transcript run`: worked examples, run with the server's reference."""

from pathlib import Path
from typing import Any

from .folder import read_text
from .outcomes import CommandFailure, ExitCode
from .work import Work

LONGEST_NAME = 200


def run_transcripts(work: Work) -> ExitCode:
    """Run each file, and each file of a folder; show which examples differ, and how."""
    files = _files(work.args.paths)
    outcomes: list[dict[str, Any]] = []
    for path in files:
        body = {"name": str(path)[-LONGEST_NAME:], "text": read_text(path)}
        with work.screen.busy(f"Running {path}"):
            results = work.server.post("transcripts/run/", body)["results"]
        outcomes.append({"file": str(path), "results": results})
        for each in results:
            _show(work, path, each)
    every = [each for outcome in outcomes for each in outcome["results"]]
    failed = sum(not each["passed"] for each in every)
    work.screen.say(f"{len(every) - failed} passed, {failed} failed.", "red" if failed else "green")
    work.screen.document({"files": outcomes, "passed": len(every) - failed, "failed": failed})
    return ExitCode.REFUSED if failed else ExitCode.DONE


def _show(work: Work, path: Path, result: dict[str, Any]) -> None:
    verdict, style = ("passed", "green") if result["passed"] else ("FAILED", "bold red")
    work.screen.say(f"{path}: {result['name']}: {verdict}", style)
    for line in str(result["differs"]).splitlines():
        work.screen.say(f"    {line}")


def _files(paths: list[str]) -> list[Path]:
    found: list[Path] = []
    for name in paths:
        path = Path(name)
        if path.is_dir():
            inside = [each for each in path.rglob("*") if each.suffix in {".yaml", ".yml"} and each.is_file()]
            found += sorted(inside)
        elif path.is_file():
            found.append(path)
        else:
            raise CommandFailure(ExitCode.NOT_THERE, f"No file or folder is called {name}.")
    if not found:
        raise CommandFailure(ExitCode.NOT_THERE, f"There is no transcript (*.yaml) in {', '.join(paths)}.")
    return found
