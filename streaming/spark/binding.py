"""A binding as the processes of a carrier see it: built from its control entry alone, once in each process."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from pydantic import TypeAdapter

from streaming.adapters.contract import InputAdapter
from streaming.adapters.network.fetching import Reach
from streaming.adapters.registry import input_adapter
from streaming.definition.advance import temporal_settings
from streaming.definition.graph import InputNode
from streaming.definition.streams import StreamDefinition
from streaming.planning.compile import compile_binding
from streaming.planning.plan import QueryPlan
from streaming.spark.control import AddBinding
from streaming.spark.journals import journaling
from streaming.spark.layout import CarrierFolder
from streaming.spark.secret_client import revealed
from streaming.wire.beginning import RunBeginning
from streaming.wire.deliveries import reader_name
from streaming.wire.kept import BindingFacts, beginning_path, facts_of, first_lanes_path, journals_place
from streaming.wire.lanes_kept import LaneKept
from streaming.wire.messages import RunSpec
from streaming.wire.storage import BlobFolder

_FIRST_LANES: TypeAdapter[dict[str, dict[str, LaneKept]]] = TypeAdapter(dict[str, dict[str, LaneKept]])
_UNUSED_S: Final = 600.0
"""So long nobody has asked for a binding that is forgotten: it has ended. A number of them would be no bound: one too
many, asked for in turns, and each would be built in every turn."""
_LOOK_EVERY_S: Final = 60.0


@dataclass(frozen=True)
class RunnableBinding:
    """A binding ready to run."""

    carrier: CarrierFolder
    added: AddBinding
    plan: QueryPlan

    built: dict[str, InputAdapter] = field(default_factory=dict, repr=False, compare=False)

    @property
    def adapters(self) -> Mapping[str, InputAdapter]:
        """The adapters by input node id. Raises `AdapterError`.

        Built by those who read, not by operators, sink or a stop: these need no secret, and at them the fault of one
        binding would be everybody's. No lock is held meanwhile: one that hangs would hold those of all bindings.
        """
        if not self.built:
            spec, lanes = self.added.spec, self.added.lanes
            streams = streams_of(spec, lanes)
            journals = self.added.journals
            self.built.update(
                {
                    name: adapter_of(self.carrier, spec, name, streams[_stream_name(spec, name)], journals)
                    for name in self.plan.inputs
                }
            )
        return self.built

    @property
    def bucket_ids(self) -> list[int]:
        """The ids of the buckets that the first stage of the plan uses; the second has the first of them."""
        return self.added.bucket_ids[: self.plan.buckets]

    @cached_property
    def facts(self) -> BindingFacts:
        """What decides what may be kept of it."""
        return facts_of(self.added.spec)

    @cached_property
    def beginning(self) -> RunBeginning | None:
        """How its run began; None where it is the first of its binding, or went on whole. Raises `OSError`.

        Asked in batches alone: the planner has written it before the first.
        """
        spec = self.added.spec
        content = self.carrier.shared_of(spec.organisation).read(beginning_path(spec.binding, spec.run))
        return None if content is None else RunBeginning.model_validate_json(content)

    @cached_property
    def first_lanes(self) -> dict[str, dict[str, LaneKept]]:
        """What its lanes, by input, begin with in the batch in which its run begins. Raises `OSError`."""
        spec = self.added.spec
        return first_lanes_of(self.carrier.shared_of(spec.organisation), spec.binding, spec.run)

    @property
    def finals(self) -> tuple[str, ...]:
        """The inputs whose settings ask for CTI infinity when the run stops."""
        plans = self.plan.inputs.values()
        return tuple(each.node for each in plans if each.advance.generate and each.advance.generate.final)


def first_lanes_of(shared: BlobFolder, binding: str, run: str) -> dict[str, dict[str, LaneKept]]:
    """What lanes of `run` began with, by input; those that are not there began at their beginning. Raises `OSError`."""
    content = shared.read(first_lanes_path(binding, run))
    return {} if content is None else _FIRST_LANES.validate_json(content)


class BuiltBindings:
    """What this process has built, as long as it is asked for."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._known: dict[tuple[str, int], RunnableBinding] = {}
        self._used: dict[tuple[str, int], float] = {}
        self._next_look = monotonic() + _LOOK_EVERY_S

    def of(self, key: tuple[str, int], build: Callable[[], RunnableBinding]) -> RunnableBinding:
        """The binding `key`, which `build` makes where it is not known."""
        now = self._monotonic()
        if now > self._next_look:
            self._next_look = now + _LOOK_EVERY_S
            for each in [each for each, used in list(self._used.items()) if used < now - _UNUSED_S]:
                self._known.pop(each, None)
                self._used.pop(each, None)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = build()
        self._used[key] = now
        return found

    def clear(self) -> None:
        """Forget all, as another process would know nothing."""
        self._known.clear()
        self._used.clear()


