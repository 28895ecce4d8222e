"""`python -m streaming.run --query FILE --input NAME=PATH ... --output PATH` (README.md says all of it)."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from streaming.adapters.contract import AdapterError
from streaming.definition.streams import Rowtime
from streaming.planning.explain import explain, explain_text
from streaming.run.batch_rows import expected_rows
from streaming.run.definition import RunDefinition, define
from streaming.run.errors import DefinitionRefused, InputUnreadable, RunError, RunFailed
from streaming.run.executors import executed, executor_choice
from streaming.run.options import RunOptions, read_options
from streaming.run.places import check_places, places
from streaming.run.progress import progress_on
from streaming.run.results import ResultFiles
from streaming.run.shown import faults_json
from streaming.run.sources import FileSource, InputSource
from streaming.run.summary import Summary
from streaming.run.transcript_rows import RowsSource

INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Run one query on files; the exit codes are those of `errors`, 130 after an interruption."""
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
        _say(*definition.said)
    explained = explain(definition.asked, definition.named, definition.advance)
    sys.stdout.write(explained.model_dump_json() + "\n" if options.as_json else explain_text(explained))


def _run(options: RunOptions, definition: RunDefinition) -> None:
    """Run, and put all files in their places at the very end. Raises `RunError`."""
    where = places(options.output or "", list(definition.outputs), options.late)
    read = definition.files.values()
    folders = [files.path for files in read if files.path.is_dir()]
    check_places(where, (Path(file.path) for files in read for file in files.files), folders)
    choice = executor_choice(options, definition)
    said = (*definition.said, *choice.said)
    if not options.as_json:
        _say(*said)
    begun = time.monotonic()
    sources = _sources(definition)
    progress = progress_on(sys.stderr, quiet=options.quiet or options.as_json, expected=expected_rows(list(read)))
    results = ResultFiles(where, definition.outputs, progress)
    try:
        results.open()
        counted = executed(choice, definition, sources, results)
        _interruptible_no_more()  # one file in its place and another not would be neither done nor undone
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
            said=said,
        ),
    )


def _tell(options: RunOptions, summary: Summary) -> None:
    if options.as_json:
        _say(summary.to_json())
    else:
        summary.write(sys.stderr)


def _sources(definition: RunDefinition) -> list[InputSource]:
    """What reads each input. Raises `InputUnreadable` where its files cannot be what the stream says."""
    sources: list[InputSource] = []
    for node, stream in definition.streams.items():
        files, columns = definition.files[node], definition.columns[node]
        try:
            if files.form == "json_lines" and not columns:
                sources.append(RowsSource(node, definition.stream_names[node], stream, files))
                continue
            if stream.rowtime is Rowtime.IMPLICIT:
                raise InputUnreadable(
                    f"{node}: {files.path} says of no row when it arrived; name the column of its time."
                )
            if len(stream.lanes or ()) > 1:
                raise InputUnreadable(f"{node}: {files.path} says of no row which of the lanes it is of; list one.")
            sources.append(FileSource(node, stream, files, columns))
        except AdapterError as error:
            raise InputUnreadable(f"{node}: {error}") from None
    return sources


def _say(*lines: str) -> None:
    for line in lines:
        sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """Once: what cleans up behind an interruption must not be interrupted, or half a file would stay."""
    _on_signals(signal.SIG_IGN)
    raise KeyboardInterrupt


def _interruptible_no_more() -> None:
    """Whoever called `main` with signals of its own keeps them."""
    if signal.getsignal(signal.SIGINT) is _interrupt:
        _on_signals(signal.SIG_IGN)


def _on_signals(do: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    signal.signal(signal.SIGINT, do)
    signal.signal(signal.SIGTERM, do)


if __name__ == "__main__":
    _on_signals(_interrupt)
    code = main(sys.argv[1:])
    if code == INTERRUPTED:
        # All is put back. An interpreter that takes itself down could still be ended by a later signal.
        os._exit(code)
    sys.exit(code)
