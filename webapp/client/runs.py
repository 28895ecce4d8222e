"""`run start`, `run stop`, `run status`, `run logs`, `note`."""

from collections.abc import Mapping
from typing import Any, Final

from .listing import RUN_COLUMNS, run_row
from .outcomes import CommandFailure, ExitCode
from .output.screen import clean_line
from .work import Work, named, run_of

EVERY_S: Final = 1.0
PATIENCE: Final = 30
"""Polls of an unreachable server, a second apart, before following gives up."""
FAILURE_WORDS: Final = {
    "overflow": "a number outside the range of its type",
    "division_by_zero": "a division by zero",
    "cast": "a failed cast",
    "argument": "an invalid argument of a function",
    "too_long": "a value longer than 1 MiB",
}
SOUGHT: Final = {
    "now": "It starts with rows that arrive from now on.",
    "time": "It starts with rows that arrived at that time or later.",
}
LEVEL_STYLES: Final = {"error": "red", "critical": "bold red", "warning": "yellow", "debug": "dim"}


def start(work: Work) -> ExitCode:
    """Start a binding."""
    binding = named(work.server, "bindings", work.args.binding)
    begin, at = work.args.begin, work.args.begin_at
    place = begin if at is None else {"kind": "time", "at": at}
    path = f"bindings/{binding['id']}"
    plan = work.server.get(f"{path}/next-start/")
    if at is not None or begin in SOUGHT:
        for each in binding["inputs"]:  # the start itself does not, because any of them may be slow
            with work.screen.busy(f"Asking {each['node']} what it holds"):
                work.server.get(f"{path}/timeline/", input=each["node"])
    with work.screen.busy("Starting"):
        run = work.server.post(f"{path}/start/", {"begin": place, "shown": plan["mark"]})
    begins = run.get("begins") or _describe_start(plan, begin if at is None else "time")
    work.screen.say(clean_line(begins))
    return _print_run(
        work, run, f"{binding['name']} is {run['observed']}. `punctual run status {binding['name']}` shows more."
    )


def _describe_start(plan: Mapping[str, Any], begin: str | None) -> str:
    """Return what a start with the position `begin` does, from the server's answer."""
    if begin in SOUGHT:
        return f"{SOUGHT[begin]} Open windows are discarded; existing results stay."
    chosen = [each["sentence"] for each in plan["options"] if each["begin"] == begin]
    why = plan["reason"] if chosen or not plan["goes_on"] else None
    return " ".join(each for each in (why, *(chosen or [plan["sentence"]])) if each)


def stop(work: Work) -> ExitCode:
    """Stop a binding; its state is kept for the next start, unless it is to be discarded."""
    binding = named(work.server, "bindings", work.args.binding)
    with work.screen.busy("Stopping"):
        run = work.server.post(
            f"bindings/{binding['id']}/stop/", {"flush": work.args.flush, "discard": work.args.discard}
        )
    return _print_run(work, run, f"{binding['name']} is stopping; it is {run['observed']}.")


def _print_run(work: Work, run: Mapping[str, Any], sentence: str) -> ExitCode:
    work.screen.say(sentence)
    work.screen.document(run)
    return ExitCode.DONE


def status(work: Work) -> ExitCode:
    """Show one run, or the newest run of every binding."""
    if work.args.what:
        run = run_of(work.server, work.args.what)
        work.screen.table(RUN_COLUMNS, [run_row(run)])
        _print_failures(work, run)
        work.screen.document(run)
        return ExitCode.DONE
    with work.screen.busy("Reading"):
        bindings = work.server.get("bindings/")
    runs = [binding["latest_run"] for binding in bindings if binding["latest_run"] is not None]
    work.screen.table(RUN_COLUMNS, [run_row(run) for run in runs])
    if not runs:
        work.screen.say("No run was started yet.", "dim")
    work.screen.document(runs)
    return ExitCode.DONE


def _print_failures(work: Work, run: Mapping[str, Any]) -> None:
    """Print the expressions that are null on some rows because they failed there."""
    report = run["progress"] or {}
    failures = report.get("failures", [])
    if not failures:
        return
    work.screen.say(f"Expressions that failed and are null on those rows ({report['failed']:,} failures in all):")
    rows = []
    for each in failures:
        example = ", ".join(f"{name} = {'null' if value is None else value}" for name, value in each["example"].items())
        kind = FAILURE_WORDS.get(each["kind"], each["kind"])
        rows.append([each["node"], f"{each['field']}: {each['text']}", kind, f"{each['count']:,}", example])
    work.screen.table(("NODE", "EXPRESSION", "WHY", "ROWS", "FIRST EXAMPLE"), rows)


def logs(work: Work) -> ExitCode:
    """Print the runner's log of a run; with `--follow` until the run has ended."""
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
    """Print the next page; return the cursor after it, and whether it had lines."""
    page = patiently(work, f"runs/{run}/logs/", after=after)
    for line in page["lines"]:
        if work.screen.json:
            work.screen.json_line(line)
        else:
            text = f"{clean_line(line['at'])} {clean_line(line['level']).upper():<8} {clean_line(line['message'])}"
            work.screen.say(text, LEVEL_STYLES.get(str(line["level"]).lower(), ""))
    return str(page["next"]), bool(page["lines"])


def note(work: Work) -> ExitCode:
    """Write a note about a binding, or about all bindings."""
    args = work.args
    about = None if args.binding is None else named(work.server, "bindings", args.binding)
    body = {"text": args.text, "binding": about and about["id"], "begin": args.at, "end": args.until}
    made = work.server.post("annotations/", body)
    subject = "all bindings" if about is None else clean_line(about["name"])
    work.screen.say(f"The charts of {subject} have the note now.")
    work.screen.document(made)
    return ExitCode.DONE


def patiently(work: Work, path: str, **query: object) -> Any:
    """Read the answer at `path`; while the server is unreachable, report it once and retry for half a minute."""
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
