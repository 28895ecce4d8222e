"""A carrier from the driver's side: one streaming query, commands in, manifests out."""

import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from streaming.adapters.contract import AdapterError
from streaming.resume.restart_points import shape_of
from streaming.spark.errors import PunctualError, RunFailure, explain_query
from streaming.spark.messages.key_balancing import even_buckets, even_pages
from streaming.spark.messages.shared_keys import place_of
from streaming.spark.planning.adapter_queries import lanes_of
from streaming.spark.planning.planner import wall_clock
from streaming.spark.planning.poll_schedule import read_freshness, write_freshness
from streaming.spark.planning.start_positions import keep_newest_points
from streaming.spark.planning.token_bucket import read_rates, write_rate
from streaming.spark.query.binding import adapter_of, journals_of
from streaming.spark.query.control import AddBinding, AtEnd, ForgetBinding, RepairBinding, SaveBinding, StopBinding
from streaming.spark.query.damage import require_whole
from streaming.spark.query.gaps import require_results
from streaming.spark.query.layout import HOLD, CarrierFolder, CarrierSettings, create, exists, leave_behind_other_layout
from streaming.spark.query.manifests import Manifest, RunChange, newest_manifest, read_manifest
from streaming.spark.query.savepoints import FOLDER, refusal
from streaming.spark.query.unfinished_files import remove_unfinished_files
from streaming.spark.session.memory import WorkerDeath, count_deaths
from streaming.spark.session.session import raise_if_engine_ends
from streaming.spark.sink.compaction_schedule import CompactionScheduler
from streaming.spark.sink.sink import ResultSink
from streaming.spark.source.attempts import is_repeated
from streaming.spark.source.source import FeedSource
from streaming.spark.stage.stage import StageProcessor
from streaming.spark.stage.with_state import transform_with_state
from streaming.wire.binding_homes import name_in_pool
from streaming.wire.messages import RunSpec

_STARTING = threading.Lock()
"""A session has one partition count for all queries that start in it, so only one carrier starts at a time."""
NO_CHECKPOINT = (
    "The carrier is on an object store, and Spark's own checkpoint has no location. "
    "Set a folder that driver and workers share, or an address for which Spark has a connector."
)


ASKED_EVERY_S = 0.05
"""A call to Spark costs both sides tenths of a millisecond, and a turn of the runner makes the same call five times."""


