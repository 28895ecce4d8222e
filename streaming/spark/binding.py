"""A binding as the processes of a carrier see it: built from its control entry alone, once in each process."""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from streaming.adapters.contract import InputAdapter
from streaming.adapters.registry import input_adapter
from streaming.definition.advance import temporal_settings
from streaming.definition.graph import InputNode
from streaming.definition.streams import StreamDefinition
from streaming.engine.compile import compile_binding
from streaming.engine.plan import Plan
from streaming.spark.control import AddBinding
from streaming.spark.journals import journaling
from streaming.spark.layout import CarrierFolder
from streaming.spark.revealing import revealed
from streaming.wire.messages import InputSpec, RunSpec

_REMEMBERED = 4_096
_BUILT: OrderedDict[tuple[str, int], "Binding"] = OrderedDict()


@dataclass(frozen=True)
class Binding:
    """A binding ready to run."""

    carrier: CarrierFolder
    added: AddBinding
    plan: Plan

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
            self.built.update(
                {
                    name: adapter_of(self.carrier, spec, name, streams[_stream_name(spec, name)])
                    for name in self.plan.inputs
                }
            )
        return self.built

    @property
    def bucket_ids(self) -> list[int]:
        """The ids of the buckets that the first stage of the plan uses; the second has the first of them."""
        return self.added.bucket_ids[: self.plan.buckets]

    @property
    def finals(self) -> tuple[str, ...]:
        """The inputs whose settings ask for CTI infinity when the run stops."""
        plans = self.plan.inputs.values()
        return tuple(each.node for each in plans if each.advance.generate and each.advance.generate.final)


def binding_of(carrier: CarrierFolder, entry: int) -> Binding:
    """The binding that control entry `entry` added. Raises `NotRunnable`, `LookupError`."""
    key = (carrier.location, entry)
    if key not in _BUILT:
        _BUILT[key] = _build(carrier, carrier.control.added(entry))
        if len(_BUILT) > _REMEMBERED:
            _BUILT.popitem(last=False)
    return _BUILT[key]


def _build(carrier: CarrierFolder, added: AddBinding) -> Binding:
    plan = _plan(added.spec, added.lanes, len(added.bucket_ids), carrier.settings.stages)
    return Binding(carrier, added, plan)


def needs_second_stage(spec: RunSpec) -> bool:
    """Whether `spec` in several buckets needs a second stage."""
    try:
        return _plan(spec, {}, buckets=2, stages=2).second is not None
    except Exception:  # noqa: BLE001 - the planner will say what is wrong with it, as for any other binding
        return False


def _plan(spec: RunSpec, lanes: Mapping[str, list[str]], buckets: int, stages: int) -> Plan:
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


def adapter_of(carrier: CarrierFolder, spec: RunSpec, name: str, stream: StreamDefinition) -> InputAdapter:
    """The adapter of input `name`, which journals under the carrier's folder; it alone holds the secrets of `spec`.

    Raises `AdapterError`.
    """
    choice = spec.inputs[name].adapter
    journal = f"{journals_of(spec.binding, shape_of(spec))}/{name}"
    options = revealed(spec.run, name, choice.options)
    return journaling(
        carrier,
        journal,
        lambda path: input_adapter(choice.kind, options, stream, carrier.files, path, carrier.settings.outgoing),
    )


def journals_of(binding: str, shape: str) -> str:
    """Where the adapters of a binding journal, below the carrier's folder."""
    return f"journals/{binding}-{shape[:12]}"


def shape_of(spec: RunSpec) -> str:
    """A digest of what state and positions depend on: a binding continues only under the same one."""
    inputs: Mapping[str, InputSpec] = spec.inputs
    parts = [spec.query.model_dump_json(), *(f"{name}={inputs[name].model_dump_json()}" for name in sorted(inputs))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _stream_name(spec: RunSpec, name: str) -> str:
    nodes = (node for node in spec.query.nodes if isinstance(node, InputNode))
    return next((node.stream for node in nodes if node.id == name), name)
