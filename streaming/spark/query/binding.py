"""A runnable binding, built from its control entry alone, once in each process of a carrier."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from streaming.adapters.contract import InputAdapter
from streaming.adapters.network.fetching import Reach
from streaming.adapters.registry import input_adapter
from streaming.definition.checks.advance import temporal_settings
from streaming.definition.graph import InputNode
from streaming.definition.streams.stream import AdapterChoice, StreamDefinition
from streaming.planning.compile import compile_binding
from streaming.planning.plan import NotRunnable, QueryPlan
from streaming.resume.lane_positions import LaneState
from streaming.resume.restart_points import BindingFacts, beginning_path, facts_of, first_lanes_path, journals_place
from streaming.spark.query.control import AddBinding
from streaming.spark.query.history_input import joined_adapter
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.session.secret_client import reveal_secrets
from streaming.storage.blobs import BlobFolder
from streaming.wasm.modules import UnknownModule, load, named_modules
from streaming.wire.beginning import RunBeginning
from streaming.wire.deliveries import reader_name
from streaming.wire.messages import RunSpec

_FIRST_LANES: TypeAdapter[dict[str, dict[str, LaneState]]] = TypeAdapter(dict[str, dict[str, LaneState]])
_UNUSED_S: Final = 600.0
"""After this time without a request a binding has ended, and is forgotten.

A limit on their number would not do: with one binding too many, each would be built again at every request."""
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

        Only readers build them, not operators, the sink or a stop: those need no secrets, and there the fault of one
        binding would be everybody's. No lock is held during the build: a build that hangs would block all bindings.
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
        """The ids of the buckets that the first stage of the plan uses; the second stage uses the first id."""
        return self.added.bucket_ids[: self.plan.buckets]

    @cached_property
    def facts(self) -> BindingFacts:
        """The facts that decide which saved state the binding can use."""
        return facts_of(self.added.spec)

    @cached_property
    def beginning(self) -> RunBeginning | None:
        """The start position of the run; None for the first run of a binding, or a run resumed whole. Raises `OSError`.

        Read only in batches: the planner has written it before the first batch.
        """
        spec = self.added.spec
        content = self.carrier.shared_of(spec.organisation).read(beginning_path(spec.binding, spec.run))
        return None if content is None else RunBeginning.model_validate_json(content)

    @cached_property
    def first_lanes(self) -> dict[str, dict[str, LaneState]]:
        """The first state of each lane, by input, in the batch in which the run starts. Raises `OSError`."""
        spec = self.added.spec
        return first_lanes_of(self.carrier.shared_of(spec.organisation), spec.binding, spec.run)

    @property
    def finals(self) -> tuple[str, ...]:
        """The inputs whose settings ask for CTI infinity when the run stops."""
        plans = self.plan.inputs.values()
        return tuple(each.node for each in plans if each.advance.generate and each.advance.generate.final)


def first_lanes_of(shared: BlobFolder, binding: str, run: str) -> dict[str, dict[str, LaneState]]:
    """Return the first states of the lanes of `run`, by input; others start at the first row. Raises `OSError`."""
    content = shared.read(first_lanes_path(binding, run))
    return {} if content is None else _FIRST_LANES.validate_json(content)


class BuiltBindings:
    """The bindings that this process has built, until they are unused."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._known: dict[tuple[str, int], RunnableBinding] = {}
        self._used: dict[tuple[str, int], float] = {}
        self._next_look = monotonic() + _LOOK_EVERY_S

    def of(self, key: tuple[str, int], build: Callable[[], RunnableBinding]) -> RunnableBinding:
        """Return the binding `key`; `build` makes it if it is missing."""
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
        """Forget all bindings, as in a new process."""
        self._known.clear()
        self._used.clear()


_BUILT: Final = BuiltBindings()


def binding_of(carrier: CarrierFolder, entry: int) -> RunnableBinding:
    """Return the binding that control entry `entry` added. Raises `NotRunnable`, `LookupError`."""
    return _BUILT.of((carrier.location, entry), lambda: _build(carrier, carrier.control.added(entry)))


def _build(carrier: CarrierFolder, added: AddBinding) -> RunnableBinding:
    try:
        load(carrier.modules_of(added.spec.organisation), named_modules(added.spec.query))
    except UnknownModule as error:
        raise NotRunnable(str(error)) from None
    plan = _plan(added.spec, added.lanes, len(added.bucket_ids), carrier.settings.stages)
    return RunnableBinding(carrier, added, plan)


def needs_second_stage(spec: RunSpec) -> bool:
    """Return True if `spec` in several buckets needs a second stage."""
    try:
        return _plan(spec, {}, buckets=2, stages=2).second is not None
    except Exception:  # noqa: BLE001 - the planner reports the problem, as for any other binding
        return False


def _plan(spec: RunSpec, lanes: Mapping[str, list[str]], buckets: int, stages: int) -> QueryPlan:
    streams = streams_of(spec, lanes)
    advance = {name: each.advance for name, each in spec.inputs.items() if each.advance is not None}
    return compile_binding(spec.query, streams, temporal_settings(spec.query, streams, advance), buckets, stages)


def streams_of(spec: RunSpec, lanes: Mapping[str, list[str]]) -> dict[str, StreamDefinition]:
    """Return the streams of `spec` by name; a stream without a list of lanes gets the journaled `lanes`."""
    found = {}
    for name, item in spec.inputs.items():
        known = item.stream.lanes or lanes.get(name)
        found[_stream_name(spec, name)] = item.stream.model_copy(update={"lanes": known})
    return found


def adapter_of(
    carrier: CarrierFolder, spec: RunSpec, name: str, stream: StreamDefinition, journals: str = ""
) -> InputAdapter:
    """Return the adapter of input `name`, with its journal in the carrier's folder.

    Only the adapter receives the secrets of `spec`. With `journals` it uses the journals of another run.
    Raises `AdapterError`.
    """
    journal = f"{journals or journals_of(carrier, spec)}/{name}"
    files = carrier.files_of(spec.organisation)
    reach = Reach(carrier.settings.outgoing, holder=reader_name(spec.binding, name))

    def build(choice: AdapterChoice, stream: StreamDefinition, path: Path) -> InputAdapter:
        options = reveal_secrets(spec.run, name, choice.options, spec.organisation)
        return input_adapter(choice.kind, options, stream, files, path, reach)

    return joined_adapter(carrier, journal, spec.inputs[name].adapter, stream, build)


def journals_of(carrier: CarrierFolder, spec: RunSpec) -> str:
    """Return the folder of the journals of a binding's adapters, below the carrier's folder."""
    return journals_place(spec, carrier.control.name_of(spec))


def _stream_name(spec: RunSpec, name: str) -> str:
    nodes = (node for node in spec.query.nodes if isinstance(node, InputNode))
    return next((node.stream for node in nodes if node.id == name), name)
