"""`python -m streaming.run --query FILE --input NAME=PATH ... --output PATH` (README.md says all of it)."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

from streaming.adapters.contract import AdapterError
from streaming.definition.streams.stream import Rowtime
from streaming.planning.explain import explain, explain_text
from streaming.run.batch_rows import expected_rows
from streaming.run.definition import RunDefinition, define
from streaming.run.errors import DefinitionRefused, InputUnreadable, RunError, RunFailed
from streaming.run.executors import executed, executor_choice
from streaming.run.inputs.sources import FileSource, InputSource
from streaming.run.inputs.transcript_rows import RowsSource
from streaming.run.options import RunOptions, read_options
from streaming.run.outputs.places import check_places, places
from streaming.run.outputs.results import ResultFiles
from streaming.run.progress import progress_on
from streaming.run.shown import faults_json
from streaming.run.summary import Summary
from streaming.wire.standard_output import abandon_output

INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Run one query on files; return an exit code of `errors`, or 130 after an interruption."""
    as_json = "--json" in arguments
    try:
        options = read_options(arguments)
        definition = define(options)
        if options.explain:
            _explain(options, definition)
        else:
            _run(options, definition)
    except DefinitionRefused as refusal:
        _say(faults_json(refusal.text, refusal.faults) if as_json else str(refusal))
        return refusal.code
    except RunError as error:
        _say(json.dumps({"error": str(error)}, ensure_ascii=False) if as_json else str(error))
        return error.code
    except KeyboardInterrupt:
        _interruptible_no_more()
        _say("Interrupted: no file was written.")
        return INTERRUPTED
    return 0


def _explain(options: RunOptions, definition: RunDefinition) -> None:
    if not options.as_json:
        _say(*definition.messages)
    explained = explain(definition.asked, definition.named, definition.advance)
    try:
        sys.stdout.write(explained.model_dump_json() + "\n" if options.as_json else explain_text(explained))
        sys.stdout.flush()
    except OSError as error:
        raise RunFailed(f"The explanation cannot be written ({error.strerror or error}).") from None


def _run(options: RunOptions, definition: RunDefinition) -> None:
    """Run, and move all files to their places at the very end. Raises `RunError`."""
    where = places(options.output or "", list(definition.outputs), options.late)
    read = definition.files.values()
    folders = [files.path for files in read if files.path.is_dir()]
    check_places(where, (Path(file.path) for files in read for file in files.files), folders)
    choice = executor_choice(options, definition)
    messages = (*definition.messages, *choice.messages)
    if not options.as_json:
        _say(*messages)
    begun = time.monotonic()
    sources = _sources(definition)
    progress = progress_on(sys.stderr, quiet=options.quiet or options.as_json, expected=expected_rows(list(read)))
    results = ResultFiles(where, definition.outputs, progress)
    try:
        results.open()
        counted = executed(choice, definition, sources, results)
        _interruptible_no_more()  # one file in its place and another not would be neither complete nor undone
        results.finish()
    except AdapterError as error:
        raise InputUnreadable(str(error)) from None
    except OSError as error:
        named = f" {error.filename}" if error.filename else ""
        raise RunFailed(f"The results cannot be written{named} ({error.strerror or error}).") from None
    finally:
        results.close()
    _tell(
        options,
        Summary(
            query=definition.graph.name,
            executor=choice.executor,
            inputs=counted,
            outputs={name: (results.written[name], where.outputs[name].path) for name in definition.outputs},
            late=(results.late_rows, where.late),
            firsts=results.firsts,
            failures=results.failed,
            seconds=time.monotonic() - begun,
            messages=messages,
        ),
    )


def _tell(options: RunOptions, summary: Summary) -> None:
    if options.as_json:
        _say(summary.to_json())
    else:
        summary.write(sys.stderr)


def _sources(definition: RunDefinition) -> list[InputSource]:
    """Return the source of each input. Raises `InputUnreadable` if its files do not fit the stream."""
    sources: list[InputSource] = []
    for node, stream in definition.streams.items():
        files, columns, reading = definition.files[node], definition.columns[node], definition.readings[node]
        try:
            if files.form == "json_lines" and not columns and not reading:
                sources.append(RowsSource(node, definition.stream_names[node], stream, files))
                continue
            if stream.rowtime is Rowtime.IMPLICIT:
                raise InputUnreadable(f"{node}: {files.path} has no arrival times; set the column of the event time.")
            if len(stream.lanes or ()) > 1:
                raise InputUnreadable(f"{node}: {files.path} does not assign rows to lanes; list only one lane.")
            sources.append(FileSource(node, stream, files, {"columns": dict(columns), **reading}))
        except AdapterError as error:
            raise InputUnreadable(f"{node}: {error}") from None
    return sources


def _say(*lines: str) -> None:
    with suppress(OSError):  # the exit code remains even if nobody reads the messages
        for line in lines:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """Interrupt once: the cleanup after an interruption must not be interrupted, or half a file would remain."""
    _on_signals(signal.SIG_IGN)
    raise KeyboardInterrupt


def _interruptible_no_more() -> None:
    """Ignore later signals, unless the caller of `main` has its own handlers."""
    if signal.getsignal(signal.SIGINT) is _interrupt:
        _on_signals(signal.SIG_IGN)


def _on_signals(do: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    signal.signal(signal.SIGINT, do)
    signal.signal(signal.SIGTERM, do)


if __name__ == "__main__":
    _on_signals(_interrupt)
    code = main(sys.argv[1:])
    if code == INTERRUPTED:
        # Cleanup is complete. A normal exit of the interpreter could still be ended by a later signal.
        os._exit(code)
    abandon_output()
    sys.exit(code)
