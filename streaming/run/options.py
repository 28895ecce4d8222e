"""The command line."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from streaming.run.errors import UsageError

ExecutorName = Literal["reference", "engine", "spark"]
EXECUTORS: tuple[ExecutorName, ...] = ("reference", "engine", "spark")
WHICH = "default: engine; reference is the oracle, about 30 times slower; spark for data that outgrow one process"
EPILOG = """example, a file cars.csv with the columns ts, plate, speed; fast.sql holds
  SELECT STREAM plate, COUNT(*) AS n FROM cars EVENTTIME BY ts WINDOW BY TUMBLE 1m GROUP BY plate;
then:
  python -m streaming.run --query fast.sql --input cars=cars.csv --output fast.jsonl

Numeric times need their unit: EVENTTIME BY ts UNIT ms. Without --streams, fields are inferred and reported.
The query defines late rows, for example ADVANCE TIME cars EVERY 1 DELAY 5s LATE DROP;
without it, and without CTIs among the rows, nothing is late.

exit codes: 0 done; 1 the definition is refused, every error is reported with line and column in a text;
2 usage; 3 an input cannot be read; 4 the executor failed or an output cannot be written; 130
interrupted. Until it is done, a run leaves every file of the output unchanged."""


@dataclass(frozen=True)
class RunOptions:
    """The options of the command line, None if not set. `inputs` is by the id of an input node, or a stream."""

    query: Path
    inputs: Mapping[str, Path]
    output: str | None
    streams: Path | None = None
    advance: Path | None = None
    late: Path | None = None
    modules: Path | None = None
    executor: ExecutorName | None = None
    rows_a_batch: int | None = None
    as_json: bool = False
    explain: bool = False
    quiet: bool = field(default=False)


def read_options(arguments: Sequence[str]) -> RunOptions:
    """Read the command line.

    Raises `SystemExit` as argparse does (2), and `UsageError` for errors that argparse can't find.
    """
    parsed = _parser().parse_args(arguments)
    if not parsed.explain and parsed.output is None:
        raise UsageError("Set the place of the results: --output PATH, or --output - for standard output.")
    return RunOptions(
        query=parsed.query,
        inputs=_inputs(parsed.input),
        output=parsed.output,
        streams=parsed.streams,
        advance=parsed.advance,
        late=parsed.late,
        modules=parsed.modules,
        executor=parsed.executor,
        rows_a_batch=parsed.cuts,
        as_json=parsed.json,
        explain=parsed.explain,
        quiet=parsed.quiet,
    )


def _inputs(arguments: Sequence[str]) -> dict[str, Path]:
    inputs: dict[str, Path] = {}
    for each in arguments:
        name, equals, path = each.partition("=")
        if not (name and equals and path):
            raise UsageError(f"--input {each}: write --input NAME=PATH, with the name of an input of the query.")
        if name in inputs:
            raise UsageError(f"--input {name} is set twice; use a folder to read several files.")
        inputs[name] = Path(path)
    return inputs


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m streaming.run",
        description="Run one query on files: read every input to its end, and write the results.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--query", type=Path, required=True, metavar="FILE", help="the query: .sql, .json or .yaml")
    add(
        "--input",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="a file or folder for an input or stream: JSON lines, CSV or Parquet; again for each input",
    )
    add(
        "--output",
        metavar="PATH",
        help="JSON lines, or .parquet; - for standard output; several outputs: a folder, or {output} in the name",
    )
    add("--streams", type=Path, metavar="FILE", help="YAML: the streams, as under `streams:` in a transcript")
    add("--advance", type=Path, metavar="FILE", help="YAML: advance-time settings by input; they replace others")
    add("--modules", type=Path, metavar="FOLDER", help="the folder of the .wasm files that functions name by hash")
    add("--late", type=Path, metavar="PATH", help="where late rows go; default: OUTPUT.late.jsonl next to the output")
    add("--executor", choices=EXECUTORS, help=WHICH)
    add(
        "--cuts",
        type=_rows,
        metavar="N",
        help="rows in a micro-batch; default: as many as increase speed and fit in memory",
    )
    add("--json", action="store_true", help="the summary, and errors, as one JSON object on standard error")
    add("--explain", action="store_true", help="explain what the query will do, and do not run it")
    add("--quiet", action="store_true", help="no progress")
    return parser


def _rows(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rows; write a whole number above zero")
    return int(text)
