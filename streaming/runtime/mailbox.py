"""The runner's side of Redis: what is desired, what was seen, reports, and the lease."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import redis
from pydantic import ValidationError

from streaming.runtime.secret_server import SecretKeeper
from streaming.wire import keys
from streaming.wire.deliveries import BindingDeliveries, DeliveryObserved
from streaming.wire.messages import ProgressReport, RunIncident, RunLimits, RunnerLease, RunObserved, RunSpec
from streaming.wire.sealed import Keyring

log = logging.getLogger(__name__)

_RENEW = """
local held = redis.call('get', KEYS[1])
if held and cjson.decode(held)['token'] ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
"""
_RELEASE = """
local held = redis.call('get', KEYS[1])
if held and cjson.decode(held)['token'] == ARGV[1] then redis.call('del', KEYS[1]) end
return 1
"""


class Mailbox:
    """One organisation's keys. Every method raises `redis.RedisError` when Redis cannot be reached."""

    def __init__(
        self,
        connection: "redis.Redis",
        organisation: str,
        keeper: SecretKeeper | None = None,
        *,
        own_alone: bool = False,
    ) -> None:
        """With `own_alone` what is desired for another organisation is refused, where it could be had."""
        self._redis = connection
        self._organisation = organisation
        self.keeper = keeper or SecretKeeper(Keyring([]))
        self._own_alone = own_alone
        self._desired: tuple[Mapping[Any, Any], dict[str, RunSpec]] | None = None

    def desired(self) -> dict[str, RunSpec]:
        """What is desired, by binding, its secrets left with the keeper; an entry that cannot be read is logged only.

        It is read anew when it has changed: a runner asks twice a second, of perhaps a thousand bindings.

        Raises `KeysOutdated`.
        """
        found: dict[str, RunSpec] = {}
        told = self._redis.hgetall(keys.desired(self._organisation))
        if self._desired is not None and self._desired[0] == told:
            return dict(self._desired[1])
        for name, content in told.items():
            binding = name.decode() if isinstance(name, bytes) else name
            try:
                found[binding] = self._read(content)
            except ValidationError:
                log.exception("what is desired of binding %s cannot be read", binding)
            except PermissionError:
                log.error("what is desired of binding %s is of another organisation, and refused", binding)
        self._desired = (told, self.keeper.take(found))
        return dict(self._desired[1])

    def _read(self, content: bytes | str) -> RunSpec:
        spec = RunSpec.model_validate_json(content)
        if self._own_alone and spec.organisation != self._organisation:
            raise PermissionError
        return spec

    def place(self) -> str | None:
        """Who is to carry the runs; None while nobody has said it."""
        content = self._redis.get(keys.place(self._organisation))
        return None if content is None else _text(content)

    def seated(self) -> dict[str, str]:
        """Of a pool: the organisations that have something to do in it, each with its keys, sealed."""
        contents = self._redis.hgetall(keys.seated(self._organisation))
        return {_text(organisation): _text(sealed) for organisation, sealed in contents.items()}

    def called(self, most_s: float) -> set[str]:
        """Wait until something new is desired, for `most_s` at most; the organisations of which that was said."""
        key = keys.calls(self._organisation)
        first: Any = self._redis.blpop([key], timeout=most_s)
        if first is None:
            return set()
        with self._redis.pipeline(transaction=True) as together:
            together.lrange(key, 0, -1)
            together.delete(key)
            rest, _ = together.execute()
        return {_text(each) for each in (first[1], *rest)}

    def deliveries(self) -> dict[str, BindingDeliveries]:
        """What is to be brought where, by binding, its secrets left with the keeper; what cannot be read is logged.

        Raises `KeysOutdated`.
        """
        found: dict[str, BindingDeliveries] = {}
        for name, content in self._redis.hgetall(keys.deliveries(self._organisation)).items():
            binding = name.decode() if isinstance(name, bytes) else name
            try:
                found[binding] = BindingDeliveries.model_validate_json(content)
            except ValidationError:
                log.exception("the outputs of binding %s cannot be read", binding)
        return self.keeper.take_targets(found)

    def tell_deliveries(self, seen: Sequence[DeliveryObserved]) -> None:
        """Tell how far deliveries have come."""
        content = {each.identity: each.model_dump_json() for each in seen}
        self._redis.hset(keys.delivered(self._organisation), mapping=content)  # type: ignore[arg-type]

    def limits(self) -> RunLimits | None:
        """What the runs may use together; None while nobody has said it, or it cannot be read."""
        content = self._redis.get(keys.limits(self._organisation))
        try:
            return None if content is None else RunLimits.model_validate_json(content)
        except ValidationError:
            log.exception("the limits of the organisation cannot be read")
            return None

    def tell_rate(self, events_per_second: int) -> None:
        """Tell how many events all runs together read each second."""
        self._redis.set(keys.rate(self._organisation), events_per_second, ex=keys.RATE_TTL_S)

    def reported(self) -> dict[str, int]:
        """The last batch that was reported for each run that is still kept."""
        contents = self._redis.hvals(keys.progress(self._organisation))
        reports = (ProgressReport.model_validate_json(each) for each in contents)
        return {report.run: report.batch for report in reports}

    def observe(self, seen: RunObserved) -> None:
        """Tell the state of a run."""
        self._redis.hset(keys.observed(self._organisation), seen.run, seen.model_dump_json())

    def tell_incidents(self, happened: Sequence[RunIncident]) -> None:
        """Tell what happened to runs; told twice where the connection broke meanwhile."""
        with self._redis.pipeline(transaction=True) as together:
            for each in happened:
                content: Any = {"incident": each.model_dump_json()}
                together.xadd(keys.incidents(self._organisation), content, maxlen=keys.INCIDENTS_KEPT)
            together.execute()

    def report(self, reports: Mapping[str, ProgressReport]) -> None:
        """Tell what a batch did, by run."""
        with self._redis.pipeline(transaction=False) as together:
            for run, report in reports.items():
                content = report.model_dump_json()
                stream = keys.reports(self._organisation, run)
                together.xadd(stream, {"report": content}, maxlen=keys.REPORTS_KEPT, approximate=True)
                together.hset(keys.progress(self._organisation), run, content)
            together.execute()

    def renew(self, lease: RunnerLease) -> bool:
        """Take or renew the lease; False when another runner holds it."""
        key = keys.lease(self._organisation)
        return bool(self._redis.eval(_RENEW, 1, key, lease.token, lease.model_dump_json(), str(keys.LEASE_TTL_S)))

    def holder(self) -> RunnerLease | None:
        """Who holds the lease."""
        content = self._redis.get(keys.lease(self._organisation))
        return None if content is None else RunnerLease.model_validate_json(content)

    def release(self, token: str) -> None:
        """Give the lease up if it is ours."""
        self._redis.eval(_RELEASE, 1, keys.lease(self._organisation), token)

    def take_over(self, lease: RunnerLease) -> None:
        """Take the lease of a runner that is known to be dead."""
        self._redis.set(keys.lease(self._organisation), lease.model_dump_json(), ex=keys.LEASE_TTL_S)


def _text(content: bytes | str) -> str:
    return content.decode() if isinstance(content, bytes) else content
