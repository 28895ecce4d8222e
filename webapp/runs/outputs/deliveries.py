"""What is known of deliveries: how far each has come, as its runner told it, and whether one needs a runner."""

import logging
from collections.abc import Mapping, Sequence
from typing import Final

import redis
from django.conf import settings
from pydantic import ValidationError
from redis.backoff import NoBackoff
from redis.retry import Retry

from streaming.wire import keys
from streaming.wire.deliveries import BindingDeliveries, DeliveryObserved, read_mark
from streaming.wire.results import committed_spans
from streaming.wire.storage import StoreUnreachable
from webapp.core.context import current_organisation
from webapp.runs.kept_folders import own_folder, shared_folder
from webapp.runs.lifecycle.liveness import PATIENCE_S, Liveness, liveness
from webapp.runs.models import Binding
from webapp.runs.outputs.bound_outputs import waiting_for_room, wanted_deliveries

SILENT: Final = "Nothing brings these rows now, for the runner went silent. It is being started again."
logger = logging.getLogger(__name__)


class DeliveryShown(DeliveryObserved):
    """A delivery as it is shown; `carried` is false while rows wait and the runner that brings them is not there."""

    carried: bool


def seen_deliveries() -> dict[str, DeliveryObserved]:
    """Return how far each delivery has come, by identity; nothing where Redis does not answer."""
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL,
            socket_timeout=PATIENCE_S,
            socket_connect_timeout=PATIENCE_S,
            retry=Retry(NoBackoff(), 0),
        ) as connection:
            return read_deliveries(connection)
    except redis.exceptions.RedisError:
        return {}


def read_deliveries(connection: "redis.Redis") -> dict[str, DeliveryObserved]:
    """Return the same, asked over `connection`. Raises `redis.RedisError`."""
    found = {}
    for content in connection.hvals(keys.delivered(str(current_organisation()))):
        try:
            seen = DeliveryObserved.model_validate_json(content)
        except ValidationError:
            logger.exception("the runner wrote of a delivery what cannot be read")
        else:
            found[seen.identity] = seen
    return found


def write_deliveries(connection: "redis.Redis") -> bool:
    """Tell the runner what to bring where, and forget what was; whether a runner is needed for it.

    Raises `redis.RedisError`.
    """
    organisation = str(current_organisation())
    wanted = waiting_for_room(wanted_deliveries(list(Binding.objects.exclude(outputs=[]))))
    key, told = keys.deliveries(organisation), keys.delivered(organisation)
    with connection.pipeline(transaction=True) as together:
        together.delete(key)
        if wanted:
            content = {binding: each.model_dump_json() for binding, each in wanted.items()}
            together.hset(key, mapping=content)  # type: ignore[arg-type]
        together.execute()
    seen = read_deliveries(connection)
    there = {target.identity for each in wanted.values() for target in each.targets}
    if gone := seen.keys() - there:
        connection.hdel(told, *gone)
    return any(_needs_runner(each, seen) for each in wanted.values())


def _needs_runner(wanted: BindingDeliveries, seen: Mapping[str, DeliveryObserved]) -> bool:
    """Whether batches wait for one of its targets that nobody has to mend first, as the disk says.

    What a runner told last may be of before its last batch: one that dies in between tells nothing of it.
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
    """Return what was seen as it is to be shown: nothing is all delivered while batches up to `last` have not been."""
    if seen.state != "current" or (-1 if seen.delivered is None else seen.delivered) >= last:
        return seen
    return seen.model_copy(update={"state": "behind"})


def shown_delivery(
    binding: Binding, seen: DeliveryObserved | None, alive: Liveness | None = None
) -> DeliveryShown | None:
    """Return how far a delivery of `binding` has come, held against what is committed.

    `alive`: what is known of its runner, asked where it matters if nothing is said.
    """
    if seen is None:
        return None
    wanted = wanted_deliveries([binding]).get(str(binding.pk))
    found = seen if wanted is None else as_committed(seen, _last_if_known(wanted))
    if found.state in ("current", "stopped"):
        return DeliveryShown(**dict(found), carried=True)
    if (alive or liveness(str(current_organisation()))).lease is not None:
        return DeliveryShown(**dict(found), carried=True)
    why = SILENT if found.message is None else f"{found.message} {SILENT}"
    unattended = {"message": why, "domain": found.domain or "internal", "retry_at": None}
    return DeliveryShown(**{**dict(found), **unattended}, carried=False)


def _last_committed(wanted: BindingDeliveries) -> int:
    """The number of the last committed batch; -1: there is none."""
    spans = committed_spans(shared_folder().within(wanted.results))
    return spans[-1].last if spans else -1


def _last_if_known(wanted: BindingDeliveries) -> int:
    """The same; -1 too while the store of results does not answer: then what was told last is all that is known."""
    try:
        return _last_committed(wanted)
    except StoreUnreachable:
        logger.exception("what binding %s has committed cannot be asked", wanted.binding)
        return -1


def still_to_bring(binding: Binding) -> Sequence[str]:
    """Return the nodes of the outputs for which rows of `binding` have still to be brought somewhere, as is known."""
    wanted = wanted_deliveries([binding]).get(str(binding.pk))
    if wanted is None:
        return []
    folder = own_folder() / wanted.results
    last = _last_committed(wanted)
    found = []
    for target in wanted.targets:
        mark = read_mark(folder, target.identity)
        if last >= 0 and (mark is None or mark.delivered is None or mark.delivered < last):
            found.append(target.node)
    return found
