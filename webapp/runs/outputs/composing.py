"""Bindings that read the results of other bindings: their graph, which has no cycle, and the results kept for them.

A stream whose adapter is of kind `binding` names, by id, the binding that feeds it, and an output of its query.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final
from uuid import UUID

from streaming.adapters.binding.options import KIND_NAME
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.graph import OutputNode, QueryGraph
from streaming.definition.streams.stream import AdapterChoice, StreamDefinition
from streaming.storage.result_location import RESULTS
from streaming.storage.results import committed_spans
from streaming.wire.deliveries import READERS, marks_in, read_mark, reader_name, tend_readers
from webapp.core.errors import Faulty, fault
from webapp.core.turns import alone
from webapp.core.uses import ObjectUse, register_uses
from webapp.runs.access import bound_inputs, listed_bindings
from webapp.runs.bound_inputs import BoundInput
from webapp.runs.kept_folders import own_folder, rows_beside, rows_folder
from webapp.runs.models import Binding, BindingInput, Run
from webapp.runs.outputs.given_outputs import ReadOutput, misfits
from webapp.streams.access import stream_definitions
from webapp.streams.models import Stream
from webapp.streams.services import register_check, stream_written

COMPOSED: Final = "composed bindings"
"""The name of the lock under which compositions change one after the other."""
_TOGETHER: Final[ContextVar[bool]] = ContextVar("composed_together", default=False)
_CIRCLE_REMEDY = "Let one of them read something else."
_LIST_REMEDY = "Choose one of your bindings, by its id."


@dataclass(frozen=True)
class Feed:
    """The source of a stream: the output `output` of the binding with the id `binding`."""

    binding: str
    output: str


@dataclass(frozen=True)
class FedInput:
    """The input `node` of the binding `reader`, which reads `feed` through `stream`."""

    reader: Binding
    node: str
    stream: Stream
    feed: Feed


def feed_of(adapter: AdapterChoice | dict[str, Any]) -> Feed | None:
    """Return the source of a stream with `adapter`; None if its rows don't come from a binding."""
    choice = adapter if isinstance(adapter, AdapterChoice) else AdapterChoice.model_validate(adapter)
    if choice.kind != KIND_NAME:
        return None
    return Feed(str(choice.options.get("binding", "")), str(choice.options.get("output", "")))


def fed_streams() -> dict[UUID, tuple[Stream, Feed]]:
    """Return the streams that read results of bindings, by id, each with its source."""
    found = {}
    for stream in Stream.objects.filter(adapter__kind=KIND_NAME).order_by("name"):
        feed = feed_of(stream.adapter)
        if feed is not None:
            found[stream.pk] = (stream, feed)
    return found


def readings() -> list[FedInput]:
    """Return the stored inputs of bindings that read results of other bindings."""
    streams = fed_streams()
    inputs = BindingInput.objects.filter(stream__in=streams.keys()).select_related("binding")
    return [FedInput(each.binding, each.node, *streams[each.stream_id]) for each in inputs]


def check_composed() -> None:
    """Raise `Faulty` if the written definitions form a cycle; call it in the transaction that writes them.

    Inputs of open runs count too.
    """
    alone(COMPOSED)
    reads: dict[str, set[str]] = {}
    for each in readings():
        reads.setdefault(str(each.reader.pk), set()).add(each.feed.binding)
    for run in Run.objects.filter(ended_at__isnull=True).only("binding_id", "spec"):
        for read in run.spec["inputs"].values():
            if (feed := feed_of(read["adapter"])) is not None:
                reads.setdefault(str(run.binding_id), set()).add(feed.binding)
    try:
        TopologicalSorter(reads).prepare()
    except CycleError as error:
        found = error.args[1]
        names = {str(pk): name for pk, name in Binding.objects.filter(pk__in=found).values_list("pk", "name")}
        raise Faulty([circle_fault([names.get(each, each) for each in reversed(found)])]) from None


def circle_fault(called: Sequence[str]) -> Fault:
    """Return the error for a cycle of bindings, by name; each reads the next, and the last is the first again."""
    if len(called) == 2:
        message = f"The binding {called[0]} would read its own results."
    else:
        chain = ", which reads those of ".join(called[1:])
        message = f"The binding {called[0]} would read the results of {chain}: each would wait for itself."
    return fault(FaultCode.CYCLE, message, _CIRCLE_REMEDY, field="inputs")


@contextmanager
def composed_together() -> Iterator[None]:
    """Check definitions once, at the end of the part of a transaction that writes several of them.

    Until then a stream may read a binding that is yet to be written. Raises `Faulty`.
    """
    asked_later = _TOGETHER.set(True)
    try:
        yield
    finally:
        _TOGETHER.reset(asked_later)
    check_composed()
    faults = [each for _, feed in fed_streams().values() for each in feed_faults(feed)]
    if faults:
        raise Faulty(faults)


def mark_faults(adapter: AdapterChoice) -> list[Fault]:
    """Return the error of a stream that sets the mark of a reader, which only a launch may set."""
    if feed_of(adapter) is None or "reader" not in adapter.options:
        return []
    return [_of_option("reader", "Unknown field 'reader'.", "Leave it out.")]


def check_feed(stream: Stream) -> None:
    """Raise `Faulty` if `stream`, which is being written, reads a missing output or closes a cycle."""
    adapter = stream.read_adapter()
    feed = feed_of(adapter)
    if feed is None:
        return
    if faults := mark_faults(adapter):
        raise Faulty(faults)
    if _TOGETHER.get():
        return
    check_composed()
    faults = feed_faults(feed)
    if faults:
        raise Faulty(faults)


