"""The choice of the executor and its default batch size, and the run itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from streaming.run.batch_rows import rows_a_batch
from streaming.run.definition import RunDefinition
from streaming.run.errors import RunFailed
from streaming.run.inputs.sources import InputSource, SourceInputs
from streaming.run.options import ExecutorName, RunOptions
from streaming.wire.execution.interface import Execute, ExecutionError, ExecutionSink, OutcomeCounts, QueryExecution

MERGED = (
    "By the reference executor: {inputs} takes its CTIs from another input (IMPORT FROM), so results depend on how "
    "inputs are merged, and the reference alone merges them by arrival. --executor engine merges them by micro-batch."
)


@dataclass(frozen=True)
class ExecutorChoice:
    """The executor of a definition, the rows for each input and micro-batch, and `messages` to the user."""

    executor: ExecutorName
    rows_a_batch: int
    messages: tuple[str, ...] = ()


def executor_choice(options: RunOptions, definition: RunDefinition) -> ExecutorChoice:
    """Return the choice of the command line.

    By default the engine, unless results depend on something that it cannot do.
    """
    importing = [node for node, settings in definition.temporal.items() if settings.import_from is not None]
    executor, messages = options.executor, tuple[str, ...]()
    if executor is None:
        executor = "reference" if importing else "engine"
        messages = (MERGED.format(inputs=", ".join(importing)),) if importing else ()
    rows = options.rows_a_batch
    if rows is None:
        rows = rows_a_batch(executor, list(definition.files.values()), folded=executor != "spark" or _folds(definition))
    return ExecutorChoice(executor, rows, messages)


def executed(
    choice: ExecutorChoice, definition: RunDefinition, sources: Sequence[InputSource], sink: ExecutionSink
) -> Mapping[str, OutcomeCounts]:
    """Run with this executor, without importing any other. Raises `RunError` and `AdapterError`."""
    rows, executor = choice.rows_a_batch, choice.executor
    inputs = SourceInputs(sources, rows, by_arrival=executor == "reference", read_there=executor == "spark")
    query = QueryExecution(definition.graph, definition.streams, inputs, definition.advance)
    try:
        return _front_door(executor, rows)(query, sink)
    except ExecutionError as error:
        raise RunFailed(str(error)) from None


def _front_door(executor: ExecutorName, rows: int) -> Execute:
    if executor == "engine":
        from streaming.engine.execution import execute as by_engine

        return by_engine
    if executor == "reference":
        from streaming.reference.execution import execute as by_reference

        return by_reference
    try:
        from streaming.spark.execution import execute as by_spark
    except ModuleNotFoundError as error:
        raise RunFailed(f"{error}; install the extra 'spark', or use --executor reference.") from None
    return partial(by_spark, rows_a_batch=rows)


def _folds(definition: RunDefinition) -> bool:
    """Return true if all rows are folded where they are read, so that sums and not rows go through the JVM."""
    from streaming.planning.compile import compile_binding

    plan = compile_binding(definition.graph, definition.streams, definition.temporal, buckets=1)
    return all(branch.window is not None for each in plan.inputs.values() for branch in each.branches)