_BUILT: Final = BuiltBindings()


def binding_of(carrier: CarrierFolder, entry: int) -> RunnableBinding:
    """The binding that control entry `entry` added. Raises `NotRunnable`, `LookupError`."""
    return _BUILT.of((carrier.location, entry), lambda: _build(carrier, carrier.control.added(entry)))


def _build(carrier: CarrierFolder, added: AddBinding) -> RunnableBinding:
    plan = _plan(added.spec, added.lanes, len(added.bucket_ids), carrier.settings.stages)
    return RunnableBinding(carrier, added, plan)


def needs_second_stage(spec: RunSpec) -> bool:
    """Whether `spec` in several buckets needs a second stage."""
    try:
        return _plan(spec, {}, buckets=2, stages=2).second is not None
    except Exception:  # noqa: BLE001 - the planner will say what is wrong with it, as for any other binding
        return False


def _plan(spec: RunSpec, lanes: Mapping[str, list[str]], buckets: int, stages: int) -> QueryPlan:
    streams = streams_of(spec, lanes)
    said = {name: each.advance for name, each in spec.inputs.items() if each.advance is not None}
    return compile_binding(spec.query, streams, temporal_settings(spec.query, streams, said), buckets, stages)


def streams_of(spec: RunSpec, lanes: Mapping[str, list[str]]) -> dict[str, StreamDefinition]:
    """The streams of `spec` by name, with the journaled `lanes` of their adapters where they list none."""
    found = {}
    for name, item in spec.inputs.items():
        known = item.stream.lanes or lanes.get(name)
        found[_stream_name(spec, name)] = item.stream.model_copy(update={"lanes": known})
    return found


def adapter_of(
    carrier: CarrierFolder, spec: RunSpec, name: str, stream: StreamDefinition, journals: str = ""
) -> InputAdapter:
    """The adapter of input `name`, which journals under the carrier's folder; it alone holds the secrets of `spec`.

    With `journals` it finds there what another one journals. Raises `AdapterError`.
    """
    choice = spec.inputs[name].adapter
    journal = f"{journals or journals_of(carrier, spec)}/{name}"
    options = revealed(spec.run, name, choice.options, spec.organisation)
    files = carrier.files_of(spec.organisation)
    reach = Reach(carrier.settings.outgoing, holder=reader_name(spec.binding, name))
    return journaling(
        carrier,
        journal,
        lambda path: input_adapter(choice.kind, options, stream, files, path, reach),
    )


def journals_of(carrier: CarrierFolder, spec: RunSpec) -> str:
    """Where the adapters of a binding journal, below the carrier's folder."""
    return journals_place(spec, carrier.control.name_of(spec))


def _stream_name(spec: RunSpec, name: str) -> str:
    nodes = (node for node in spec.query.nodes if isinstance(node, InputNode))
    return next((node.stream for node in nodes if node.id == name), name)
