"""Whatever dies, hangs or is clicked in whatever order: what is observed comes to what is desired, and no page lies."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from streaming.runtime import runner as runner_module
from tests.webapp.conftest import Clock, Person
from tests.webapp.runs.runners.pool_world import Breaking
from tests.webapp.runs.runners.run_world import LoggedPapers, RunWorld, emptied
from webapp.core.context import organisation_context
from webapp.runs.models import Run
from webapp.runs.runner_models import RunnerLaunch
from webapp.runs.starts import services
from webapp.runs.states import Observed

DOMAINS = st.sampled_from(["user", "external", "internal"])
EXAMPLES = 6 if settings.default is None else max(6, settings.default.max_examples // 5)


class OneBinding(RuleBasedStateMachine):
    """One binding of one organisation, a person, a worker and runners."""

    person: Person
    binding: dict[str, Any]
    connection: Breaking
    clock: Clock
    data: Path

    @initialize()
    def begin(self) -> None:
        self.connection.flushdb()
        with organisation_context(self.person.organisation.pk):
            Run.objects.all().delete()
            RunnerLaunch.objects.all().delete()
        folder = self.data / str(uuid4())
        folder.mkdir()
        organisation = self.person.organisation.pk
        self.world = RunWorld(self.connection, self.clock, organisation, folder, LoggedPapers(folder))
        self.a_run_comes_to_run()

    @rule()
    def start(self) -> None:
        with organisation_context(self.person.organisation.pk):
            before = Run.objects.order_by("created_at").last()
        answer = self.person.post(f"bindings/{self.binding['id']}/start/")
        assert answer.status_code in (200, 201, 409)
        if answer.status_code == 201 and before is not None and before.discard:
            with organisation_context(self.person.organisation.pk):
                assert Run.objects.get(pk=answer.json()["id"]).read_spec().after_discard

    @rule(how=st.sampled_from(["keep", "flush", "discard"]))
    def stop(self, how: str) -> None:
        answer = self.person.post(
            f"bindings/{self.binding['id']}/stop/", {"flush": how == "flush", "discard": how == "discard"}
        )
        assert answer.status_code in (200, 409)

    @rule()
    def a_run_comes_to_run(self) -> None:
        self.start()
        self.world.settle()

    @rule(turns=st.integers(1, 3))
    def all_is_well(self, turns: int) -> None:
        for _ in range(turns):
            self.world.pass_by(3)
            self.world.reconcile()
            self.world.act()
            self.world.batch()

    @rule(seconds=st.sampled_from([10, 20, 90]))
    def the_runner_is_killed_and_no_worker_is_there(self, seconds: int) -> None:
        self.the_runner_is_killed()
        self.world.pass_by(seconds)

    @rule()
    def the_worker_takes_its_turn(self) -> None:
        self.world.reconcile()

    @rule(command=st.integers(1, 25))
    def the_worker_dies_in_its_turn(self, command: int) -> None:
        self.world.reconcile(command)

    @rule()
    def the_runner_takes_its_turn(self) -> None:
        self.world.act()

    @rule()
    def a_batch_commits(self) -> None:
        self.world.batch()

    @rule(seconds=st.sampled_from([1, 3, 9, 20, 90, 3_600]))
    def time_passes(self, seconds: int) -> None:
        self.world.pass_by(seconds)

    @rule()
    def the_runner_is_killed(self) -> None:
        for process in list(self.world.processes):
            self.world.kill(process.pid)

    @rule(hangs=st.booleans())
    def the_runner_hangs_or_goes_on(self, hangs: bool) -> None:
        for process in self.world.processes:
            process.hung = hangs

    @rule(domain=DOMAINS)
    def the_run_fails(self, domain: Any) -> None:
        self.world.batch("failed", domain)

    @rule(domain=DOMAINS)
    def the_query_stops_by_itself(self, domain: Any) -> None:
        self.world.break_query(domain)

    @rule()
    def the_inputs_come_to_their_end(self) -> None:
        self.world.batch("completed")

    @rule()
    def redis_loses_all(self) -> None:
        emptied(self.connection)

    @invariant()
    def no_page_lies_and_nobody_is_carried_twice(self) -> None:
        if hasattr(self, "world"):
            self.world.look()
            assert self.world.faults == []

    @rule()
    def all_comes_to_rest(self) -> None:
        self.world.settle()
        with organisation_context(self.person.organisation.pk):
            open_runs = list(Run.objects.filter(ended_at__isnull=True))
            ended = set(Run.objects.filter(ended_at__isnull=False).values_list("pk", flat=True))
        carried = {run for carrier in self.world.carriers.logged() for run in carrier.carries()}
        assert {run.observed for run in open_runs} <= {Observed.RUNNING}, [(r.observed, r.message) for r in open_runs]
        assert carried == {str(run.pk) for run in open_runs}
        assert not carried & {str(each) for each in ended}
        assert self.world.state_on_pages() == ("running" if open_runs else None)

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.all_comes_to_rest()
            self.no_page_lies_and_nobody_is_carried_twice()


def test_what_is_observed_comes_to_what_is_desired(
    alice: Person,
    binding: dict[str, Any],
    settings: Any,
    redis_server_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.REDIS_URL = redis_server_url
    clock = Clock(datetime.now(UTC))
    monkeypatch.setattr(services, "timezone", SimpleNamespace(now=clock))
    monkeypatch.setattr(runner_module, "wall_clock", lambda: clock.ticks)
    with Breaking.from_url(redis_server_url) as connection, transaction.atomic():

        class Machine(OneBinding):
            """With what the test has."""

            def __init__(self) -> None:
                super().__init__()
                self.person, self.binding, self.connection = alice, binding, connection
                self.clock, self.data = clock, tmp_path

        run_state_machine_as_test(Machine, settings=_few())


def _few() -> settings:
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(max_examples=EXAMPLES, stateful_step_count=20, deadline=None, suppress_health_check=checks)
