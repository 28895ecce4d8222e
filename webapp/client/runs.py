"""`run start`, `run stop`, `run status`, `run logs`."""

from collections.abc import Mapping
from typing import Any, Final

from .listing import RUN_COLUMNS, run_row
from .outcomes import CommandFailure, ExitCode
from .screen import clean_line
from .work import Work, named, run_of

EVERY_S: Final = 1.0
PATIENCE: Final = 30
"""How often a follower asks a server that cannot be reached, a second between, before it gives up."""
FAILURE_WORDS: Final = {
    "overflow": "a number beyond its type",
    "division_by_zero": "a division by zero",
    "cast": "a failed cast",
    "argument": "an argument that the function does not take",
    "too_long": "a value longer than 1 MiB",
}
SOUGHT: Final = {
    "now": "It begins with what comes from now on.",
    "time": "It begins with what came at that time or later.",
}
LEVEL_STYLES: Final = {"error": "red", "critical": "bold red", "warning": "yellow", "debug": "dim"}


def start(work: Work) -> ExitCode:
    """Start a binding."""
    binding = named(work.server, "bindings", work.args.binding)
    begin, at = work.args.begin, work.args.begin_at
    place = begin if at is None else {"kind": "time", "at": at}
    path = f"bindings/{binding['id']}"
    said = work.server.get(f"{path}/next-start/")
    if at is not None or begin in SOUGHT:
        for each in binding["inputs"]:  # a start asks none, for any of them may take its time
            with work.screen.busy(f"Asking {each['node']} what it holds"):
                work.server.get(f"{path}/timeline/", input=each["node"])
    with work.screen.busy("Starting"):
        run = work.server.post(f"{path}/start/", {"begin": place, "shown": said["mark"]})
    work.screen.say(clean_line(_beginning(said, begin if at is None else "time")))
    return _shown(
        work, run, f"{binding['name']} is {run['observed']}. `punctual run status {binding['name']}` tells more."
    )


def _beginning(said: Mapping[str, Any], begin: str | None) -> str:
    """What a start that was told to begin at `begin` does, as the server `said` before it."""
    if begin in SOUGHT:
        return f"{SOUGHT[begin]} What was open is left behind; results that are there stay."
    chosen = [each["sentence"] for each in said["options"] if each["begin"] == begin]
    why = said["reason"] if chosen or not said["goes_on"] else None
    return " ".join(each for each in (why, *(chosen or [said["sentence"]])) if each)


def stop(work: Work) -> ExitCode:
    """Stop a binding; its state is kept for the next start, unless it is to be thrown away."""
    binding = named(work.server, "bindings", work.args.binding)
    with work.screen.busy("Stopping"):
        run = work.server.post(
            f"bindings/{binding['id']}/stop/", {"flush": work.args.flush, "discard": work.args.discard}
        )
    return _shown(work, run, f"{binding['name']} is asked to stop; it is {run['observed']}.")


def _shown(work: Work, run: Mapping[str, Any], sentence: str) -> ExitCode:
    work.screen.say(sentence)
    work.screen.document(run)
    return ExitCode.DONE


def status(work: Work) -> ExitCode:
    """Show one run, or the newest run of every binding."""
    if work.args.what:
        run = run_of(work.server, work.args.what)
        work.screen.table(RUN_COLUMNS, [run_row(run)])
        _tell_failures(work, run)
        work.screen.document(run)
        return ExitCode.DONE
    with work.screen.busy("Reading"):
        bindings = work.server.get("bindings/")
    runs = [binding["latest_run"] for binding in bindings if binding["latest_run"] is not None]
    work.screen.table(RUN_COLUMNS, [run_row(run) for run in runs])
    if not runs:
        work.screen.say("Nothing was started yet.", "dim")
    work.screen.document(runs)
    return ExitCode.DONE


def _tell_failures(work: Work, run: Mapping[str, Any]) -> None:
    """Say which expressions are null on rows because they failed on them."""
    report = run["progress"] or {}
    told = report.get("failures", [])
    if not told:
        return
    work.screen.say(f"Expressions that failed, so that they are null there ({report['failed']:,} failures in all):")
    rows = []
    for each in told:
        example = ", ".join(f"{name} = {'null' if value is None else value}" for name, value in each["example"].items())
        kind = FAILURE_WORDS.get(each["kind"], each["kind"])
        rows.append([each["node"], f"{each['field']}: {each['text']}", kind, f"{each['count']:,}", example])
    work.screen.table(("NODE", "EXPRESSION", "WHY", "ROWS", "FIRST EXAMPLE"), rows)


def logs(work: Work) -> ExitCode:
    """Print what the runner logged about a run; with `--follow` until the run has ended."""
    run = run_of(work.server, work.args.what)
    after: str | None = None
    try:
        while True:
            ended = patiently(work, f"runs/{run['id']}/")["ended_at"] is not None
            after, printed = _print_logs(work, run["id"], after)
            if not printed:
                if ended or not work.args.follow:
                    return ExitCode.DONE
                work.pause(EVERY_S)
    except KeyboardInterrupt:
        return ExitCode.DONE


def _print_logs(work: Work, run: str, after: str | None) -> tuple[str, bool]:
    """Print the next page; return the cursor behind it, and whether it had lines."""
    page = patiently(work, f"runs/{run}/logs/", after=after)
    for line in page["lines"]:
        if work.screen.json:
            work.screen.json_line(line)
        else:
            text = f"{clean_line(line['at'])} {clean_line(line['level']).upper():<8} {clean_line(line['message'])}"
            work.screen.say(text, LEVEL_STYLES.get(str(line["level"]).lower(), ""))
    return str(page["next"]), bool(page["lines"])


def patiently(work: Work, path: str, **query: object) -> Any:
    """Read what is at `path`; while the server cannot be reached, say so once and try again for half a minute."""
    for tried in range(PATIENCE):
        try:
            return work.server.get(path, **query)
        except CommandFailure as failure:
            if failure.exit is not ExitCode.NO_SERVER:
                raise
            if tried == 0:
                work.screen.note(f"{failure.message} Trying again.", "yellow")
            work.pause(EVERY_S)
    return work.server.get(path, **query)
