"""The command line: every command with its options, its help and examples. Completion is generated from it."""

import argparse
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NoReturn

from . import account, completion, definitions, listing, results, runs, tail, texts, transcripts
from .assistant import command as assistant
from .library.version import __version__
from .outcomes import MEANINGS, ExitCode, without_tokens
from .work import Work

Command = Callable[[Work], ExitCode]
Subcommands = Any  # argparse keeps the class of its subparsers to itself
FILES: Final = "files"

EXIT_CODES: Final = "\n".join(
    (
        "exit codes:",
        *(f"  {code.value}  {meaning}" for code, meaning in MEANINGS.items()),
        "  130  ended by ctrl-C (tail and run logs end with 0)",
    )
)
ENVIRONMENT: Final = """environment:
  PUNCTUAL_ADDRESS, PUNCTUAL_TOKEN, PUNCTUAL_ORGANISATION
      instead of the stored sign-in (in $XDG_CONFIG_HOME/punctual/credentials.json)"""
BEGIN: Final = """start with:
  punctual sign-in --address http://127.0.0.1:8000     asks for a token from the page Access tokens
  punctual list                                        everything in the organisation
  punctual export defs                                 the organisation as files
  punctual plan defs                                   what your changes to them would do
  punctual apply defs                                  do it
  punctual run start speeding && punctual tail speeding"""
DESCRIPTION: Final = (
    "Punctual from the command line: event-time queries as files, checked, applied, started and followed."
)


def instant(text: str) -> int:
    """Return the microseconds since 1970 of ISO 8601 text; without a zone it is UTC. Raises `ArgumentTypeError`."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} isn't a time; write it as 2026-11-26T10:00Z") from None
    since = (at if at.tzinfo else at.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    return since // timedelta(microseconds=1)


class _CommandParser(argparse.ArgumentParser):
    """Accepts options only by their full name, and never repeats a token in its messages."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **options})

    def error(self, message: str) -> NoReturn:
        """Print usage and message, and exit with 2."""
        super().error(without_tokens(message))