class Carrier:
    """The bindings of one organisation, or of several, in one streaming query with one checkpoint.

    Commands are written to the control log at once and take effect in a batch. The manifests report their outcome, and
    are the only truth about a run.
    """

    def __init__(
        self, session: SparkSession, location: Path | str, settings: CarrierSettings, *, checkpoint: str | None = None
    ) -> None:
        """Open the carrier at `location`.

        `checkpoint` is the location of Spark's own files (offsets, state), in Spark's syntax; by default the carrier's
        folder. It is required on an object store: Spark has its own client for such a store, or no client at all.
        """
        self._session = session
        self.left_behind = leave_behind_other_layout(location)
        if settings.buckets == 1 and not exists(location):
            settings = settings.model_copy(update={"pages": tuple(even_pages(session, settings.partitions))})
        self._opened: CarrierFolder = create(location, settings)
        self._checkpoint = _checkpoint_of(self._opened) if checkpoint is None else checkpoint
        self._query: StreamingQuery | None = None
        self._ran: StreamingQuery | None = None
        self._ran_at = 0.0
        self._failed: tuple[StreamingQuery | None, RunFailure] | None = None
        self._ready: StreamingQuery | None = None
        self._planned: StreamingQuery | None = None
        self._compaction = CompactionScheduler(self._opened)
        self._deaths: dict[str, WorkerDeath] = {}

    def require_whole(self) -> None:
        """Check the files that a start of the query needs. Raises `DamagedCheckpoint` without changing anything."""
        carrier = self._opened
        carrier.control.commanded()
        for number in carrier.folder.numbers("control"):
            carrier.control.read(number)
        newest_manifest(carrier.folder)
        if carrier.local is not None and self._checkpoint == _checkpoint_of(carrier):
            require_whole(carrier.folder, carrier.local / "spark")
            require_results(carrier, carrier.local)

    @property
    def settings(self) -> CarrierSettings:
        """The current settings."""
        return self._opened.settings

    def start(self) -> None:
        """Start the streaming query from its checkpoint unless it runs. Raises `DamagedCheckpoint` and `EngineGone`."""
        if self.running:
            return
        self.require_whole()
        self._opened.folder.remove(HOLD)
        if self._opened.local is not None:
            self._deaths |= count_deaths(self._opened.local)
        remove_unfinished_files(self._session, self._checkpoint)
        try:
            with _STARTING:
                self._begin_query()
        except Exception as error:
            raise_if_engine_ends(self._session, error)
            raise

    def deaths(self) -> dict[str, WorkerDeath] | None:
        """Return, once, the bindings at whose work a worker died before a start of the query; None: no binding."""
        found, self._deaths = self._deaths, {}
        return {key.rpartition("@")[0]: how for key, how in found.items()} or None

    def _begin_query(self) -> None:
        session, path = self._session, self._opened.location
        # The active session is per thread, and only the main thread has it: without this call no other thread would
        # find our data sources.
        session._get_j_spark_session_class(session._jvm).setActiveSession(session._jsparkSession)
        session.dataSource.register(FeedSource)
        session.dataSource.register(ResultSink)
        session.conf.set("spark.sql.shuffle.partitions", str(self.settings.partitions))
        envelopes = session.readStream.format(FeedSource.name()).option("carrier", path).load()
        results = envelopes
        for number in range(self.settings.stages):
            results = transform_with_state(results, ["place", "bucket"], StageProcessor(path, number), envelopes.schema)
        self._query = (
            results.writeStream.format(ResultSink.name())
            .option("carrier", path)
            .option("checkpointLocation", self._checkpoint)
            .outputMode("append")
            .start()
        )

    @property
    def running(self) -> bool:
        """True if the streaming query runs. A query that ran a moment ago is not checked again."""
        query, now = self._query, time.monotonic()
        if query is None or (self._ran is query and now - self._ran_at < ASKED_EVERY_S):
            return query is not None
        self._ran, self._ran_at = (query if query.isActive else None), now
        return self._ran is not None

    def failure(self) -> RunFailure | None:
        """Return why the query stopped; None while it runs or after it was closed. Raises `EngineGone`."""
        error = self._query.exception() if self._query is not None and not self.running else None
        if error is None:
            return None
        if self._failed is None or self._failed[0] is not self._query:
            raise_if_engine_ends(self._session, error)
            self._failed = self._query, self._decide_repeat(explain_query(error, self._name))
        return self._failed[1]

    def _decide_repeat(self, failure: RunFailure) -> RunFailure:
        """Return `failure` with the decision to repeat its batch; each failure is recorded once."""
        try:
            return replace(failure, again=is_repeated(self._opened, failure))
        except OSError as error:
            return explain_query(error)

    @property
    def _name(self) -> str:
        return self._opened.location.partition("?")[0].rstrip("/").rpartition("/")[2]

    def wait(self, seconds: float) -> None:
        """Return after `seconds`, or sooner if the query stops."""
        if self._query is not None:
            self._await(self._query, seconds)

    def _await(self, query: StreamingQuery, seconds: float) -> None:
        try:
            query.awaitTermination(max(seconds, 0.001))  # type: ignore[arg-type] # Spark refuses less
        except StreamingQueryException:
            return

    def close(self, *, grace_s: float = 20.0) -> None:
        """Let the batch in flight finish within `grace_s`, then stop the query; a later start resumes from there."""
        query, self._query = self._query, None
        if query is None:
            return
        self._opened.folder.write(HOLD, b"")
        until = time.monotonic() + grace_s
        while query.isActive and query.status["isTriggerActive"] and time.monotonic() < until:
            self._await(query, 0.02)
        query.stop()
        keep_newest_points(self._opened)

    def add(
        self, spec: RunSpec, *, at_end: AtEnd = "flush", from_savepoint: str | None = None, moving: bool = False
    ) -> None:
        """Carry `spec` from the next batch on; if that fails, a manifest reports the failure.

        `from_savepoint`: a path that `savepoint` of any carrier of the organisation returned; the run resumes from
        there. With `moving`, state that does not fit is left behind and the manifest reports it; without it the run is
        refused.
        """
        journals = self._journals_beside(spec)
        command = AddBinding(
            kind="add",
            tick=wall_clock(),
            spec=spec,
            bucket_ids=self._bucket_ids(spec, goes_on=from_savepoint is None),
            lanes=self._lanes(spec, journals),
            at_end=at_end,
            from_savepoint=from_savepoint,
            moving=moving,
            journals=journals,
        )
        self._opened.control.append(command)

    def stop(self, binding: str, *, flush: bool, discard: bool = False) -> None:
        """Stop carrying `binding` after the next batch. Its state stays, unless it was flushed or with `discard`.

        Its positions always stay.
        """
        command = StopBinding(kind="stop", tick=wall_clock(), binding=binding, flush=flush, discard=discard)
        self._opened.control.append(command)

    def savepoint(self, binding: str, *, moving: bool = False) -> str:
        """Request a savepoint of `binding`: a blob below the organisation's folder. Return its future path.

        `saved` is true after a batch. A carried binding is stopped first, without a flush. `moving`: for a binding that
        has ended, save its positions; without it that is refused.
        """
        number = self._opened.control.newest() + 1
        path = f"{FOLDER}/{binding}-{self._name}-{number}.arrow"
        command = SaveBinding(kind="savepoint", tick=wall_clock(), binding=binding, path=path, moving=moving)
        self._opened.control.append(command)
        return path

    def repair(self, binding: str, run: str, repair: str) -> None:
        """Emit the rows of `repair` with the next batch of `run`; repeating the command changes nothing."""
        command = RepairBinding(kind="repair", tick=wall_clock(), binding=binding, run=run, repair=repair)
        self._opened.control.append(command)

    def forget(self, binding: str) -> None:
        """Delete everything of `binding` here after the next batch."""
        self._opened.control.append(ForgetBinding(kind="forget", tick=wall_clock(), binding=binding))

    def saved(self, path: str, organisation: str = "") -> bool:
        """Return True if the savepoint exists (of `organisation` in a pooled carrier).

        Raises `PunctualError` when it was refused.
        """
        shared = self._opened.shared_of(organisation)
        why = refusal(shared, path)
        if why is not None:
            raise PunctualError(why, domain="user")
        folder, _, name = path.rpartition("/")
        return name in shared.tags(folder)

    def limit(self, events_per_second: int | None, organisation: str = "") -> None:
        """Limit the rows per second of all bindings together from the next batch on; None: no limit.

        In a pooled carrier the limit applies to `organisation`. Written only when it changes: it stays in the carrier's
        folder.
        """
        if events_per_second != read_rates(self._opened.folder).get(organisation):
            write_rate(self._opened.folder, events_per_second, organisation)

    def freshen(self, wanted: Mapping[str, int], organisation: str = "") -> None:
        """Set how often each binding of `wanted` is polled, in ticks; written only when it changes.

        In a pooled carrier this sets the bindings of `organisation`; its other bindings use the freshness of their
        runs.
        """
        known = read_freshness(self._opened.folder)
        if self.settings.pooled:
            others = {
                name: ticks for name, ticks in known.items() if self._opened.organisation_of(name) != organisation
            }
            wanted = others | {name_in_pool(organisation, binding): ticks for binding, ticks in wanted.items()}
        if wanted != known:
            write_freshness(self._opened.folder, wanted)

    def manifests_after(self, batch: int) -> list[Manifest]:
        """Return the committed manifests after `batch` that are still stored, oldest first."""
        numbers = [number for number in self._opened.folder.numbers("commits") if number > batch]
        manifests = (read_manifest(self._opened.folder, number) for number in numbers)
        return [manifest for manifest in manifests if manifest is not None]

    def last_runs(self) -> Mapping[str, RunChange]:
        """Return the last committed state change of each run."""
        manifest = newest_manifest(self._opened.folder)
        return {} if manifest is None else manifest.runs

    def commanded(self) -> dict[str, str]:
        """Return binding to run, by the last command in the control log that adds each binding."""
        return self._opened.control.commanded()

    def compact(self, budget_s: float = 0.05) -> None:
        """Merge old batches of some bindings, or delete them where a setting requires it, for about `budget_s`.

        Every binding has its turn about once a minute. Raises `OSError`.
        """
        self._compaction.turn(budget_s)

    def list_bindings(self) -> set[str]:
        """Return the bindings that may have state here, carried or not; the set may contain a few more."""
        return set(self._opened.control.newest_entries())

    @property
    def ready(self) -> bool:
        """True if the query has started far enough to plan batches."""
        query = self._query
        if query is None or not self.running:
            return False
        if self._ready is not query and "nitializing" not in query.status["message"]:
            self._ready = query  # a ready query stays ready, so it is not checked again: each check costs both sides
        return self._ready is query

    @property
    def planned(self) -> bool:
        """True if the query has finished a batch, or found no batch to run, since it started."""
        if self._planned is not self._query and self.ready and self._query is not None:
            self._planned = self._query if self._query.lastProgress is not None else None
        return self._query is not None and self._planned is self._query

    @property
    def quiet(self) -> bool:
        """True if no batch is in flight, so that none starts while its planner plans nothing (`CarrierFolder.held`)."""
        query = self._query
        return query is None or not query.isActive or (self.planned and not query.status["isTriggerActive"])

    def _journals_beside(self, spec: RunSpec) -> str:
        """Return the journal folder of the run that the shadow run `spec` follows: both read the same rows."""
        name = self._opened.control.name_of(spec.model_copy(update={"beside": False}))
        before = self._opened.control.last_added(name) if spec.beside else None
        return "" if before is None else journals_of(self._opened, before.spec)

    def _lanes(self, spec: RunSpec, journals: str) -> dict[str, list[str]]:
        lanes = {}
        for name, item in spec.inputs.items():
            try:
                adapter = adapter_of(self._opened, spec, name, item.stream, journals)
                deadline_s = min(self.settings.read_deadline_s, self.settings.lanes_deadline_s)
                lanes[name] = list(lanes_of(name, adapter, deadline_s))
            except (AdapterError, OSError):
                continue  # The planner hits the same error and reports it in a manifest.
        return lanes

    def _bucket_ids(self, spec: RunSpec, *, goes_on: bool) -> list[int]:
        """Return as many bucket ids as the settings require, spread over Spark's partitions by its own hash.

        A run that resumes here keeps the ids of the previous run, even if the settings differ: its state is stored
        under them.
        """
        wanted, partitions = self.settings.buckets, self.settings.partitions
        if wanted == 1:
            return [0]
        before = self._opened.control.last_added(self._opened.control.name_of(spec)) if goes_on else None
        if before is not None and shape_of(before.spec) == shape_of(spec):
            return before.bucket_ids
        key = f"{spec.binding}@{self._opened.control.newest() + 1}"
        return even_buckets(self._session, place_of(key, self.settings.pages), partitions, wanted)


def _checkpoint_of(carrier: CarrierFolder) -> str:
    if carrier.local is None:
        raise PunctualError(NO_CHECKPOINT, domain="user")
    return str(carrier.local / "spark")
