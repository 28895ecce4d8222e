"""The runner's access to Redis: desired and observed states, reports, and the lease."""

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import redis
from pydantic import ValidationError

from streaming.runtime.secret_server import SecretKeeper
from streaming.wire import keys
from streaming.wire.deliveries import BindingDeliveries, DeliveryObserved
from streaming.wire.message import RELEASE
from streaming.wire.messages import RunIncident, RunLimits, RunnerLease, RunObserved, RunSpec, read_lease
from streaming.wire.progress import VERSION, ProgressReport
from streaming.wire.sealed import Keyring

log = logging.getLogger(__name__)

_RENEW = """
local held = redis.call('get', KEYS[1])
if held then
  local legible, lease = pcall(cjson.decode, held)
  if not legible or type(lease) ~= 'table' or lease['token'] ~= ARGV[1] then return 0 end
end
redis.call('set', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
"""
_RELEASE = """
local held = redis.call('get', KEYS[1])
if held then
  local legible, lease = pcall(cjson.decode, held)
  if legible and type(lease) == 'table' and lease['token'] == ARGV[1] then redis.call('del', KEYS[1]) end
end
return 1
"""


UNREAD: Final = (
    "the desired state of binding %s cannot be read, so it stays as it is: the web application is release %s, this "
    "runner is release %s; stop this runner, so that one of the other release replaces it"
)


@dataclass(frozen=True)
class UnreadEntry:
    """An unreadable desired state of a binding: its run, if legible, and a digest of it."""

    run: str | None
    digest: str