def parser() -> argparse.ArgumentParser:
    """Return the parser; the parsed arguments contain the command as `command`, and `lines` if it prints JSON lines."""
    common = _common()
    top = _CommandParser(
        prog="punctual",
        description=DESCRIPTION,
        epilog="\n\n".join((BEGIN, ENVIRONMENT, EXIT_CODES)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common],
    )
    top.add_argument("--version", action="version", version=f"punctual {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    adding = _Adding(commands, common)
    _account_commands(adding)
    _definition_commands(adding)
    _run_commands(adding, common)
    _result_commands(adding, common)
    _other_commands(adding, common, top)
    return top


def _common() -> argparse.ArgumentParser:
    common = _CommandParser(add_help=False, argument_default=argparse.SUPPRESS)
    group = common.add_argument_group("options of every command")
    group.add_argument("--json", action="store_true", help="print one JSON document (tail and logs: JSON lines)")
    group.add_argument("--address", metavar="URL", help="the server, for example https://punctual.example")
    group.add_argument("--organisation", metavar="NAME", help="the organisation's short name; by default the token's")
    _completing(
        group.add_argument(
            "--token-file", metavar="FILE", help="read the token from FILE, or from standard input for -"
        ),
        FILES,
    )
    group.add_argument(
        "--insecure-http",
        action="store_true",
        help="send the token over plain http to another machine; everybody on the way can read it",
    )
    return common


def _completing(action: argparse.Action, kind: str) -> None:
    """Record the kind of values of `action` for `completion`."""
    setattr(action, completion.MARK, kind)


class _Adding:
    """Adds commands to one level of the parser."""

    def __init__(self, commands: Subcommands, common: argparse.ArgumentParser) -> None:
        self._commands = commands
        self._common = common

    def command(self, name: str, run: Command, short: str, examples: Sequence[str]) -> argparse.ArgumentParser:
        """Add a command and return its parser for its arguments."""
        made: argparse.ArgumentParser = self._commands.add_parser(
            name,
            help=short,
            description=f"{short[0].upper()}{short[1:]}.",
            epilog="examples:\n" + "\n".join(f"  {each}" for each in examples),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            parents=[self._common],
        )
        made.set_defaults(command=run)
        return made


def _account_commands(adding: _Adding) -> None:
    adding.command(
        "sign-in",
        account.sign_in,
        "store a token for later commands; typed without echo, and stored readable only by you",
        [
            "punctual sign-in --address http://127.0.0.1:8000",
            "punctual sign-in --address https://punctual.example --token-file -  < token.txt",
        ],
    )
    adding.command("sign-out", account.sign_out, "remove the stored token from this machine", ["punctual sign-out"])
    adding.command(
        "whoami",
        account.whoami,
        "show the person, the organisation and the rights of the token in use",
        ["punctual whoami", "punctual whoami --json | jq -r .email"],
    )
    listed = adding.command(
        "list",
        listing.list_things,
        "list streams, queries, bindings and runs",
        ["punctual list", "punctual list bindings", "punctual list runs --json | jq -r '.[].observed'"],
    )
    listed.add_argument("kind", nargs="?", choices=list(listing.KINDS), help="only these; otherwise all")


def _definition_commands(adding: _Adding) -> None:
    validated = adding.command(
        "validate",
        texts.validate,
        "show every error of queries or of a folder of definitions, with its place in the file; nothing is stored",
        [
            "punctual validate queries/speeding.sql",
            "punctual validate defs                 # streams, queries and bindings together",
            "punctual validate - < query.sql",
        ],
    )
    _completing(
        validated.add_argument("files", nargs="+", metavar="PATH", help="SQL, a graph as .json, a folder, or -"), FILES
    )
    planned = adding.command(
        "plan",
        definitions.plan,
        "show what apply would create, change and delete",
        ["punctual plan defs", "punctual plan defs --check      # exits with 1 if there is anything to apply"],
    )
    _of_a_folder(planned)
    planned.add_argument("--check", action="store_true", help="exit with 1 if there are changes")
    applied = adding.command(
        "apply",
        definitions.apply,
        "make the organisation match the folder: all changes or none",
        ["punctual apply defs", "punctual apply defs --prune --yes"],
    )
    _of_a_folder(applied)
    applied.add_argument("--yes", action="store_true", help="do not ask; required without a terminal")
    exported = adding.command(
        "export",
        definitions.export,
        "write the organisation's definitions into a folder",
        ["punctual export defs", "punctual export defs --force     # also over changed files"],
    )
    _completing(exported.add_argument("folder", metavar="FOLDER", help="created if it does not exist"), FILES)
    exported.add_argument("--force", action="store_true", help="overwrite files with other content")
    explained = adding.command(
        "explain",
        texts.explain,
        "explain what a query does, node by node: lifetimes, lateness, state",
        ["punctual explain speeding", "punctual explain queries/speeding.sql --format mermaid > speeding.mmd"],
    )
    _completing(explained.add_argument("what", metavar="FILE|QUERY", help="a file (.sql, .json, -) or a query"), FILES)
    explained.add_argument("--format", choices=["text", "json", "mermaid"], default="text", help="text by default")


def _of_a_folder(command: argparse.ArgumentParser) -> None:
    about = "has streams/, queries/, bindings/ and boards/"
    _completing(command.add_argument("folder", metavar="FOLDER", help=about), FILES)
    command.add_argument("--prune", action="store_true", help="delete definitions that the folder lacks")


def _run_commands(adding: _Adding, common: argparse.ArgumentParser) -> None:
    group = adding.command("run", runs.status, "start, stop and watch runs", ["punctual run start speeding"])
    level = _Adding(group.add_subparsers(title="commands", metavar="COMMAND", required=True), common)
    started = level.command("start", runs.start, "start a binding", ["punctual run start speeding"])
    started.add_argument("binding", metavar="BINDING", help="name or id")
    where = started.add_mutually_exclusive_group()
    where.add_argument(
        "--begin",
        choices=("oldest_open", "carried_over", "old_positions", "beginning", "now"),
        help="the start position if the last run's state can't be resumed; beginning and now always apply",
    )
    where.add_argument(
        "--begin-at", metavar="TIME", type=instant, help="start with the rows since then; as 2026-11-26T10:00Z"
    )
    stopped = level.command(
        "stop",
        runs.stop,
        "stop a binding; its state is kept for the next start",
        ["punctual run stop speeding", "punctual run stop speeding --flush"],
    )
    stopped.add_argument("binding", metavar="BINDING", help="name or id")
    how = stopped.add_mutually_exclusive_group()
    how.add_argument("--flush", action="store_true", help="close all windows first, where the settings allow")
    how.add_argument("--discard", action="store_true", help="discard its state, so that no start resumes it")
    shown = level.command(
        "status",
        runs.status,
        "show a run, or the newest run of every binding",
        ["punctual run status", "punctual run status speeding --json | jq -r .observed"],
    )
    shown.add_argument("what", nargs="?", metavar="BINDING|RUN", help="name of a binding, or id; otherwise all")
    logged = level.command(
        "logs",
        runs.logs,
        "print the log of a run",
        ["punctual run logs speeding --follow", "punctual run logs speeding --json | jq -r .message"],
    )
    logged.add_argument("what", metavar="BINDING|RUN", help="name of a binding (its newest run), or id")
    logged.set_defaults(lines=True)
    logged.add_argument("--follow", action="store_true", help="continue until the run has ended; ctrl-C exits with 0")

    noted = adding.command(
        "note",
        runs.note,
        "write a note, for example about a deployment, at a time or over a range; charts and incidents have it",
        [
            'punctual note "Firmware 4.2.1 rolled out" --binding toll-by-gate',
            'punctual note "Network maintenance" --at 2026-11-26T10:00Z --until 2026-11-26T11:00Z',
        ],
    )
    noted.add_argument("text", metavar="TEXT", help="at most 1,000 characters")
    noted.add_argument("--binding", metavar="BINDING", help="name or id; otherwise about all bindings")
    noted.add_argument("--at", metavar="TIME", type=instant, help="its time, now by default; as 2026-11-26T10:00Z")
    noted.add_argument("--until", metavar="TIME", type=instant, help="the end of a range that begins at its time")


def _result_commands(adding: _Adding, common: argparse.ArgumentParser) -> None:
    group = adding.command(
        "results", results.export, "export results as a file", ["punctual results export speeding --format parquet"]
    )
    level = _Adding(group.add_subparsers(title="commands", metavar="COMMAND", required=True), common)
    exported = level.command(
        "export",
        results.export,
        "write the results of a run, or of all runs of its binding, to a file",
        [
            "punctual results export speeding                             # speeding.csv",
            "punctual results export speeding --format xlsx --from 2026-11-26T10:00Z --to 2026-11-26T11:00Z",
            "punctual results export speeding --all-runs --format parquet --file speeding.parquet",
            "punctual results export speeding --revisions all --format json_lines --file - | jq .op",
        ],
    )
    exported.add_argument("what", metavar="BINDING|RUN", help="name of a binding (its newest run), or id")
    exported.add_argument("--format", choices=list(results.ENDINGS), default="csv", help="csv by default")
    exported.add_argument("--node", metavar="OUTPUT", help="the output node; required if the query has several")
    time = "as 2026-11-26T10:00Z"
    exported.add_argument(
        "--from", dest="begin", metavar="TIME", type=instant, help=f"rows that start at or after it; {time}"
    )
    exported.add_argument("--to", dest="end", metavar="TIME", type=instant, help=f"rows that start before it; {time}")
    exported.add_argument(
        "--revisions",
        choices=("net", "all"),
        default="net",
        help="net: the rows that count after all changes (the default); all: every change",
    )
    exported.add_argument("--all-runs", action="store_true", help="rows of all runs of the binding, each with its run")
    _completing(
        exported.add_argument(
            "--file", metavar="FILE", help="the file to write, - for standard output; by default BINDING.ENDING"
        ),
        FILES,
    )
    exported.add_argument("--force", action="store_true", help="overwrite an existing file")


def _other_commands(adding: _Adding, common: argparse.ArgumentParser, top: argparse.ArgumentParser) -> None:
    tailed = adding.command(
        "tail",
        tail.tail,
        "print the newest results of a run and follow it, each row once; ctrl-C exits with 0",
        [
            "punctual tail speeding",
            "punctual tail speeding --from-start --limit 100 --json",
            "punctual tail speeding --all-runs --from-start",
            "punctual tail speeding --from-start --no-follow --json > results.jsonl",
        ],
    )
    tailed.set_defaults(lines=True)
    tailed.add_argument("what", metavar="BINDING|RUN", help="name of a binding (its newest run), or id")
    tailed.add_argument("--from-start", action="store_true", help="start with the oldest stored result")
    tailed.add_argument(
        "--all-runs", action="store_true", help="the rows of all runs of the binding, each with its run"
    )
    tailed.add_argument("--limit", type=_count, metavar="N", help="end after N rows")
    tailed.add_argument("--no-follow", action="store_true", help="end after the last existing row")
    group = adding.command(
        "transcript",
        transcripts.run_transcripts,
        "run worked examples with the reference",
        ["punctual transcript run transcripts/"],
    )
    level = _Adding(group.add_subparsers(title="commands", metavar="COMMAND", required=True), common)
    ran = level.command(
        "run",
        transcripts.run_transcripts,
        "run transcripts and show the differences",
        ["punctual transcript run transcripts/late.yaml", "punctual transcript run transcripts/ more/"],
    )
    _completing(ran.add_argument("paths", nargs="+", metavar="PATH", help="files, or folders of *.yaml"), FILES)
    served = adding.command(
        "mcp",
        assistant.serve,
        "serve an assistant by the Model Context Protocol: it proves queries, and people confirm its plans",
        [
            "punctual mcp --token-file assistant.token               # over standard input and output",
            "punctual mcp --token-file assistant.token --http 8765   # at http://127.0.0.1:8765/mcp",
        ],
    )
    served.add_argument("--http", type=_port, metavar="PORT", help="serve over HTTP on this machine")
    completed = adding.command(
        "completion",
        lambda work: completion.print_completion(work, top),
        "print the completion script of a shell",
        [
            'eval "$(punctual completion bash)"                 # in ~/.bashrc',
            "punctual completion zsh > ~/.zfunc/_punctual       # a folder of $fpath, before compinit",
            "punctual completion fish > ~/.config/fish/completions/punctual.fish",
        ],
    )
    completed.add_argument("shell", choices=list(completion.SHELLS), help="the shell to print for")


def _port(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 65_535:
        raise ValueError
    return number


_port.__name__ = "port"


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


_count.__name__ = "whole number from 1"  # argparse says: invalid whole number from 1 value
