"""A pooled runner on Spark: many organisations in one process, each as if it were alone; moves in and out."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from streaming.runtime.carriers.locations import NOWHERE, BindingLocations
from streaming.spark.errors import CULPRIT
from streaming.wire import keys
from streaming.wire.binding_homes import CARRIERS, apart_in, home_of, pools_of
from streaming.wire.messages import RunLimits, RunSpec
from tests.adapters.installing import TROUBLE, package_installed
from tests.bench.organisations import density
from tests.runtime.processes.process import OrganisationMail, PoolProcess, RunnerProcess
from tests.spark.loop import Loop
from tests.spark.planning.test_token_bucket import file_spec, write_lines
from tests.spark.test_loop import add
from tests.spark.test_on_spark import rows

pytestmark = [pytest.mark.spark, pytest.mark.thorough]

ROWS = 400
ONE, TWO = "o-1", "o-2"
BEGINS = 1_000_000_000
"""A time in ticks, long ago."""
SLOWLY = ("--min-interval-s", "0.5")


def of(organisation: str, run: str, path: str = "lines.jsonl") -> RunSpec:
    """Return a spec of binding a of `organisation`."""
    return readings(path, run).model_copy(update={"organisation": organisation})


def readings(path: str = "lines.jsonl", run: str = "1", binding: str = "a") -> RunSpec:
    content = json.loads(file_spec(binding, path, run).model_dump_json())
    content["inputs"]["readings"]["stream"]["event_time"] = {"start": {"column": "at", "unit": "us"}}
    return RunSpec.model_validate_json(json.dumps(content))


@pytest.fixture
def expected(tmp_path: Path) -> tuple[list[str], list[str]]:
    home = tmp_path / "undisturbed"
    home.mkdir()
    write_lines(home / "lines.jsonl", ROWS)
    loop = Loop(home)
    add(loop, readings())
    loop.run()
    found = rows(home, "a")
    assert min(map(len, found)) > ROWS // 10
    return found


@pytest.fixture
def mails(tmp_path: Path, redis_server_url: str) -> dict[str, OrganisationMail]:
    """Return both organisations, limited to so few rows per second that the test can act during a run."""
    found = {each: OrganisationMail(tmp_path, each, redis_server_url) for each in (ONE, TWO)}
    for mail in found.values():
        mail.files.mkdir(parents=True)
        write_lines(mail.files / "lines.jsonl", ROWS)
        mail.connection.set(keys.limits(mail.organisation), RunLimits(events_per_second=20).model_dump_json())
    return found


@pytest.fixture
def pool(tmp_path: Path, redis_server_url: str) -> Iterator[PoolProcess]:
    found = PoolProcess(tmp_path, 1, redis_server_url, *SLOWLY)
    yield found
    found.end()


@pytest.fixture
def own(tmp_path: Path, redis_server_url: str) -> Iterator[RunnerProcess]:
    found = RunnerProcess(tmp_path, ONE, redis_server_url, *SLOWLY)
    yield found
    if found.process is not None:
        found.end()


def log_of(mail: OrganisationMail) -> str:
    return (mail.folder / "logs" / "runner.log").read_text()


def test_two_organisations_in_a_killed_pool_have_the_rows_of_undisturbed_runs_and_see_nothing_of_each_other(
    pool: PoolProcess, mails: dict[str, OrganisationMail], expected: tuple[list[str], list[str]]
) -> None:
    one, two = mails.values()
    lost = readings("nowhere.jsonl", "lost", "b")
    pool.serve(ONE, TWO)
    one.desire(of(ONE, "run-of-one"))
    two.desire(of(TWO, "run-of-two"), lost.model_copy(update={"organisation": TWO}))
    pool.start()
    pool.wait_until(lambda: min(one.batch("run-of-one"), two.batch("run-of-two")) > 3, "both have read")
    assert pool.process is not None
    leases = [one.lease(), two.lease()]
    assert [lease and lease.pid for lease in leases] == [pool.process.pid] * 2
    pool.wait_until(lambda: two.state("lost") == "failed", "the run without a file fails")
    assert one.observed("lost") is None

    pool.kill()
    pool.start()
    for mail, run in ((one, "run-of-one"), (two, "run-of-two")):
        pool.wait_until(lambda mail=mail, run=run: mail.state(run) == "completed", f"{run} ends")  # type: ignore[misc]
        assert rows(mail.folder, "a") == expected
    assert "run-of-one" in log_of(one)
    assert "nowhere.jsonl" in log_of(two)
    assert not [word for word in (TWO, "run-of-two", "nowhere") if word in log_of(one)]
    assert not [word for word in (ONE, "run-of-one") if word in log_of(two)]
    assert not [word for word in ("run-of-one", "run-of-two", "nowhere") if word in pool.log_end()]
    assert pool.end() == 0
    assert [one.lease(), two.lease()] == [None, None]


def test_an_organisation_moves_from_its_own_runner_to_the_pool_and_back_without_a_gap(
    own: RunnerProcess,
    pool: PoolProcess,
    mails: dict[str, OrganisationMail],
    expected: tuple[list[str], list[str]],
) -> None:
    one, two = mails.values()
    one.desire(of(ONE, "1"))
    own.start()
    own.wait_until(lambda: one.batch("1") > 2, "it reads in its own runner")
    pool.serve(ONE, TWO)
    two.desire(of(TWO, "2"))
    pool.start()
    assert own.process is not None
    assert own.process.wait(60) == 0
    left_at = one.batch("1")
    pool.wait_until(lambda: one.batch("1") > left_at + 3, "it reads in the pool")
    assert pools_of(one.folder) == {"pool-1"}

    one.connection.set(keys.place(ONE), keys.OWN)
    pool.wait_until(lambda: not pools_of(one.folder), "its savepoint exists")
    pool.kill()
    pool.start()
    pool.wait_until(lambda: "no longer carried by pool-1" in log_of(one), "the pool has released it")
    pool.serve(TWO)
    pool.wait_until(lambda: one.lease() is None, "its lease is released")
    assert BindingLocations(one.folder / CARRIERS).of("a") == NOWHERE
    own.start()
    own.wait_until(lambda: one.state("1") == "completed", "it ends in its own runner")
    pool.wait_until(lambda: two.state("2") == "completed", "the other one ends in the pool")
    assert rows(one.folder, "a") == rows(two.folder, "a") == expected
    manifest = max((pool.folder / CARRIERS / "main" / "commits").iterdir(), key=lambda path: int(path.stem))
    assert ONE not in json.dumps(json.loads(manifest.read_text().splitlines()[0])["bindings"])


def test_an_own_runner_does_not_start_while_a_pool_has_state(
    own: RunnerProcess, pool: PoolProcess, mails: dict[str, OrganisationMail]
) -> None:
    one = mails[ONE]
    pool.serve(ONE)
    one.desire(of(ONE, "1"))
    pool.start()
    pool.wait_until(lambda: one.batch("1") > 1, "it reads in the pool")
    pool.kill()
    own.start()
    assert own.process is not None
    assert own.process.wait(60) == 3
    assert "only it may carry the organisation's runs" in own.log_end()


def troubled(organisation: str, rows: int) -> RunSpec:
    """Return a binding of `rows` generated rows; reading hangs while the organisation has a file `hang`."""
    content = json.loads(density.spec("t").model_dump_json())
    options = {"rate": 20, "devices": 4, "late_share": 0.2, "started_at": BEGINS, "total_rows": rows}
    content["inputs"]["cars"]["adapter"] = {"kind": "trouble", "options": options}
    content["query"]["nodes"][1]["aggregates"].pop()  # the last digit of sums of fractions depends on the batches
    return RunSpec.model_validate_json(json.dumps(content | {"organisation": organisation}))


def rows_without_trouble(home: Path) -> tuple[list[str], list[str]]:
    """Return the rows of the troubled binding of TWO in an undisturbed run."""
    loop = Loop(home)
    loop.clock = 2 * BEGINS  # all rows are due
    add(loop, troubled(TWO, ROWS))
    loop.run()
    return rows(home, "t")


def flooding(organisation: str) -> RunSpec:
    """Return a binding with more rows than a pool can read."""
    content = json.loads(density.spec("flood").model_dump_json())
    content["inputs"]["cars"]["adapter"]["options"] |= {"rate": 1_000_000, "started_at": BEGINS}
    return RunSpec.model_validate_json(json.dumps(content | {"organisation": organisation}))


def test_a_hanging_binding_moves_apart_and_back_and_all_have_the_rows_of_an_undisturbed_run(
    tmp_path: Path, redis_server_url: str, mails: dict[str, OrganisationMail], expected: tuple[list[str], list[str]]
) -> None:
    one, two = mails.values()
    hang = two.files / "hang"
    with package_installed(tmp_path / "package", TROUBLE):
        untroubled = rows_without_trouble(tmp_path / "untroubled")
        pool = PoolProcess(tmp_path, 1, redis_server_url, *SLOWLY, "--apart-s", "3")
        try:
            pool.serve(ONE, TWO)
            one.desire(of(ONE, "1"))
            two.desire(troubled(TWO, ROWS))
            pool.start()
            pool.wait_until(lambda: two.batch("t-1") > 3, "it reads with all others")
            hang.touch()
            pool.wait_until(lambda: home_of(two.folder, "t") == apart_in("pool-1"), "it is apart")
            hang.unlink()
            pool.wait_until(lambda: two.state("t-1") == "running", "it runs there")
            pool.wait_until(lambda: home_of(two.folder, "t") == "pool-1", "it is back")
            left_at = two.batch("t-1")
            pool.wait_until(lambda: two.batch("t-1") > left_at, "it reads with all others again")
            pool.wait_until(lambda: one.state("1") == two.state("t-1") == "completed", "both end")
        finally:
            pool.end()
    assert rows(one.folder, "a") == expected
    assert rows(two.folder, "t") == untroubled
    assert "continues in the second carrier of its pool" in log_of(two)
    assert "t-1" not in log_of(one)


def test_hanging_dedicated_queries_take_no_task_from_shared_ones(
    tmp_path: Path, redis_server_url: str, mails: dict[str, OrganisationMail], expected: tuple[list[str], list[str]]
) -> None:
    one, two = mails.values()
    with package_installed(tmp_path / "package", TROUBLE):
        alone = [
            troubled(TWO, ROWS).model_copy(
                update={"binding": each, "run": each, "results": f"results/{each}", "dedicated": True}
            )
            for each in ("t1", "t2", "t3", "t4")
        ]
        pool = PoolProcess(tmp_path, 1, redis_server_url, *SLOWLY)
        try:
            pool.serve(ONE, TWO)
            two.desire(*alone)
            pool.start()
            pool.wait_until(lambda: all(two.batch(each.run) > 0 for each in alone), "all four read")
            (two.files / "hang").touch()
            one.desire(of(ONE, "1"))
            pool.wait_until(lambda: one.state("1") == "completed", "the other organisation completes")
            hung = {each.run: two.batch(each.run) for each in alone}
            (two.files / "hang").unlink()
        finally:
            pool.end()
    assert rows(one.folder, "a") == expected
    assert max(hung.values()) < ROWS


def test_an_input_that_fails_each_batch_or_floods_the_pool_does_not_affect_others(
    tmp_path: Path, redis_server_url: str, mails: dict[str, OrganisationMail], expected: tuple[list[str], list[str]]
) -> None:
    one, two = mails.values()
    three = OrganisationMail(tmp_path, "o-3", redis_server_url)
    three.files.mkdir(parents=True)
    fail = two.files / "fail"
    fail.touch()
    with package_installed(tmp_path / "package", TROUBLE):
        pool = PoolProcess(tmp_path, 1, redis_server_url, *SLOWLY)
        try:
            pool.serve(ONE, TWO, three.organisation)
            three.desire(flooding(three.organisation))
            one.desire(of(ONE, "1"))
            pool.start()
            for run in ("t-1", "t-2", "t-3"):
                two.desire(troubled(TWO, ROWS).model_copy(update={"run": run}))
                pool.wait_until(lambda run=run: two.state(run) == "failed", "it fails")  # type: ignore[misc]
            pool.wait_until(lambda: one.state("1") == "completed", "the other organisation completes")
            assert three.progress("flood-1").inputs["cars"].received > 100 * ROWS
        finally:
            pool.end()
    assert rows(one.folder, "a") == expected


def test_a_binding_that_breaks_shared_code_is_found_by_bisection_and_only_its_run_fails(
    tmp_path: Path, redis_server_url: str, mails: dict[str, OrganisationMail], expected: tuple[list[str], list[str]]
) -> None:
    one, two = mails.values()
    broken = two.files / "break"
    with package_installed(tmp_path / "package", TROUBLE):
        untroubled = rows_without_trouble(tmp_path / "untroubled")
        pool = PoolProcess(tmp_path, 1, redis_server_url, *SLOWLY)
        try:
            pool.serve(ONE, TWO)
            one.desire(of(ONE, "1"))
            beside = readings(binding="b", run="2").model_copy(update={"organisation": TWO})
            two.desire(troubled(TWO, ROWS), beside)
            pool.start()
            pool.wait_until(lambda: two.batch("t-1") > 3, "it reads with all others")
            broken.touch()
            pool.wait_until(lambda: two.state("t-1") == "failed", "it is found")
            broken.unlink()
            observed = two.observed("t-1")
            two.desire(troubled(TWO, ROWS).model_copy(update={"run": "t-2"}), beside)
            for mail, run in ((one, "1"), (two, "2"), (two, "t-2")):
                pool.wait_until(lambda mail=mail, run=run: mail.state(run) == "completed", f"{run} ends")  # type: ignore[misc]
        finally:
            pool.end()
    assert observed is not None
    assert observed.message == CULPRIT
    assert rows(one.folder, "a") == rows(two.folder, "b") == expected
    assert rows(two.folder, "t") == untroubled
