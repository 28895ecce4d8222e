"""A carrier as its driver sees it: one streaming query, commands in, manifests out."""

import threading
import time
from collections.abc import Mapping
from pathlib import Path

from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from streaming.adapters.contract import AdapterError
from streaming.spark.adapter_queries import lanes_of
from streaming.spark.beginnings import keep_newest_points
from streaming.spark.binding import adapter_of, journals_of
from streaming.spark.compaction_schedule import Tidying
from streaming.spark.control import AddBinding, AtEnd, ForgetBinding, RepairBinding, SaveBinding, StopBinding
from streaming.spark.errors import PunctualError, RunFailure, explain_query
from streaming.spark.key_balancing import even_buckets, even_pages
from streaming.spark.layout import HOLD, CarrierFolder, CarrierSettings, create, exists, leave_behind_other_layout
from streaming.spark.looks import read_freshness, write_freshness
from streaming.spark.manifests import Manifest, RunChange, newest_manifest, read_manifest
from streaming.spark.memory import WorkerDeath, count_deaths
from streaming.spark.planner import wall_clock
from streaming.spark.savepoints import FOLDER, refusal
from streaming.spark.shared_keys import place_of
from streaming.spark.sink import ResultSink
from streaming.spark.source import FeedSource
from streaming.spark.stage import StageProcessor
from streaming.spark.token_bucket import read_rates, write_rate
from streaming.spark.with_state import transform_with_state
from streaming.wire.binding_homes import name_in_pool
from streaming.wire.kept import shape_of
from streaming.wire.messages import RunSpec

_STARTING = threading.Lock()
"""A session has one number of partitions for what is started in it."""
NO_CHECKPOINT = (
    "The carrier is on an object store, and nothing says where Spark keeps its own checkpoint. "
    "Name a folder that driver and workers share, or an address for which Spark has a connector."
)


ASKED_EVERY_S = 0.05
"""A question to Spark costs both sides tenths of a millisecond, and a turn of the runner asks five times the same."""