class Mailbox:
    """One organisation's keys. Every method raises `redis.RedisError` if Redis can't be reached."""

    def __init__(
        self,
        connection: "redis.Redis",
        organisation: str,
        keeper: SecretKeeper | None = None,
        *,
        own_alone: bool = False,
    ) -> None:
        """With `own_alone` a spec of another organisation is refused."""
        self._redis = connection
        self._organisation = organisation
        self.keeper = keeper or SecretKeeper(Keyring([]))
        self._own_alone = own_alone
        self._desired: tuple[Mapping[Any, Any], dict[str, RunSpec]] | None = None
        self._specs: dict[str, RunSpec] = {}
        self._deliveries: dict[str, BindingDeliveries] = {}
        self.unread: dict[str, UnreadEntry] = {}
        """The unreadable entries of the last call of `desired`, by binding."""

    def desired(self) -> dict[str, RunSpec]:
        """Return the desired specs by binding; their secrets go to the keeper.

        An unreadable entry goes to `unread`, and the last readable spec of its binding stays valid, if this runner read
        one.

        It is parsed only when it has changed: a runner calls this twice a second, for up to a thousand bindings.

        Raises `KeysOutdated`.
        """
        specs: dict[str, RunSpec] = {}
        unread: dict[str, UnreadEntry] = {}
        entries = self._redis.hgetall(keys.desired(self._organisation))
        if self._desired is not None and self._desired[0] == entries:
            return dict(self._desired[1])
        for name, content in entries.items():
            binding = _text(name)
            try:
                specs[binding] = self._read(content)
            except ValidationError:
                unread[binding] = UnreadEntry(_run_in(content), hashlib.sha256(_text(content).encode()).hexdigest())
                log.exception(UNREAD, binding, self._release_of_web(), RELEASE)
                if binding in self._specs:
                    specs[binding] = self._specs[binding]
            except PermissionError:
                log.error("the spec of binding %s belongs to another organisation and is refused", binding)
        taken = self.keeper.take(specs)
        self._specs, self.unread, self._desired = specs, unread, (entries, taken)
        return dict(taken)

    def _release_of_web(self) -> str:
        content = self._redis.hget(keys.releases(self._organisation), keys.WEB)
        return "unknown" if content is None else _text(content)

    def report_release(self) -> None:
        """Write the release of this runner's messages."""
        self._redis.hset(keys.releases(self._organisation), keys.RUNNER, RELEASE)

    def _read(self, content: bytes | str) -> RunSpec:
        spec = RunSpec.model_validate_json(content)
        if self._own_alone and spec.organisation != self._organisation:
            raise PermissionError
        return spec

    def place(self) -> str | None:
        """Return the runner that should carry the runs; None while it isn't set."""
        content = self._redis.get(keys.place(self._organisation))
        return None if content is None else _text(content)

    def seated(self) -> dict[str, str]:
        """Return the organisations with work in this pool, each with its sealed keys."""
        contents = self._redis.hgetall(keys.seated(self._organisation))
        return {_text(organisation): _text(sealed) for organisation, sealed in contents.items()}

    def called(self, most_s: float) -> set[str]:
        """Wait at most `most_s` for a changed desired state; return the organisations that changed."""
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
        """Return the desired deliveries by binding; their secrets go to the keeper.

        If an entry is unreadable, the last readable one of the binding stays valid.

        Raises `KeysOutdated`.
        """
        deliveries: dict[str, BindingDeliveries] = {}
        for name, content in self._redis.hgetall(keys.deliveries(self._organisation)).items():
            binding = _text(name)
            try:
                deliveries[binding] = BindingDeliveries.model_validate_json(content)
            except ValidationError:
                log.exception("the outputs of binding %s cannot be read; they stay as they were", binding)
                if binding in self._deliveries:
                    deliveries[binding] = self._deliveries[binding]
        self._deliveries = deliveries
        return self.keeper.take_targets(deliveries)

    def report_deliveries(self, seen: Sequence[DeliveryObserved]) -> None:
        """Report the progress of deliveries."""
        content = {each.identity: each.to_json() for each in seen}
        self._redis.hset(keys.delivered(self._organisation), mapping=content)  # type: ignore[arg-type]

    def limits(self) -> RunLimits | None:
        """Return the limits of all runs together; None while they aren't set, or if they can't be read."""
        content = self._redis.get(keys.limits(self._organisation))
        try:
            return None if content is None else RunLimits.model_validate_json(content)
        except ValidationError:
            log.exception("the limits of the organisation cannot be read")
            return None

    def report_rate(self, events_per_second: int) -> None:
        """Report the events per second that all runs together read."""
        self._redis.set(keys.rate(self._organisation), events_per_second, ex=keys.RATE_TTL_S)

    def reported(self) -> dict[str, int]:
        """Return the last reported batch of each run with a stored report."""
        batches: dict[str, int] = {}
        for content in self._redis.hvals(keys.progress(self._organisation)):
            try:
                report = ProgressReport.model_validate_json(content)
            except ValidationError:
                log.exception("the last report of a run cannot be read; its batches are reported again")
            else:
                batches[report.run] = report.batch
        return batches

    def observe(self, seen: RunObserved) -> None:
        """Report the state of a run."""
        self._redis.hset(keys.observed(self._organisation), seen.run, seen.model_dump_json())

    def report_incidents(self, incidents: Sequence[RunIncident]) -> None:
        """Report incidents of runs; a broken connection may repeat them."""
        with self._redis.pipeline(transaction=True) as together:
            for each in incidents:
                content: Any = {"incident": each.to_json()}
                together.xadd(keys.incidents(self._organisation), content, maxlen=keys.INCIDENTS_KEPT)
            together.execute()

    def report(self, reports: Mapping[str, ProgressReport]) -> None:
        """Send the reports of a batch, by run, in the version that the web application reads."""
        reader = self._version_read()
        with self._redis.pipeline(transaction=False) as together:
            for run, report in reports.items():
                content = report.to_redis(reader)
                stream = keys.reports(self._organisation, run)
                together.xadd(stream, {"report": content}, maxlen=keys.REPORTS_KEPT, approximate=True)
                together.hset(keys.progress(self._organisation), run, content)
            together.execute()

    def _version_read(self) -> int:
        """Return the version of reports that the web application reads; ours if it has not written anything yet."""
        releases = keys.releases(self._organisation)
        version = self._redis.hget(releases, keys.REPORTS)
        if version is None:
            return VERSION if self._redis.hget(releases, keys.WEB) is None else 1
        return int(version)

    def renew(self, lease: RunnerLease) -> bool:
        """Take or renew the lease; False when another runner holds it."""
        key = keys.lease(self._organisation)
        return bool(self._redis.eval(_RENEW, 1, key, lease.token, lease.model_dump_json(), str(keys.LEASE_TTL_S)))

    def holder(self) -> RunnerLease | None:
        """Return the lease of the runner that holds it."""
        content = self._redis.get(keys.lease(self._organisation))
        return None if content is None else read_lease(content)

    def release(self, token: str) -> None:
        """Release the lease if it is ours."""
        self._redis.eval(_RELEASE, 1, keys.lease(self._organisation), token)

    def take_over(self, lease: RunnerLease) -> None:
        """Take the lease of a runner that is dead."""
        self._redis.set(keys.lease(self._organisation), lease.model_dump_json(), ex=keys.LEASE_TTL_S)


def _run_in(content: bytes | str) -> str | None:
    """Return the run of an unreadable RunSpec, if legible."""
    try:
        known = json.loads(content)
    except ValueError:
        return None
    run = known.get("run") if isinstance(known, dict) else None
    return run if isinstance(run, str) else None


def _text(content: bytes | str) -> str:
    return content.decode() if isinstance(content, bytes) else content
