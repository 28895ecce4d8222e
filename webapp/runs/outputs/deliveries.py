"""The progress of deliveries, as reported by their runners, and whether one of them needs a runner."""

import logging
from collections.abc import Mapping, Sequence
from typing import Final

import redis
from django.conf import settings
from pydantic import ValidationError

from streaming.definition.faults import Fault, FaultCode
from streaming.storage.blobs import StoreUnreachable
from streaming.storage.deliveries_paused import PAUSED, are_paused
from streaming.storage.results import committed_spans
from streaming.wire import keys
from streaming.wire.deliveries import BindingDeliveries, DeliveryObserved, DeliveryTarget, read_mark
from webapp.core.context import current_organisation
from webapp.core.errors import fault
from webapp.runs.kept_folders import own_folder, shared_folder
from webapp.runs.lifecycle.liveness import Liveness, impatient_redis, liveness
from webapp.runs.models import Binding
from webapp.runs.outputs.bound_outputs import BoundOutput, outputs_of, waiting, waiting_for_room, wanted_deliveries

SILENT: Final = "These rows are not being delivered, because the runner stopped responding. It is being restarted."
logger = logging.getLogger(__name__)


class DeliveryResponse(DeliveryObserved):
    """A delivery as the API shows it; `carried` is false while rows wait and no runner is there to deliver them."""

    carried: bool


def seen_deliveries() -> dict[str, DeliveryObserved]:
    """Return the progress of each delivery, by identity; empty if Redis does not answer."""
    try:
        with impatient_redis() as connection:
            return read_deliveries(connection)
    except redis.exceptions.RedisError:
        return {}


def stopped_deliveries() -> set[str]:
    """Return the identities of deliveries that wait for a person to act; empty if Redis does not answer."""
    return {identity for identity, seen in seen_deliveries().items() if seen.state == "stopped"}


def read_deliveries(connection: "redis.Redis") -> dict[str, DeliveryObserved]:
    """Return the progress of each delivery, by identity, read over `connection`. Raises `redis.RedisError`."""
    found = {}
    for content in connection.hvals(keys.delivered(str(current_organisation()))):
        try:
            seen = DeliveryObserved.model_validate_json(content)
        except ValidationError:
            logger.exception("the runner's report on a delivery cannot be read")
        else:
            found[seen.identity] = seen
    return found


def write_deliveries(connection: "redis.Redis") -> bool:
    """Write the deliveries that the runner is to make, delete stale reports, and return whether a runner is needed.

    Raises `redis.RedisError`.
    """
    organisation = str(current_organisation())
    wanted = waiting_for_room(wanted_deliveries(list(Binding.objects.exclude(outputs=[]))))
    if are_paused(settings.PUNCTUAL_DATA):
        wanted = waiting(wanted, PAUSED)
    key, reports = keys.deliveries(organisation), keys.delivered(organisation)
    with connection.pipeline(transaction=True) as together:
        together.delete(key)
        if wanted:
            content = {binding: each.model_dump_json() for binding, each in wanted.items()}
            together.hset(key, mapping=content)  # type: ignore[arg-type]
        together.execute()
    seen = read_deliveries(connection)
    there = {target.identity for each in wanted.values() for target in each.targets}
    if gone := seen.keys() - there:
        connection.hdel(reports, *gone)
    return any(_needs_runner(each, seen) for each in wanted.values())


def _needs_runner(wanted: BindingDeliveries, seen: Mapping[str, DeliveryObserved]) -> bool:
    """Return whether batches on disk wait for a target that needs no person to act first.

    The runner's last report may be older than its last batch: a runner that dies in between reports nothing of it.
    """
    last = _last_if_known(wanted)
    for target in wanted.targets:
        known = seen.get(target.identity)
        if known is None or known.revision != target.revision:
            if last >= 0:
                return True
        elif known.outstanding or as_committed(known, last) is not known:
            return True
    return False


def as_committed(seen: DeliveryObserved, last: int) -> DeliveryObserved:
    """Return the delivery as shown: it is not `current` while batches up to `last` have not been delivered."""
    if seen.state != "current" or (-1 if seen.delivered is None else seen.delivered) >= last:
        return seen
    return seen.model_copy(update={"state": "behind"})


def shown_delivery(
    binding: Binding, seen: DeliveryObserved | None, alive: Liveness | None = None
) -> DeliveryResponse | None:
    """Return the progress of a delivery of `binding`, compared with the committed batches.

    `alive`: the state of its runner, queried if needed and None.
    """
    if seen is None:
        return None
    wanted = wanted_deliveries([binding]).get(str(binding.pk))
    found = seen if wanted is None else as_committed(seen, _last_if_known(wanted))
    if found.state in ("current", "stopped"):
        return DeliveryResponse(**dict(found), carried=True)
    if (alive or liveness(str(current_organisation()))).lease is not None:
        return DeliveryResponse(**dict(found), carried=True)
    why = SILENT if found.message is None else f"{found.message} {SILENT}"
    unattended = {"message": why, "domain": found.domain or "internal", "retry_at": None}
    return DeliveryResponse(**{**dict(found), **unattended}, carried=False)


def _last_committed(wanted: BindingDeliveries) -> int:
    """Return the number of the last committed batch; -1 without one."""
    spans = committed_spans(shared_folder().within(wanted.results))
    return spans[-1].last if spans else -1


def _last_if_known(wanted: BindingDeliveries) -> int:
    """Return the number of the last committed batch; -1 also while the store of results does not answer."""
    try:
        return _last_committed(wanted)
    except StoreUnreachable:
        logger.exception("the committed batches of binding %s cannot be read", wanted.binding)
        return -1


def still_to_bring(binding: Binding) -> Sequence[str]:
    """Return the nodes of the outputs to which not all rows of `binding` are delivered, as far as known."""
    return [target.node for target in _behind(binding)]


def nodes_changed_too_soon(binding: Binding, outputs: Sequence[BoundOutput]) -> list[Fault]:
    """Return an error for each output whose node changes while rows of its present node wait for delivery.

    An output delivers the rows of one node, so these rows would never be delivered.
    """
    nodes = {each.identity: each.node for each in outputs_of(binding)}
    changed = {each.identity for each in outputs if nodes.get(each.identity, each.node) != each.node}
    waiting = {target.identity for target in _behind(binding)} if changed else set()
    return [
        fault(
            FaultCode.BAD_ADAPTER,
            f"Rows of {nodes[each.identity]} are still waiting for this output.",
            f"Wait until they are delivered, or add a new output for {each.node} next to this one.",
            field=f"outputs.{place}.node",
        )
        for place, each in enumerate(outputs)
        if each.identity in changed & waiting
    ]


def _behind(binding: Binding) -> list[DeliveryTarget]:
    """The targets to which not all rows of `binding` are delivered, as far as known."""
    wanted = wanted_deliveries([binding]).get(str(binding.pk))
    if wanted is None:
        return []
    folder = own_folder() / wanted.results
    last = _last_committed(wanted)
    found = []
    for target in wanted.targets:
        mark = read_mark(folder, target.identity)
        if last >= 0 and (mark is None or mark.delivered is None or mark.delivered < last):
            found.append(target)
    return found