class Carrier:
    """The bindings of one organisation, or of several, in one streaming query, one checkpoint.

    Commands are written to the control log at once and take effect in a batch; what came of them stands in the
    manifests, which are the only truth about a run.
    """

    def __init__(
        self, session: SparkSession, location: Path | str, settings: CarrierSettings, *, checkpoint: str | None = None
    ) -> None:
        """Open the carrier at `location`.

        `checkpoint` is where Spark keeps its own (offsets, state), in Spark's words; without it, in the carrier's
        folder. One on an object store needs it named: Spark has its own client of such a store, or none.
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
        self._ready: StreamingQuery | None = None
        self._planned: StreamingQuery | None = None
        self._tidying = Tidying(self._opened)
        self._deaths: dict[str, WorkerDeath] = {}

    @property
    def settings(self) -> CarrierSettings:
        """The settings in force."""
        return self._opened.settings

    def start(self) -> None:
        """Start the streaming query from its checkpoint, or go on if it runs."""
        if self.running:
            return
        self._opened.folder.remove(HOLD)
        if self._opened.local is not None:
            self._deaths |= count_deaths(self._opened.local)
        with _STARTING:
            self._begin_query()

    def deaths(self) -> dict[str, WorkerDeath] | None:
        """At whose work a worker died before a start of the query, by binding; None: at nobody's, or it was told."""
        found, self._deaths = self._deaths, {}
        return {key.rpartition("@")[0]: how for key, how in found.items()} or None

    def _begin_query(self) -> None:
        session, path = self._session, self._opened.location
        # Of each thread, and only the main one has it: without this another one finds none of our data sources.
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
        """Whether the streaming query runs; one that did a moment ago is not asked again."""
        query, now = self._query, time.monotonic()
        if query is None or (self._ran is query and now - self._ran_at < ASKED_EVERY_S):
            return query is not None
        self._ran, self._ran_at = (query if query.isActive else None), now
        return self._ran is not None

    def failure(self) -> RunFailure | None:
        """Why the query stopped, None while it runs or when it was closed."""
        error = self._query.exception() if self._query is not None and not self.running else None
        return None if error is None else explain_query(error)

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
        """Let the batch in flight end, for at most `grace_s`, then stop the query; a later start goes on from there."""
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
        """Carry `spec` from the next batch on; if it cannot be carried, a manifest says that it failed.

        `from_savepoint`: what `savepoint` of any carrier of the organisation returned; the run goes on from there. With
        `moving` what of it does not fit is left behind, and the manifest says so; else the run is refused.
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
        """Carry `binding` no longer after the next batch; its state stays unless it was flushed, or with `discard`.

        Its positions stay in any case.
        """
        command = StopBinding(kind="stop", tick=wall_clock(), binding=binding, flush=flush, discard=discard)
        self._opened.control.append(command)

    def savepoint(self, binding: str, *, moving: bool = False) -> str:
        """Write all that `binding` has kept as a blob below the organisation's folder; the path that it will have.

        It is there (`saved`) after a batch. A binding that is carried is stopped first, without a flush. `moving`: of
        one that has come to its end the positions are written; else that is refused.
        """
        number = self._opened.control.newest() + 1
        place = self._opened.location.partition("?")[0].rstrip("/").rpartition("/")[2]
        path = f"{FOLDER}/{binding}-{place}-{number}.arrow"
        command = SaveBinding(kind="savepoint", tick=wall_clock(), binding=binding, path=path, moving=moving)
        self._opened.control.append(command)
        return path

    def repair(self, binding: str, run: str, repair: str) -> None:
        """Give the rows of `repair` with the next batch of `run`; saying it again changes nothing."""
        command = RepairBinding(kind="repair", tick=wall_clock(), binding=binding, run=run, repair=repair)
        self._opened.control.append(command)

    def forget(self, binding: str) -> None:
        """Keep nothing of `binding` here after the next batch."""
        self._opened.control.append(ForgetBinding(kind="forget", tick=wall_clock(), binding=binding))

    def saved(self, path: str, organisation: str = "") -> bool:
        """Whether the savepoint is there, of `organisation` in a pooled carrier.

        Raises `PunctualError` when it was refused.
        """
        shared = self._opened.shared_of(organisation)
        why = refusal(shared, path)
        if why is not None:
            raise PunctualError(why, domain="user")
        folder, _, name = path.rpartition("/")
        return name in shared.tags(folder)

    def limit(self, events_per_second: int | None, organisation: str = "") -> None:
        """Let all bindings together read no more than this from the next batch on; None: as much as they can.

        In a pooled carrier those of `organisation`. Written only when it changes: it stays in the carrier's folder.
        """
        if events_per_second != read_rates(self._opened.folder).get(organisation):
            write_rate(self._opened.folder, events_per_second, organisation)

    def freshen(self, wanted: Mapping[str, int], organisation: str = "") -> None:
        """Look at the bindings `wanted` as often as they want it now, in ticks; written only when it changes.

        In a pooled carrier those of `organisation`, whose others are looked at as their runs say.
        """
        known = read_freshness(self._opened.folder)
        if self.settings.pooled:
            others = {name: said for name, said in known.items() if self._opened.organisation_of(name) != organisation}
            wanted = others | {name_in_pool(organisation, binding): said for binding, said in wanted.items()}
        if wanted != known:
            write_freshness(self._opened.folder, wanted)

    def manifests_after(self, batch: int) -> list[Manifest]:
        """The committed manifests above `batch` that are still kept, oldest first."""
        numbers = [number for number in self._opened.folder.numbers("commits") if number > batch]
        manifests = (read_manifest(self._opened.folder, number) for number in numbers)
        return [manifest for manifest in manifests if manifest is not None]

    def last_runs(self) -> Mapping[str, RunChange]:
        """Run to the last committed change of its state."""
        manifest = newest_manifest(self._opened.folder)
        return {} if manifest is None else manifest.runs

    def commanded(self) -> dict[str, str]:
        """Binding to run, as the control log asks for them: the last command of each binding that adds it."""
        return self._opened.control.commanded()

    def tidy(self, budget_s: float = 0.05) -> None:
        """Merge old batches of some bindings, or delete them where a setting says so, for about `budget_s`.

        Every binding has its turn about once a minute. Raises `OSError`.
        """
        self._tidying.turn(budget_s)

    def known(self) -> set[str]:
        """The bindings of which something may be kept here, carried or not, and perhaps some more."""
        return set(self._opened.control.newest_entries())

    @property
    def ready(self) -> bool:
        """Whether the query has come so far that it plans batches."""
        query = self._query
        if query is None or not self.running:
            return False
        if self._ready is not query and "nitializing" not in query.status["message"]:
            self._ready = query  # once it has come so far, it need not be asked again: each question costs both sides
        return self._ready is query

    @property
    def planned(self) -> bool:
        """Whether the query has been through a batch, or has seen that there is none, since it was started."""
        if self._planned is not self._query and self.ready and self._query is not None:
            self._planned = self._query if self._query.lastProgress is not None else None
        return self._query is not None and self._planned is self._query

    def _journals_beside(self, spec: RunSpec) -> str:
        """Where the adapters of the run journal beside which `spec` is to read: it reads the same rows."""
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
                continue  # The planner meets the same fault and reports it in a manifest.
        return lanes

    def _bucket_ids(self, spec: RunSpec, *, goes_on: bool) -> list[int]:
        """As many bucket ids as the settings say, spread over Spark's partitions by its own hash.

        One that goes on here has those of the run before, whatever the settings say by now: its state lies under them.
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