def feed_faults(feed: Feed) -> list[Fault]:
    """Return the errors in the binding and the output that `feed` names."""
    binding = Binding.objects.filter(pk=feed.binding).select_related("query_version").first()
    if binding is None:
        return [_of_option("binding", "No binding has this id.", _LIST_REMEDY)]
    outputs = [node.id for node in binding.query_version.read_graph().nodes if isinstance(node, OutputNode)]
    if feed.output not in outputs:
        message = f"The query of the binding {binding.name} has no output {feed.output}."
        return [_of_option("output", message, f"Its outputs are {', '.join(outputs)}.")]
    return []


def _of_option(option: str, message: str, remedy: str) -> Fault:
    return fault(FaultCode.BAD_ADAPTER, message, remedy, field=f"adapter.options.{option}")


def check_read_outputs(binding: Binding) -> None:
    """Raise `Faulty` if the written version of `binding` lacks an output that streams read."""
    if _TOGETHER.get():
        return
    check_composed()
    outputs = {node.id for node in binding.query_version.read_graph().nodes if isinstance(node, OutputNode)}
    faults = []
    for stream, feed in fed_streams().values():
        if feed.binding == str(binding.pk) and feed.output not in outputs:
            message = f"The stream {stream.name} reads the output {feed.output}, which this version does not have."
            remedy = "Keep that output, or change or delete the stream first."
            faults.append(fault(FaultCode.IN_USE, message, remedy, field="query_version"))
    if faults:
        raise Faulty(faults)


def check_fed(definition: StreamDefinition, adapter: AdapterChoice) -> list[Fault]:
    """Return why a stream of `definition` can't take the results of the output that `adapter` names."""
    feed = feed_of(adapter)
    if feed is None:
        return []
    if faults := feed_faults(feed):
        return faults
    binding = listed_bindings().get(pk=feed.binding)
    read = ReadOutput(name="", output=feed.output, definition=definition)
    return misfits(binding.query_version.read_graph(), bound_inputs(binding), stream_definitions(), [read])


def input_faults(inputs: Mapping[str, BoundInput]) -> list[Fault]:
    """Return why inputs that read results of other bindings can't take their present results, each with its node."""
    return [
        each.model_copy(update={"node": node})
        for node, bound in inputs.items()
        for each in check_fed(bound.stream.read_definition(), bound.stream.read_adapter())
    ]


def reader_faults(
    binding: Binding,
    graph: QueryGraph,
    inputs: Mapping[str, BoundInput],
    streams: Mapping[str, StreamDefinition],
) -> list[Fault]:
    """Return why streams that read results of `binding` couldn't take those of `graph` with `inputs`."""
    if binding._state.adding:
        return []
    read = [
        ReadOutput(name=stream.name, output=feed.output, definition=stream.read_definition())
        for stream, feed in fed_streams().values()
        if feed.binding == str(binding.pk)
    ]
    if not read:
        return []
    faults = misfits(graph, inputs, streams, read)
    return [each.model_copy(update={"field": "query_version"}) for each in faults]


def with_reader(adapter: AdapterChoice, binding: UUID, node: str) -> AdapterChoice:
    """Return `adapter` for a run of `binding`: with the name of the mark that keeps the results it has yet to read."""
    if adapter.kind != KIND_NAME:
        return adapter
    return adapter.model_copy(update={"options": {**adapter.options, "reader": reader_name(str(binding), node)}})


def keep_for_readers() -> None:
    """Protect the results that bindings have yet to read from deletion, and release all others.

    Level-triggered. Raises `OSError`.
    """
    wanted: dict[str, set[str]] = {}
    for each in readings():
        wanted.setdefault(each.feed.binding, set()).add(reader_name(str(each.reader.pk), each.node))
    there = {path.parent.name for path in (own_folder() / RESULTS).glob(f"*/{READERS}")}
    for feeder in there | wanted.keys():
        tend_readers(own_folder() / RESULTS / feeder, wanted.get(feeder, set()))


def readers_of(binding: Binding) -> list[str]:
    """Return the names of the bindings that read results of `binding`, as stored."""
    return sorted({each.reader.name for each in readings() if each.feed.binding == str(binding.pk)})


def still_to_read(binding: Binding) -> list[str]:
    """Return the names of the bindings that have not read all results of `binding`, as far as known."""
    folder = rows_beside(binding.pk)
    spans = committed_spans(rows_folder(binding.pk))
    if not spans:
        return []
    behind = [
        name
        for name in marks_in(folder, READERS)
        if (mark := read_mark(folder, name, READERS)) is None
        or mark.delivered is None
        or mark.delivered < spans[-1].last
    ]
    return _names(name.partition(".")[0] for name in behind)


def _names(bindings: Iterable[str]) -> list[str]:
    wanted: Collection[str] = set(bindings)
    return sorted(Binding.objects.filter(pk__in=wanted).values_list("name", flat=True))


def _uses(binding: UUID, _: str) -> list[ObjectUse]:
    return [
        ObjectUse(kind="stream", id=str(stream.pk), name=stream.name, says=f"reads its output {feed.output}")
        for stream, feed in fed_streams().values()
        if feed.binding == str(binding)
    ]


def _on_stream_written(sender: object, stream: Stream, **_: object) -> None:  # noqa: ARG001
    check_feed(stream)


register_uses("binding", _uses)
register_check(check_fed)
stream_written.connect(_on_stream_written, dispatch_uid="composing")
