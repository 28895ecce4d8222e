"""`results export`: the results of a run, or of all runs of its binding, as one file."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from .outcomes import CommandFailure, ExitCode
from .work import Work, run_of

ENDINGS: Final = {"csv": "csv", "json_lines": "jsonl", "parquet": "parquet", "arrow": "arrows", "xlsx": "xlsx"}
"""The formats, and the ending of a file in each."""
UNFINISHED: Final = ".part"
STANDARD_OUTPUT: Final = "-"


def export(work: Work) -> ExitCode:
    """Write the results to a file, which exists only once it is complete."""
    args = work.args
    run = run_of(work.server, args.what)
    query = {
        "format": args.format,
        "output": args.node,
        "from": args.begin,
        "to": args.end,
        "revisions": args.revisions,
        "runs": "all" if args.all_runs else None,
    }
    name = args.file or f"{run['binding_name']}.{ENDINGS[args.format]}"
    with (
        work.screen.busy(f"Exporting the results of {run['binding_name']}"),
        work.server.download(f"runs/{run['id']}/results/file/", **query) as answer,
    ):
        rows = int(answer.headers.get("Punctual-Rows", 0))
        with _target(name, force=args.force) as target:
            size = sum(target.write(piece) for piece in answer.pieces)
    if name == STANDARD_OUTPUT:
        work.screen.note(f"Rows: {rows:,}. Bytes: {size:,}.")
        return ExitCode.DONE
    work.screen.say(f"Wrote {name}. Rows: {rows:,}. Bytes: {size:,}.")
    work.screen.document({"file": name, "rows": rows, "bytes": size, "run": run["id"]})
    return ExitCode.DONE


@contextmanager
def _target(name: str, *, force: bool) -> Iterator[BinaryIO]:
    """Open the file for writing; it replaces `name` when the block ends, and is deleted if that fails."""
    if name == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        return
    path = Path(name)
    unfinished = path.with_name(f"{path.name}{UNFINISHED}")
    if path.exists() and not force:
        raise CommandFailure(ExitCode.REFUSED, f"{name} exists already. Choose another name, or pass --force.")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(path)
    except OSError as error:
        reason = f"{name} cannot be written: {error.strerror or error}."
        raise CommandFailure(ExitCode.REFUSED, reason) from None
    finally:
        unfinished.unlink(missing_ok=True)
