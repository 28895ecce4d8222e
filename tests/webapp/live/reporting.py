"""A run of acme's that reports: rows of the database as the reconciler and the rollups leave them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from streaming.wire import keys
from streaming.wire.deliveries import DeliveryObserved
from streaming.wire.progress import InputCounts, LaneProgress, ProgressReport
from tests.webapp.scene import Scene
from webapp.core.context import organisation_context
from webapp.monitoring.details import details_in_steps
from webapp.monitoring.models import RollupCursor, RollupDetail
from webapp.monitoring.reading import sample_of
from webapp.monitoring.rollups import _largest_overdue, _write, detail_of_row, row_of_detail
from webapp.runs.models import Binding, Repair, Run
from webapp.runs.repairs.repairs import RepairSpec, write_repair

SECOND = 1_000_000
MINUTE = 60 * SECOND


def input_counts(outcomes: dict[str, int], cti: int | None, lanes: list[LaneProgress] | None = None) -> InputCounts:
    """The totals of one input."""
    return InputCounts(
        received=sum(outcomes.values()),
        outcomes=outcomes,
        reasons={},
        lateness=[0] * 40,
        cti=cti,
        ended=False,
        largest_start=cti,
        lanes=lanes,
    )


def lane(name: str, *, received: int, dropped: int, cti: int | None = None, last_arrival: int | None = None) -> Any:
    """One lane that waits for rows."""
    return LaneProgress(
        lane=name,
        cti=cti,
        largest_start=cti,
        received=received,
        late=dropped,
        dropped=dropped,
        last_arrival=last_arrival,
        state="waiting",
    )


@dataclass
class Reporting:
    """The run of a scene; its totals are those last reported."""

    scene: Scene

    @property
    def now(self) -> int:
        return self.scene.clock.ticks

    def report(self, counts: InputCounts, *, at: int | None = None, rolled_up: bool = True, results: int = 0) -> None:
        """Let the run report totals at tick `at`, now by default, and roll them up, or not yet."""
        tick = self.now if at is None else at
        report = ProgressReport(
            kind="progress",
            version=2,
            run=self.scene.run_id,
            batch=tick // SECOND,
            at=tick,
            inputs={"cars": counts},
            output_ctis={"out": counts.cti},
            results=results,
            quarantined=0,
            recent_results=[],
            recent_late=[],
            batch_s=0.5,
            of_run=True,
        )
        with organisation_context(self.scene.person.organisation.pk):
            Run.objects.filter(pk=self.scene.run_id).update(progress=report.model_dump(mode="json"))
            if not rolled_up:
                return
            _write(Run.objects.get(pk=self.scene.run_id), [sample_of(report)], _largest_overdue([report]))
            for seconds in (10, 60, 3_600):
                [(begin, detail)] = details_in_steps([report], seconds).items()
                known = RollupDetail.objects.filter(run_id=self.scene.run_id, seconds=seconds, at=begin).first()
                joined = detail.joined(None if known is None else detail_of_row(known))
                row = row_of_detail(Run.objects.get(pk=self.scene.run_id), (seconds, begin), joined)
                row.pk = row.pk if known is None else known.pk
                row.save(force_insert=known is None, force_update=known is not None)

    def know(self, run: Any, spans: list[tuple[int, int]], *, from_zero: bool = False) -> None:
        """Let all activity of a run in `spans` be recorded, and no other; `from_zero`: its totals began with zero."""
        base = {"batch": -1, "inputs": {}, "results": 0} if from_zero else None
        values = {"entry": "1-0", "reading": {"entry": "1-0", "known": spans, "until": None, "base": base}}
        with organisation_context(self.scene.person.organisation.pk):
            RollupCursor.objects.update_or_create(run_id=run, defaults=values)

    def state(self, **values: Any) -> None:
        """Change the run's row."""
        with organisation_context(self.scene.person.organisation.pk):
            Run.objects.filter(pk=self.scene.run_id).update(**values)

    def repair(self, rows: Mapping[str, str], given_at: datetime) -> None:
        """Give rows of the quarantine, their outcomes by their ids, back to results."""
        taken = {row: {"late": {"outcome": outcome, "raw": "{}"}, "mended": None} for row, outcome in rows.items()}
        spec = RepairSpec(run=UUID(self.scene.run_id), asked={}, rows=[], taken=taken, replaced=[], marks={})
        with organisation_context(self.scene.person.organisation.pk):
            made = write_repair(Binding.objects.get(), uuid4(), spec)
            Repair.objects.filter(pk=made.pk).update(given_at=given_at)

    def delivers(self, state: Any, *, waiting: int, message: str | None = None, exact: bool = True) -> None:
        """Give the binding one output, whose delivery its runner reports."""
        with organisation_context(self.scene.person.organisation.pk):
            Binding.objects.update(outputs=[{"identity": "one", "node": "out", "revision": 1}])
        seen = DeliveryObserved(
            binding=str(self.scene.binding["id"]),
            identity="one",
            revision=1,
            state=state,
            delivered=None,
            delivered_at=None,
            cti=None,
            ended=False,
            waiting_rows=waiting,
            waiting_exact=exact,
            waiting_since=None,
            lost_rows=0,
            domain=None,
            message=message,
            retry_at=None,
            failing_since=self.now - 26 * MINUTE,
            at=self.now,
        )
        self.scene.connection.hset(keys.delivered(self.scene.organisation), "one", seen.model_dump_json())

    def home(self, query: str = "") -> dict[str, Any]:
        """The live page as alice receives it."""
        answered = self.scene.person.get(f"home/{query}")
        assert answered.status_code == 200, answered.content
        found: dict[str, Any] = answered.json()
        return found

    def ledger(self, query: str = "?days=7") -> dict[str, Any]:
        """The ledger of the binding as alice receives it."""
        answered = self.scene.person.get(f"home/{self.scene.binding['id']}/ledger/{query}")
        assert answered.status_code == 200, answered.content
        found: dict[str, Any] = answered.json()
        return found

    def row(self) -> dict[str, Any]:
        """The only live query."""
        [row] = self.home()["rows"]
        return dict(row)
