"""Which executor runs a definition where nobody says it, with how many rows a micro-batch, and running it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streaming.run.batch_rows import rows_a_batch
from streaming.run.definition import Definition
from streaming.run.options import ExecutorName, Options
from streaming.run.outcome import Counted
from streaming.run.results import Results
from streaming.run.sources import Source

MERGED = (
    "By the reference executor: {inputs} takes its CTIs from another input (IMPORT FROM), so results depend on how "
    "inputs are merged, and the reference alone merges them by arrival. --executor engine merges them by micro-batch."
)


@dataclass(frozen=True)
class Execution:
    """What runs a definition: the executor, rows for each input and micro-batch, and `said` to the user."""

    executor: ExecutorName
    rows_a_batch: int
    said: tuple[str, ...] = ()


def execution_of(options: Options, definition: Definition) -> Execution:
    """As the command line asks; else the engine, unless the meaning hangs on what it cannot do."""
    importing = [node for node, settings in definition.temporal.items() if settings.import_from is not None]
    executor, said = options.executor, tuple[str, ...]()
    if executor is None:
        executor = "reference" if importing else "engine"
        said = (MERGED.format(inputs=", ".join(importing)),) if importing else ()
    rows = options.rows_a_batch
    if rows is None:
        rows = rows_a_batch(executor, list(definition.files.values()), folded=executor != "spark" or _folds(definition))
    return Execution(executor, rows, said)


def executed(
    execution: Execution, definition: Definition, sources: Sequence[Source], sink: Results
) -> Mapping[str, Counted]:
    """Run, and import no other executor. Raises `RunError` and `AdapterError`."""
    graph, streams, rows = definition.graph, definition.streams, execution.rows_a_batch
    if execution.executor == "spark":
        from streaming.run.by_spark import run_spark

        return run_spark(graph, streams, definition.advance, sources, rows, sink)
    if execution.executor == "engine":
        from streaming.run.by_engine import run_engine

        return run_engine(graph, streams, definition.temporal, sources, rows, sink)
    from streaming.run.by_reference import run_reference

    return run_reference(graph, streams, definition.temporal, sources, rows, sink)


def _folds(definition: Definition) -> bool:
    """Whether all rows are folded where they are read, so that sums and not rows go through the JVM."""
    from streaming.planning.compile import compile_binding

    plan = compile_binding(definition.graph, definition.streams, definition.temporal, buckets=1)
    return all(branch.window is not None for each in plan.inputs.values() for branch in each.branches)
